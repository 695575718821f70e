import { Calls } from "./Calls.ts"
import { type DocumentCollection, markerOf } from "./documents/Document.ts"
import type { Deserves } from "../steps/Requests.ts"
import type { Reply } from "../worlds/World.ts"

/** When something was seen: `tick` orders what is seen in one place, `at` is the database's clock in milliseconds. */
export interface Moment {
  readonly tick: number
  readonly at: number
}

/** What is created, changed and listed, by its name in the paths of the API. */
export type Collection = "customers" | DocumentCollection | "webhook-endpoints"

type OwnAsk = "cancel" | "retry" | "correct" | "email"

/** A request and what came of it. */
export interface Entry {
  /** `cancel`, `retry`, `correct` and `email` are asked of a document, which is the target. */
  readonly kind: "create" | "change" | "remove" | "rotate" | "read" | "list" | OwnAsk
  readonly collection: Collection
  /** Whose request it is: the API key, and the place of its book among the world's. */
  readonly apiKey: string
  readonly book: number
  readonly method: string
  readonly path: string
  readonly key: string | null
  readonly text: string | null
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever a client sends
  readonly body: any
  /** The id in the path, where there is one. */
  readonly target: string | null
  readonly deserves: Deserves
  /** Keys of one era do not count in the next: a day has passed. */
  readonly era: number
  readonly asked: Moment
  answered: Moment | undefined
  reply: Reply | null | undefined
  hungUp: boolean
}

/** Something that was made, by a request that said so or, where the answer was lost, as it was seen later. */
export interface Thing {
  readonly id: string
  readonly collection: Collection
  readonly book: number
  readonly marker: string
  /** The request that made it; undefined where nobody asked for it. */
  readonly maker: Entry | undefined
  /** From when on it is certainly there. */
  readonly known: Moment
}

/** Yes and no are certain; maybe is what nobody outside can know. */
export type Certainty = "yes" | "no" | "maybe"

export const isSuccess = (entry: Entry): boolean =>
  entry.reply != null && entry.reply.status < 300 && entry.reply.headers["retry-after"] === undefined

/** Whether it may have been carried out although nobody said so. */
export const isUnknown = (entry: Entry): boolean =>
  entry.reply == null || entry.reply.status >= 500 || (entry.reply.status < 300 && !isSuccess(entry))

/** The code of the error that it was answered with. */
export const codeOfError = (entry: Entry): string | undefined => {
  try {
    return JSON.parse(entry.reply?.text ?? "")?.error?.code
  } catch {
    return undefined
  }
}

/** Whether it was the first with its key to be carried out: a repetition does nothing. */
export const isFirst = (entry: Entry): boolean => entry.reply?.headers["svc-idempotency-cached"] !== "true"

/** Two requests with the same meaning are the same request: neither white space nor the order of members counts. */
export const meaning = (entry: Pick<Entry, "method" | "path" | "body">): string =>
  `${entry.method} ${entry.path} ${canonical(entry.body)}`

const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== "object" || value === null) return String(JSON.stringify(value))
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`
}

/** What a team's own command may do to an invoice that no step of the workload does. */
export type OwnChange = "canceled" | "retried" | "corrected"

const asksFor = { canceled: "cancel", retried: "retry", corrected: "correct" } as const

/** All that was asked and answered, in order, all that is known to exist, and what the authority's port was called for. */
export class Journal {
  readonly entries: Array<Entry> = []
  readonly things = new Map<string, Thing>()
  readonly calls = new Calls(this)
  era = 0
  private readonly changed = new Set<string>()
  private ticks = 0
  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  moment(): Moment {
    return { tick: this.ticks++, at: this.now() }
  }

  ask(request: Omit<Entry, "asked" | "answered" | "era" | "hungUp" | "reply">): Entry {
    const entry = {
      ...request,
      era: this.era,
      asked: this.moment(),
      answered: undefined,
      reply: undefined,
      hungUp: false
    }
    this.entries.push(entry)
    return entry
  }

  /** From now on the invoice may have been changed in this way, or is about to be. */
  mayBe(id: string, change: OwnChange): void {
    this.changed.add(`${change} ${id}`)
  }

  mayHave(id: string, change: OwnChange): boolean {
    return this.changed.has(`${change} ${id}`) || this.asks(asksFor[change], id).length > 0
  }

  /** The requests that have asked this of a document, and may have been carried out. */
  asks(kind: Entry["kind"], id: string): ReadonlyArray<Entry> {
    return this.entries.filter(
      (entry) =>
        entry.kind === kind &&
        entry.target === id &&
        entry.book === this.things.get(id)?.book &&
        (entry.reply === undefined || isUnknown(entry) || isSuccess(entry))
    )
  }

  of(collection: Collection): ReadonlyArray<Thing> {
    return [...this.things.values()].filter((thing) => thing.collection === collection)
  }

  /** Notes that a thing has been seen. `maker` is the request that was told of it; without one it is known by its marker. */
  see(collection: Collection, book: number, id: string, marker: string, maker?: Entry): Thing {
    const found = this.things.get(id)
    if (found !== undefined) return found
    const makers = this.entries.filter((entry) => entry.kind === "create" && markerOf(entry.body) === marker)
    const by = maker ?? makers.find((entry) => entry.book === book) ?? makers[0]
    const thing: Thing = { id, collection, book: by?.book ?? book, marker, maker: by, known: this.moment() }
    this.things.set(id, thing)
    return thing
  }

  /** Whether something may be there that nobody has seen: who asked for it never heard of it. */
  mayHideMore({ answered, book, collection }: Pick<Entry, "book" | "answered" | "collection">): boolean {
    const seen = new Set(this.of(collection).map(({ marker }) => marker))
    return this.entries.some(
      (entry) =>
        entry.kind === "create" &&
        entry.collection === collection &&
        entry.book === book &&
        entry.asked.tick < (answered?.tick ?? Infinity) &&
        isUnknown(entry) &&
        !seen.has(markerOf(entry.body) ?? "")
    )
  }

  /** Whether a thing is there for this request. */
  exists(id: string, entry: Pick<Entry, "book" | "asked" | "answered" | "collection">): Certainty {
    const thing = this.things.get(id)
    if (thing === undefined || thing.book !== entry.book || thing.collection !== entry.collection) return "no"
    const end = entry.answered?.tick ?? Infinity
    const removals = this.entries.filter(
      (other) => other.kind === "remove" && other.target === id && other.book === thing.book && other.asked.tick < end
    )
    if (removals.some((other) => isSuccess(other) && other.answered!.tick < entry.asked.tick)) return "no"
    if (removals.some((other) => isSuccess(other) || isUnknown(other))) return "maybe"
    return thing.known.tick < entry.asked.tick ? "yes" : "maybe"
  }
}
