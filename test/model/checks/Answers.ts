import type { AuditorOptions } from "./Auditor.ts"
import { markerOf, rangeOf } from "./documents/Document.ts"
import type { Documents } from "./documents/Documents.ts"
import {
  codeOfError as code,
  type Collection,
  type Entry,
  isSuccess,
  isUnknown,
  type Journal,
  meaning,
  type Thing
} from "./Journal.ts"
import { Judge } from "./Judge.ts"
import { invoiceOf, type Notes } from "./documents/Notes.ts"

const bytesOf = ({ reply }: Entry) => JSON.stringify([reply?.status, reply?.headers["location"], reply?.text])

const isInProgress = (entry: Entry) => entry.reply != null && entry.reply.status < 300 && !isSuccess(entry)

const endpointsMax = 16

/**
 * Checks responses against everything that determines them: the request's own content, its Idempotency-Key, the
 * existing objects, and the account and mode. Each response is checked on arrival, against all requests and responses
 * so far.
 */
export class Answers extends Judge {
  private readonly documents: Documents
  private readonly notes: Notes

  constructor(
    journal: Journal,
    options: AuditorOptions,
    say: (finding: string) => void,
    judges: { readonly documents: Documents; readonly notes: Notes }
  ) {
    super(journal, options, say)
    this.documents = judges.documents
    this.notes = judges.notes
  }

  check(entry: Entry): void {
    const { reply } = entry
    if (reply == null) {
      if (!this.options.rough && !entry.hungUp) this.wrong(entry, "no response")
      return
    }
    if (reply.headers["request-id"]?.startsWith("req_") !== true) this.wrong(entry, "no Request-Id")
    if (reply.status >= 500) {
      if (!this.options.rough) this.wrong(entry, "failed without a fault")
      if (!["internal_error", "service_unavailable"].includes(code(entry) ?? ""))
        this.wrong(entry, "a 5xx that says nothing")
      return
    }
    // The model's keys have no rate limit: this response means that the account's requests hold all of its turns
    // because the service hangs.
    if (this.options.rough && code(entry) === "rate_limited") return
    const { deserves } = entry
    if ("code" in deserves && deserves.early) {
      // The response lists the exhausted range next to the violations of the form.
      const isToldBoth = isOfRange(entry) && errorCodesOf(entry).includes(deserves.code)
      return isToldBoth ? this.exhausted(entry) : this.expect(entry, deserves.status, deserves.code)
    }
    if (entry.key !== null) this.keyed(entry)
    else if (reply.headers["svc-idempotency-cached"] !== undefined)
      this.wrong(entry, "has a cached header without an idempotency key")
    else this.executed(entry)
  }

