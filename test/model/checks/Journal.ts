import { Calls } from "./Calls.ts"
import { type DocumentCollection, markerOf } from "./documents/Document.ts"
import type { Deserves } from "../steps/Requests.ts"
import type { Reply } from "../worlds/World.ts"

/**
 * Time of an observation: `tick` orders the observations of one place, `at` is the database's clock in milliseconds.
 */
export interface Moment {
  readonly tick: number
  readonly at: number
}

/** A collection of the API, by its name in the paths. */
export type Collection = "customers" | DocumentCollection | "webhook-endpoints"

type OwnAsk = "cancel" | "retry" | "correct" | "email"

/** A request and its result. */
export interface Entry {
  /** `cancel`, `retry`, `correct` and `email` are requests about a document, which is the target. */
  readonly kind: "create" | "change" | "remove" | "rotate" | "read" | "list" | OwnAsk
  readonly collection: Collection
  /** The API key of the request, and the index of its book in the world. */
  readonly apiKey: string
  readonly book: number
  readonly method: string
  readonly path: string
  readonly key: string | null
  readonly text: string | null
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever a client sends
  readonly body: any
  /** The id in the path, if there is one. */
  readonly target: string | null
  readonly deserves: Deserves
  /** Idempotency keys of one era have no effect in the next: a day has passed. */
  readonly era: number
  readonly asked: Moment
  answered: Moment | undefined
  reply: Reply | null | undefined
  hungUp: boolean
}

/** An object created by a request: known from the response or, if that was lost, from a later observation. */
export interface Thing {
  readonly id: string
  readonly collection: Collection
  readonly book: number
  readonly marker: string
  /** The request that created it; undefined if no request did. */
  readonly maker: Entry | undefined
  /** Time from which it certainly exists. */
  readonly known: Moment
}

/** Yes and no are certain. Maybe: a client cannot know. */
export type Certainty = "yes" | "no" | "maybe"

export const isSuccess = (entry: Entry): boolean =>
  entry.reply != null && entry.reply.status < 300 && entry.reply.headers["retry-after"] === undefined

/** Whether the request may have been executed without a response. */
export const isUnknown = (entry: Entry): boolean =>
  entry.reply == null || entry.reply.status >= 500 || (entry.reply.status < 300 && !isSuccess(entry))

/** The error code of its response. */
export const codeOfError = (entry: Entry): string | undefined => {
  try {
    return JSON.parse(entry.reply?.text ?? "")?.error?.code
  } catch {
    return undefined
  }
}

/** Whether it was the first request with its key to be executed: a replay changes nothing. */
export const isFirst = (entry: Entry): boolean => entry.reply?.headers["svc-idempotency-cached"] !== "true"

/** The meaning of a request, for comparing two of them: white space and the order of members do not count. */
export const meaning = (entry: Pick<Entry, "method" | "path" | "body">): string =>
  `${entry.method} ${entry.path} ${canonical(entry.body)}`

const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== "object" || value === null) return String(JSON.stringify(value))
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`
}

/** A change of an invoice that only a team's own command makes, and no step of the workload. */
export type OwnChange = "canceled" | "retried" | "corrected"

const asksFor = { canceled: "cancel", retried: "retry", corrected: "correct" } as const

/** All requests and responses in order, all objects known to exist, and the calls of the authority's port. */
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

  /** Records that the invoice may have been changed in this way from now on. */
  mayBe(id: string, change: OwnChange): void {
    this.changed.add(`${change} ${id}`)
  }

  mayHave(id: string, change: OwnChange): boolean {
    return this.changed.has(`${change} ${id}`) || this.asks(asksFor[change], id).length > 0
  }

  /** Requests of this kind about a document that may have been executed. */
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

  /**
   * Records an observed object. `maker` is the request whose response showed it; without one, the marker identifies it.
   */
  see(collection: Collection, book: number, id: string, marker: string, maker?: Entry): Thing {
    const found = this.things.get(id)
    if (found !== undefined) return found
    const makers = this.entries.filter((entry) => entry.kind === "create" && markerOf(entry.body) === marker)
    const by = maker ?? makers.find((entry) => entry.book === book) ?? makers[0]
    const thing: Thing = { id, collection, book: by?.book ?? book, marker, maker: by, known: this.moment() }
    this.things.set(id, thing)
    return thing
  }

  /** Whether an unobserved object may exist, because its creator's response was lost. */
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

  /** Whether an object exists for this request. */
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
