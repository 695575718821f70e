import { type DocumentCollection, isOfDocuments } from "../checks/documents/Document.ts"
import type { Collection } from "../checks/Journal.ts"
import {
  addressOf,
  customerRequest,
  type Deserves,
  endpointPatch,
  endpointRequest,
  invoiceRequest,
  noteRequest,
  relaidOut
} from "./Requests.ts"
import { type By, Making, type Request } from "./Making.ts"
import type { Step, StepOf } from "./Steps.ts"

type Customer = readonly [buyer: StepOf<"customer">["buyer"], mail: StepOf<"customer">["mail"]]

const firstCustomers: ReadonlyArray<ReadonlyArray<Customer>> = [
  [
    ["person", "taken"],
    ["rejected", "taken"],
    ["lost", "bounced"],
    ["flaky", "complained"],
    ["slow", "none"]
  ]
]
const onlyPerson: ReadonlyArray<Customer> = [["person", "taken"]]
const accepted: Deserves = { status: 202 }

const keyOf = (key: number | null) => (key === null ? null : `key ${key}`)

/** Builds the requests of a step from the known objects at its turn. */
export class Asking extends Making {
  private readonly apiKeys: ReadonlyArray<Omit<By, "key">>

  constructor(...made: ConstructorParameters<typeof Making>) {
    super(...made)
    const [, books] = made
    this.apiKeys = books.flatMap(({ apiKeys }, book) => apiKeys.map((apiKey) => ({ apiKey, book })))
  }

  /**
   * Initial objects of each book: an endpoint that accepts everything until the end, and customers. The first book has
   * more of both.
   */
  get beginning(): ReadonlyArray<Request> {
    const firsts = this.books.map(({ apiKeys: [apiKey = ""] }, book) => ({ apiKey, book, key: null }))
    const endpoint = (by: By) =>
      this.make("webhook-endpoints", by, (marker) => endpointRequest(this.hook(marker), "all", 8, marker))
    const customers = firsts.flatMap((by) =>
      (firstCustomers[by.book] ?? onlyPerson).map(([buyer, mail]) =>
        this.make("customers", { ...by, key: buyer }, (marker) => customerRequest(buyer, marker, this.isLive(by), mail))
      )
    )
    const own = firsts.slice(0, 1)
    return [...firsts.map(endpoint), ...own.map(endpoint), ...own.map(endpoint), ...customers]
  }

  /** An accepted and a rejected invoice, so that notes and corrections have a target from the first step on. */
  get firstInvoices(): ReadonlyArray<Request> {
    const apiKey = this.books[0]!.apiKeys[0]!
    const by = (key: string) => ({ apiKey, book: 0, key })
    return [this.invoice(by("accepted"), 0, "five"), this.invoice(by("rejected"), 1, "one")]
  }