  /** Requests with the same Idempotency-Key of the same API key: equal requests, and others. */
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
      if (first !== undefined) this.wrong(entry, "a conflict with its own first attempt")
      // A success, an unknown response, or a request still in progress.
      const possible = others.some(
        (other) => isSuccess(other) || isUnknown(other) || other.answered!.tick > entry.asked.tick
      )
      if (!possible) this.wrong(entry, "a conflict without another request")
      return
    }
    if (isInProgress(entry)) {
      const end = entry.answered!.tick
      // The service still executes a request whose client has disconnected.
      const underWay = same.some(
        (other) => other.asked.tick < end && (other.hungUp || (other.answered?.tick ?? Infinity) > entry.asked.tick)
      )
      if (!underWay) this.wrong(entry, "in progress, without another request")
      return
    }
    if (claimed !== undefined) return this.wrong(entry, "its key belongs to another request")
    if (!isSuccess(entry)) {
      if (first !== undefined) this.wrong(entry, "succeeded before, and must be replayed")
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
    // A batch whose commit was not confirmed is repeated, and finds its own result.
    else if (!this.options.rough && same.length === 0) this.wrong(entry, "a replay without an earlier request")
    for (const other of same.filter(isSuccess)) {
      if (bytesOf(entry) !== bytesOf(other)) this.wrong(entry, `a replay with other bytes: ${other.reply?.text}`)
    }
  }

  /** Checks the response to a request that was executed now, or rejected for its own content. */
  private executed(entry: Entry): void {
    const { deserves } = entry
    if (entry.kind === "list") return this.listed(entry)
    if (isOfRange(entry)) return this.exhausted(entry)
    const invoice = invoiceOf(entry)
    // The service validates a note's content after it has found the invoice.
    if ("code" in deserves && invoice === undefined) return this.expect(entry, deserves.status, deserves.code)
    const named = namedBy(entry)
    if (named !== undefined) {
      const there = this.journal.exists(named.id, { ...entry, collection: named.collection })
      if (there === "no" || (there === "maybe" && !isSuccess(entry))) return this.expect(entry, 404, "resource_missing")
    }
    if ("code" in deserves) return this.expect(entry, deserves.status, deserves.code)
    const wrong = invoice === undefined ? this.asked(entry) : this.notes.check(entry, invoice)
    if (wrong !== undefined) return this.wrong(entry, wrong)
    if (entry.reply?.status === 409 || (entry.kind === "correct" && entry.reply?.status === 404)) return
    if (entry.kind === "email" && entry.reply?.status === 400) return
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

  /** A book's range is exhausted only after as many invoices were created as it has numbers. */
  private exhausted(entry: Entry): void {
    const { from, to } = rangeOf(this.options.books[entry.book]!, "invoice")
    const created = this.journal.entries.filter(
      (other) =>
        other.kind === "create" &&
        other.collection === "invoices" &&
        other.book === entry.book &&
        (isSuccess(other) || isUnknown(other))
    )
    if (BigInt(created.length) <= to - from) this.wrong(entry, `a range exhausted by ${created.length} invoices`)
    if (entry.reply?.status !== 400) this.wrong(entry, "must be 400")
  }

  /** The finding about a response for an existing document; nothing if it is right. */
  private asked(entry: Entry): string | undefined {
    const { kind, reply, target } = entry
    if (kind === "cancel") return isConflict(entry, "invoice_not_cancelable") ? undefined : must(entry, 200)
    if (kind === "email") {
      const named = this.documents.wasAccepted(target ?? "", entry)
      if (isConflict(entry, "invoice_not_correctable")) return named ? "it was accepted before" : undefined
      const isAddressless = this.customersOf(target ?? "").map((customer) => customer?.body.email === undefined)
      const isMissing = reply?.status === 400 && code(entry) === "parameter_missing"
      if (isMissing && entry.body.to === undefined)
        return isAddressless.includes(false) && !isAddressless.includes(true)
          ? "its customer has an address"
          : undefined
      if (entry.body.to === undefined && isAddressless.length > 0 && !isAddressless.includes(false))
        return "there is no address"
      return must(entry, 202)
    }
    if (kind === "correct") return this.corrected(entry)
    if (kind !== "retry" || reply?.status === 202) return undefined
    if (isConflict(entry, "credit_exceeds_invoice") || isConflict(entry, "invoice_not_correctable"))
      return entry.collection === "credit-notes" ? undefined : "is no credit note"
    const last = this.documents.last(target ?? "")
    const others = this.journal.asks("retry", target ?? "").filter((other) => other !== entry)
    if (isConflict(entry, "invoice_not_retryable")) {
      const isFailed = last?.status === "failed" && last.failure?.retryable === true && others.length === 0
      return isFailed ? "has failed, and may be retried" : undefined
    }
    return must(entry, 202)
  }

  /** Creations of the possible customers of a document: a correction may have changed the customer. */
  private customersOf(document: string): ReadonlyArray<Entry | undefined> {
    const { journal } = this
    const makers = [journal.things.get(document)?.maker, ...journal.asks("correct", document)]
    const ids = [this.documents.last(document)?.customer_id, ...makers.map((maker) => maker?.body.customer_id)]
    return ids.flatMap((id) => (typeof id === "string" ? [journal.things.get(id)?.maker] : []))
  }

  private corrected(entry: Entry): string | undefined {
    const { body, reply, target } = entry
    const customer = this.journal.exists(body.customer_id, { ...entry, collection: "customers" })
    if (reply?.status === 404 && customer !== "yes") return undefined
    if (isConflict(entry, "invoice_has_open_notes") || isConflict(entry, "credit_exceeds_invoice")) return undefined
    if (!isConflict(entry, "invoice_not_rejected")) return must(entry, 202)
    const last = this.documents.last(target ?? "")
    const others = this.journal.asks("correct", target ?? "").filter((other) => other !== entry)
    const isRejected = last?.status === "rejected_by_authority" && others.length === 0
    return isRejected ? "was rejected, and may be corrected" : undefined
  }

  private listed(entry: Entry): void {
    const query = new URL(entry.path, "http://list").searchParams
    const limit = Number(query.get("limit"))
    if (limit < 1 || limit > 100) return this.expect(entry, 400, "parameter_invalid")
    const [after, before] = [query.get("starting_after"), query.get("ending_before")]
    if (after !== null && before !== null) return this.expect(entry, 400, "parameter_conflict")
    // Any id of the list's kind is valid: a page may begin at a deleted object.
    const cursor = after ?? before
    if (cursor !== null && !/^[a-z]+_[0-9a-z]{26}$/.test(cursor)) return this.expect(entry, 400, "invalid_cursor")
    if (entry.reply?.status !== 200) return this.wrong(entry, "must be 200")
    const { data, has_more } = JSON.parse(entry.reply.text) as {
      readonly data: ReadonlyArray<{ readonly id: string }>
      readonly has_more: boolean
    }
    for (const one of data) this.journal.see(entry.collection, entry.book, one.id, markerOf(one) ?? "")
    const beyond = (id: string) => (after === null || id < after) && (before === null || id > before)
    // In the requested direction, starting at the cursor.
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
    if (strange !== undefined) this.wrong(entry, `lists ${strange}, which must not be visible there`)
    const isFull = ids.length === limit
    const lost = must.find((id) => !ids.includes(id) && (!isFull || nearer(id, last!)))
    if (lost !== undefined) this.wrong(entry, `does not list ${lost}`)
    const more = (id: string) => isFull && nearer(last!, id)
    if (!has_more && must.some(more)) this.wrong(entry, "has_more is false although there is more")
    if (has_more && !may.some(more) && !this.journal.mayHideMore(entry))
      this.wrong(entry, "has_more is true although there is no more")
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

/** Objects that must exist for a request: its target, and the objects that it names. */
const namedBy = (entry: Entry): { readonly id: string; readonly collection: Collection } | undefined => {
  if (entry.target !== null) return { id: entry.target, collection: entry.collection }
  const invoice = invoiceOf(entry)
  if (typeof invoice === "string") return { id: invoice, collection: "invoices" }
  const customer: unknown = entry.body?.customer_id
  return typeof customer === "string" ? { id: customer, collection: "customers" } : undefined
}

const isOfRange = (entry: Entry) =>
  entry.kind === "create" && entry.collection === "invoices" && code(entry) === "range_exhausted"

const errorCodesOf = ({ reply }: Entry): ReadonlyArray<string> =>
  JSON.parse(reply?.text ?? "{}").error?.errors?.map((one: { readonly code: string }) => one.code) ?? []

const isConflict = (entry: Entry, expected: string) => entry.reply?.status === 409 && code(entry) === expected

const must = ({ reply }: Entry, status: number) => (reply?.status === status ? undefined : `must be ${status}`)
