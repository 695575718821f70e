import type { Collection, Entry, Journal } from "../checks/Journal.ts"
import {
  customerRequest,
  type Deserves,
  endpointPatch,
  endpointRequest,
  invoiceRequest,
  relaidOut
} from "./Requests.ts"
import { foreign, nobodys, type Step, type StepOf } from "./Steps.ts"
import type { Book } from "../worlds/World.ts"

/** A request that is to be sent. */
export type Request = Omit<Entry, "asked" | "answered" | "era" | "hungUp" | "reply">

interface By {
  readonly apiKey: string
  readonly book: number
  readonly key: string | null
}

interface Content {
  readonly deserves: Deserves
  readonly body: object
}

type Buyer = StepOf<"customer">["buyer"]

const firstCustomers: ReadonlyArray<ReadonlyArray<Buyer>> = [["person", "rejected", "lost", "flaky", "slow"]]
const onlyPerson: ReadonlyArray<Buyer> = ["person"]
const prefixes = { customers: "cust", invoices: "inv", "webhook-endpoints": "we" } as const

const keyOf = (key: number | null) => (key === null ? null : `key ${key}`)

/** Makes the requests of a step, out of what is known when its turn comes. */
export class Asking {
  private readonly journal: Journal
  private readonly books: ReadonlyArray<Book>
  private readonly hook: (name: string) => string
  private readonly apiKeys: ReadonlyArray<Omit<By, "key">>
  private markers = 0

  constructor(journal: Journal, books: ReadonlyArray<Book>, hook: (name: string) => string) {
    this.journal = journal
    this.books = books
    this.hook = hook
    this.apiKeys = books.flatMap(({ apiKeys }, book) => apiKeys.map((apiKey) => ({ apiKey, book })))
  }

  /** What each book begins with: an endpoint that takes everything to the end, and customers; the first, with more of both. */
  get beginning(): ReadonlyArray<Request> {
    const firsts = this.books.map(({ apiKeys: [apiKey = ""] }, book) => ({ apiKey, book, key: null }))
    const endpoint = (by: By) =>
      this.make("webhook-endpoints", by, (marker) => endpointRequest(this.hook(marker), "all", 8, marker))
    const customers = firsts.flatMap((by) =>
      (firstCustomers[by.book] ?? onlyPerson).map((buyer) =>
        this.make("customers", { ...by, key: buyer }, (marker) => customerRequest(buyer, marker, this.isLive(by)))
      )
    )
    const own = firsts.slice(0, 1)
    return [...firsts.map(endpoint), ...own.map(endpoint), ...own.map(endpoint), ...customers]
  }

  requests(step: Step): ReadonlyArray<Request> {
    const by = { ...this.apiKeys["as" in step ? step.as % this.apiKeys.length : 0]!, key: null }
    switch (step.do) {
      case "customer": {
        const keyed = { ...by, key: keyOf(step.key) }
        return [this.make("customers", keyed, (marker) => customerRequest(step.buyer, marker, this.isLive(by)))]
      }
      case "invoice":
        return [this.invoice({ ...by, key: keyOf(step.key) }, step.customer, step.lines)]
      case "burst":
        return Array.from({ length: step.count }, (_, index) =>
          this.invoice({ ...by, key: `burst ${this.markers} ${index}` }, step.customer, "one")
        )
      case "endpoint": {
        const { inFlight, key, subscribes } = step
        const build = (marker: string) => endpointRequest(this.hook(marker), subscribes, inFlight, marker)
        return [this.make("webhook-endpoints", { ...by, key: keyOf(key) }, build)]
      }
      case "again":
        return this.again(step)
      case "change": {
        const body = endpointPatch(step.what, this.marker())
        return this.change("change", step.method, "", step.endpoint, { ...by, key: keyOf(step.key) }, body)
      }
      case "pause":
        return this.change("change", "PATCH", "", step.endpoint, by, { is_active: false })
      case "rotate":
        return this.change("rotate", "POST", "/rotate-secret", step.endpoint, { ...by, key: keyOf(step.key) })
      case "remove":
        return this.change("remove", "DELETE", "", step.endpoint, by)
      case "read": {
        const target = this.nth(step.what, step.item, by.book)
        return [this.get("read", step.what, by, `/${target}`, target)]
      }
      case "list":
        return [this.get("list", step.what, by, this.query(step, by.book), null)]
      default:
        return []
    }
  }

  /** What a team's own command creates. */
  create(
    collection: Collection,
    { body, book, key }: { readonly body: object; readonly book: number; readonly key: string | null }
  ): Request {
    const deserves: Deserves = { status: collection === "invoices" ? 202 : 201 }
    const metadata = "metadata" in body ? (body.metadata as object) : {}
    return this.make(collection, { apiKey: this.books[book]!.apiKeys[0]!, book, key }, (marker) => ({
      deserves,
      body: { ...body, metadata: { ...metadata, marker } }
    }))
  }

  /** What ends a pause. */
  resume({ as, endpoint }: StepOf<"pause">): ReadonlyArray<Request> {
    const by = { ...this.apiKeys[as % this.apiKeys.length]!, key: null }
    return this.change("change", "PATCH", "", endpoint, by, { is_active: true })
  }

