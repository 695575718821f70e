import { type Entry, isSuccess, isUnknown, meaning, type Thing } from "./Journal.ts"
import { Judge } from "./Judge.ts"

const code = (entry: Entry): string | undefined => {
  try {
    return JSON.parse(entry.reply?.text ?? "")?.error?.code
  } catch {
    return undefined
  }
}

const bytesOf = ({ reply }: Entry) => JSON.stringify([reply?.status, reply?.headers["location"], reply?.text])

const isInProgress = (entry: Entry) => entry.reply != null && entry.reply.status < 300 && !isSuccess(entry)

const endpointsMax = 16

/**
 * What may be answered: everything that follows from a request's own content, from its Idempotency-Key, from what exists and
 * in which account and mode. Checked when the answer is there, against all that was asked and answered by then.
 */
export class Answers extends Judge {
  check(entry: Entry): void {
    const { reply } = entry
    if (reply == null) {
      if (!this.options.rough && !entry.hungUp) this.wrong(entry, "no answer")
      return
    }
    if (reply.headers["request-id"]?.startsWith("req_") !== true) this.wrong(entry, "no Request-Id")
    if (reply.status >= 500) {
      if (!this.options.rough) this.wrong(entry, "failed although nothing was broken")
      if (!["internal_error", "service_unavailable"].includes(code(entry) ?? ""))
        this.wrong(entry, "a 5xx that says nothing")
      return
    }
    const { deserves } = entry
    if ("code" in deserves && deserves.early) return this.expect(entry, deserves.status, deserves.code)
    if (entry.key !== null) this.keyed(entry)
    else if (reply.headers["svc-idempotency-cached"] !== undefined) this.wrong(entry, "claims a key that was not sent")
    else this.executed(entry)
  }

  /** Requests with the same key of the same API key: the same request, and others. */
  private twins(entry: Entry): { readonly same: ReadonlyArray<Entry>; readonly others: ReadonlyArray<Entry> } {
    const twins = this.journal.entries.filter(
      (other) => other !== entry && other.key === entry.key && other.apiKey === entry.apiKey && other.era === entry.era
    )
    const own = meaning(entry)
    return {
      same: twins.filter((other) => meaning(other) === own),
      others: twins.filter((other) => meaning(other) !== own)
    }
  }

  private keyed(entry: Entry): void {
    const { same, others } = this.twins(entry)
    const earlier = (other: Entry) => isSuccess(other) && other.answered!.tick < entry.asked.tick
    const first = same.find(earlier)
    const claimed = others.find(earlier)
    if (code(entry) === "idempotency_conflict") {
      this.expect(entry, 409, "idempotency_conflict")
      if (entry.reply?.headers["svc-should-retry"] !== "false") this.wrong(entry, "a conflict that may be retried")
      if (first !== undefined) this.wrong(entry, "a conflict with its own first time")
      // A success, one whose answer is not known, or one that was under way.
      const possible = others.some(
        (other) => isSuccess(other) || isUnknown(other) || other.answered!.tick > entry.asked.tick
      )
      if (!possible) this.wrong(entry, "a conflict with nobody")
      return
    }
    if (isInProgress(entry)) {
      const end = entry.answered!.tick
      // What a client no longer waits for is carried out to its end all the same.
      const underWay = same.some(
        (other) => other.asked.tick < end && (other.hungUp || (other.answered?.tick ?? Infinity) > entry.asked.tick)
      )
      if (!underWay) this.wrong(entry, "in progress, but nobody else asked")
      return
    }
    if (claimed !== undefined) return this.wrong(entry, "its key belongs to another request")
    if (!isSuccess(entry)) {
      if (first !== undefined) this.wrong(entry, "was accepted before, and must be answered again")
      return this.executed(entry)
    }
    const cached = entry.reply?.headers["svc-idempotency-cached"]
    if (cached === "false") {
      if (first !== undefined) this.wrong(entry, "executed again")
      if (same.some((other) => isSuccess(other) && other.reply?.headers["svc-idempotency-cached"] === "false")) {
        this.wrong(entry, "executed twice")
      }
      this.executed(entry)
    } else if (cached !== "true") this.wrong(entry, `Svc-Idempotency-Cached: ${cached}`)
    // A batch whose commit went unheard is repeated, and finds what it has done itself.
    else if (!this.options.rough && same.length === 0) this.wrong(entry, "a replay of nothing")
    for (const other of same.filter(isSuccess)) {
      if (bytesOf(entry) !== bytesOf(other)) this.wrong(entry, `a replay with other bytes: ${other.reply?.text}`)
    }
  }