  requests(step: Step): ReadonlyArray<Request> {
    const by = { ...this.apiKeys["as" in step ? step.as % this.apiKeys.length : 0]!, key: null }
    switch (step.do) {
      case "customer": {
        const build = (marker: string) => customerRequest(step.buyer, marker, this.isLive(by), step.mail)
        return [this.make("customers", { ...by, key: keyOf(step.key) }, build)]
      }
      case "invoice":
        return [this.invoice({ ...by, key: keyOf(step.key) }, step.customer, step.lines)]
      case "burst":
        return Array.from({ length: step.count }, (_, index) =>
          this.invoice({ ...by, key: `burst ${this.markers} ${index}` }, step.customer, "one")
        )
      case "note":
        return [this.note({ ...by, key: keyOf(step.key) }, step)]
      case "notes":
        return Array.from({ length: step.count }, (_, index) =>
          this.note({ ...by, key: `notes ${this.markers} ${index}` }, { ...step, lines: "part" })
        )
      case "annul": {
        const path = `/v1/invoices/${this.nth("invoices", step.invoice, by.book)}/annul`
        const content = (marker: string) => ({ deserves: accepted, body: { reason: `Anulación ${marker}` } })
        return [this.make("credit-notes", { ...by, key: keyOf(step.key) }, content, path)]
      }
      case "email": {
        const body = step.to === "customer" ? {} : { to: addressOf("otro", step.to) }
        return [this.about("email", this.target(step, by), { ...by, key: keyOf(step.key) }, body)]
      }
      case "cancel":
        return [this.about("cancel", this.target(step, by), by)]
      case "correct": {
        const target = this.rejected(step.item, by.book)
        const customer = this.nth("customers", step.customer, by.book)
        const marker = this.journal.things.get(target)?.marker ?? this.marker()
        const { body, deserves } = this.translated("invoices", by, invoiceRequest(customer, step.lines, marker))
        const keyed = { ...by, key: keyOf(step.key) }
        return [{ ...this.about("correct", { what: "invoices", target }, keyed, body), deserves }]
      }
      case "retry":
        return [this.about("retry", this.target(step, by), { ...by, key: keyOf(step.key) })]
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

  /** Builds the creation request of a team's own command. */
  create(
    collection: Collection,
    { body, book, key }: { readonly body: object; readonly book: number; readonly key: string | null }
  ): Request {
    const deserves: Deserves = { status: isOfDocuments(collection) ? 202 : 201 }
    const metadata = { ...("metadata" in body ? (body.metadata as object) : {}), marker: this.marker() }
    const by = { apiKey: this.books[book]!.apiKeys[0]!, book, key }
    return this.exactly(collection, by, { deserves, body: { ...body, metadata } })
  }

  /** The request that ends a pause. */
  resume({ as, endpoint }: StepOf<"pause">): ReadonlyArray<Request> {
    const by = { ...this.apiKeys[as % this.apiKeys.length]!, key: null }
    return this.change("change", "PATCH", "", endpoint, by, { is_active: true })
  }

  /** A page of all documents of a kind, as the book's first API key sees it. */
  all(collection: DocumentCollection, book: number, after: string): Request {
    const by = { apiKey: this.books[book]!.apiKeys[0]!, book, key: null }
    return this.get("list", collection, by, `?limit=100${after === "" ? "" : `&starting_after=${after}`}`, null)
  }

  /** URL of an endpoint by its index among the endpoints that are not witnesses. */
  receiver(place: number): string {
    const others = this.changeable()
    return String(others[place % others.length]?.maker?.body.url)
  }

  private invoice(by: By, customer: number, lines: StepOf<"invoice">["lines"]): Request {
    return this.make("invoices", by, (marker) =>
      invoiceRequest(this.nth("customers", customer, by.book), lines, marker)
    )
  }

  private note(by: By, { invoice: place, kind, lines }: Pick<StepOf<"note">, "invoice" | "kind" | "lines">): Request {
    const invoice = this.nth("invoices", place, by.book)
    const ofInvoice = this.journal.things.get(invoice)?.maker?.body.lines
    return this.make(`${kind}-notes`, by, (marker) => noteRequest(invoice, { lines, ofInvoice }, marker))
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

  /** Repeats an earlier request with an idempotency key. */
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
        if (first.kind === "rotate" || first.kind === "retry" || first.kind === "correct") return [first]
        if (first.kind === "email") {
          const body = { to: addressOf("nadie", "taken") }
          return [{ ...first, body, text: JSON.stringify(body) }]
        }
        const marker = isCreate ? this.marker() : "changed"
        if (first.body.metadata === undefined && isCreate) {
          const body = { ...first.body, reason: `Anulación ${marker}` }
          return [{ ...first, body, text: JSON.stringify(body) }]
        }
        const body = { ...first.body, metadata: { ...first.body.metadata, marker } }
        return [{ ...first, body, text: JSON.stringify(body) }]
      }
      case "path":
        return isCreate ? [this.elsewhere(first)] : isOfDocuments(first.collection) ? [first] : this.another(first)
      case "account": {
        const at = this.apiKeys.findIndex(({ apiKey }) => apiKey === first.apiKey)
        const other = this.apiKeys[(at + 1) % this.apiKeys.length]!
        return [{ ...first, ...other, deserves: this.deserved(first, this.isLive(other)) }]
      }
    }
  }

  /** The sandbox's own identification is valid only in test mode. */
  private deserved({ body, deserves, kind }: Request, livemode: boolean): Deserves {
    if (kind !== "create" || body.identification?.number !== "900000001") return deserves
    return livemode ? { status: 400, code: "invalid_check_digit", early: false } : { status: 201 }
  }

  /** A request of another kind with the same idempotency key. */
  private elsewhere(first: Request): Request {
    return first.collection === "customers"
      ? this.make("webhook-endpoints", first, (marker) => endpointRequest(this.hook(marker), "all", 1, marker))
      : this.make("customers", first, (marker) => customerRequest("person", marker, false))
  }

  /** The same request to another endpoint. */
  private another(first: Request): ReadonlyArray<Request> {
    const target = this.changeable(first.book).find(({ id }) => id !== first.target)?.id
    if (target === undefined || first.target === null) return []
    return [{ ...first, target, path: first.path.replace(first.target, target) }]
  }
}