  /** A page of all invoices that the book's first API key is shown. */
  allInvoices(book: number, after: string): Request {
    const by = { apiKey: this.books[book]!.apiKeys[0]!, book, key: null }
    return this.get("list", "invoices", by, `?limit=100${after === "" ? "" : `&starting_after=${after}`}`, null)
  }

  /** The address of an endpoint by its place among those that are not witnesses. */
  receiver(place: number): string {
    const others = this.changeable()
    return String(others[place % others.length]?.maker?.body.url)
  }

  private changeable(book?: number) {
    const all = this.journal.of("webhook-endpoints")
    return all.slice(this.books.length).filter((thing) => book === undefined || thing.book === book)
  }

  private isLive({ book }: Omit<By, "key">): boolean {
    return this.books[book]!.livemode
  }

  private marker(): string {
    this.markers += 1
    return `m${this.markers}`
  }

  /** The id of a thing by its place. The witnesses, which come first, are nobody's to change. */
  private nth(collection: Collection, place: number, book: number): string {
    const all = collection === "webhook-endpoints" ? this.changeable() : this.journal.of(collection)
    const things =
      place === nobodys ? [] : place === foreign ? all.toReversed() : all.filter((thing) => thing.book === book)
    return things[place % things.length]?.id ?? `${prefixes[collection]}_${"0".repeat(26)}`
  }

  private make(collection: Collection, { apiKey, book, key }: By, content: (marker: string) => Content): Request {
    const { body, deserves } = content(this.marker())
    const by = { apiKey, book, key }
    const text = JSON.stringify(body)
    const to = { method: "POST", path: `/v1/${collection}` }
    return { kind: "create", collection, ...by, ...to, text, body, target: null, deserves }
  }

  private invoice(by: By, customer: number, lines: StepOf<"invoice">["lines"]): Request {
    return this.make("invoices", by, (marker) =>
      invoiceRequest(this.nth("customers", customer, by.book), lines, marker)
    )
  }

  private change(
    kind: "change" | "remove" | "rotate",
    method: string,
    suffix: string,
    endpoint: number,
    by: By,
    body?: object
  ): ReadonlyArray<Request> {
    const target = this.nth("webhook-endpoints", endpoint, by.book)
    const to = { method, path: `/v1/webhook-endpoints/${target}${suffix}`, target }
    const text = body === undefined ? null : JSON.stringify(body)
    const deserves = { status: kind === "rotate" ? 201 : 200 } as const
    return [{ kind, collection: "webhook-endpoints", ...by, ...to, text, body, deserves }]
  }

  private get(kind: "read" | "list", collection: Collection, by: By, suffix: string, target: string | null): Request {
    const to = { method: "GET", path: `/v1/${collection}${suffix}`, target }
    return { kind, collection, ...by, ...to, text: null, body: undefined, deserves: { status: 200 } }
  }

  private query(step: StepOf<"list">, book: number): string {
    const id = this.nth(step.what, step.item, book)
    const cursors = {
      start: "",
      after: `&starting_after=${id}`,
      before: `&ending_before=${id}`,
      both: `&starting_after=${id}&ending_before=${id}`,
      nowhere: "&starting_after=nowhere"
    }
    return `?limit=${step.limit}${cursors[step.from]}`
  }

  /** An earlier request with a key, once more. */
  private again({ change, request }: StepOf<"again">): ReadonlyArray<Request> {
    const keyed = this.journal.entries.filter(({ key }) => key !== null).toReversed()
    const first = keyed[request % keyed.length]
    if (first === undefined) return []
    const isCreate = first.kind === "create"
    switch (change) {
      case "nothing":
        return [first]
      case "layout":
        return [{ ...first, text: first.text === null ? null : relaidOut(first.text) }]
      case "body": {
        if (first.kind === "rotate") return [first]
        const marker = isCreate ? this.marker() : "changed"
        const body = { ...first.body, metadata: { ...first.body.metadata, marker } }
        return [{ ...first, body, text: JSON.stringify(body) }]
      }
      case "path":
        return isCreate ? [this.elsewhere(first)] : this.another(first)
      case "account": {
        const at = this.apiKeys.findIndex(({ apiKey }) => apiKey === first.apiKey)
        const other = this.apiKeys[(at + 1) % this.apiKeys.length]!
        return [{ ...first, ...other, deserves: this.deserved(first, this.isLive(other)) }]
      }
    }
  }

  /** The sandbox's own identification is for test mode alone. */
  private deserved({ body, deserves, kind }: Request, livemode: boolean): Deserves {
    if (kind !== "create" || body.identification?.number !== "900000001") return deserves
    return livemode ? { status: 400, code: "invalid_check_digit", early: false } : { status: 201 }
  }

  /** With the same key, something of another kind. */
  private elsewhere(first: Request): Request {
    return first.collection === "customers"
      ? this.make("webhook-endpoints", first, (marker) => endpointRequest(this.hook(marker), "all", 1, marker))
      : this.make("customers", first, (marker) => customerRequest("person", marker, false))
  }

  /** The same to another endpoint. */
  private another(first: Request): ReadonlyArray<Request> {
    const target = this.changeable(first.book).find(({ id }) => id !== first.target)?.id
    if (target === undefined || first.target === null) return []
    return [{ ...first, target, path: first.path.replace(first.target, target) }]
  }
}