  /** The answer of a request that was carried out now, or refused for its own sake. */
  private executed(entry: Entry): void {
    const { deserves } = entry
    if (entry.kind === "list") return this.listed(entry)
    if ("code" in deserves) return this.expect(entry, deserves.status, deserves.code)
    const named = entry.target ?? entry.body?.customer_id
    if (typeof named === "string") {
      const needed = entry.target === null ? { ...entry, collection: "customers" as const } : entry
      const there = this.journal.exists(named, needed)
      if (there === "no" || (there === "maybe" && !isSuccess(entry))) return this.expect(entry, 404, "resource_missing")
    }
    if (entry.kind === "create" && code(entry) === "endpoint_limit_reached") {
      const count = this.journal.of("webhook-endpoints").filter(({ book }) => book === entry.book).length
      if (count < endpointsMax) this.wrong(entry, `a limit reached with ${count} endpoints`)
      return
    }
    if (entry.reply?.status !== deserves.status) return this.wrong(entry, `must be ${deserves.status}`)
    const twice = this.journal.entries.some(
      (other) =>
        other !== entry &&
        entry.kind === "remove" &&
        other.kind === "remove" &&
        other.target === entry.target &&
        isSuccess(other)
    )
    if (twice) this.wrong(entry, "removed twice")
  }

  private listed(entry: Entry): void {
    const query = new URL(entry.path, "http://list").searchParams
    const limit = Number(query.get("limit"))
    if (limit < 1 || limit > 100) return this.expect(entry, 400, "parameter_invalid")
    const [after, before] = [query.get("starting_after"), query.get("ending_before")]
    if (after !== null && before !== null) return this.expect(entry, 400, "parameter_conflict")
    const cursor = after ?? before
    if (cursor !== null) {
      const there = this.journal.exists(cursor, entry)
      if (there === "no" || (there === "maybe" && entry.reply?.status !== 200))
        return this.expect(entry, 400, "invalid_cursor")
    }
    if (entry.reply?.status !== 200) return this.wrong(entry, "must be 200")
    const { data, has_more } = JSON.parse(entry.reply.text) as {
      readonly data: ReadonlyArray<{ readonly id: string; readonly metadata: { readonly marker: string } }>
      readonly has_more: boolean
    }
    for (const { id, metadata } of data) this.journal.see(entry.collection, entry.book, id, metadata.marker)
    const beyond = (id: string) => (after === null || id < after) && (before === null || id > before)
    // In the direction asked for, beginning at the cursor.
    const nearer = (a: string, b: string) => (before === null ? a > b : a < b)
    const things = this.journal.of(entry.collection).filter(({ id }) => beyond(id))
    const ids = data.map(({ id }) => id)
    const last = before === null ? ids.at(-1) : ids[0]
    const isThere = (thing: Thing) => this.journal.exists(thing.id, entry)
    const must = things.filter((thing) => isThere(thing) === "yes").map(({ id }) => id)
    const may = things.filter((thing) => isThere(thing) !== "no").map(({ id }) => id)

    if (ids.length > limit) this.wrong(entry, "more than its limit")
    if (ids.some((id, index) => index > 0 && id >= ids[index - 1]!)) this.wrong(entry, "not newest first")
    const strange = ids.find((id) => !may.includes(id))
    if (strange !== undefined) this.wrong(entry, `lists ${strange}, which is not to be seen there`)
    const isFull = ids.length === limit
    const lost = must.find((id) => !ids.includes(id) && (!isFull || nearer(id, last!)))
    if (lost !== undefined) this.wrong(entry, `does not list ${lost}`)
    const more = (id: string) => isFull && nearer(last!, id)
    if (!has_more && must.some(more)) this.wrong(entry, "does not tell that there is more")
    if (has_more && !may.some(more) && !this.journal.mayHideMore(entry)) this.wrong(entry, "tells that there is more")
  }

  private expect(entry: Entry, status: number, expected: string): void {
    if (entry.reply?.status !== status || code(entry) !== expected) this.wrong(entry, `must be ${status} ${expected}`)
  }

  private wrong(entry: Entry, what: string): void {
    const { apiKey, key, method, path, reply, text } = entry
    this.say(
      `${method} ${path} of ${apiKey.slice(0, 12)} with key ${key}: ${what}. Sent ${text}, answered ${reply?.status} ${reply?.text}`
    )
  }
}
