import type { DocumentCollection } from "../checks/documents/Document.ts"
import type { Collection, Entry, Journal } from "../checks/Journal.ts"
import type { Deserves } from "./Requests.ts"
import type { Translatable, Translate } from "./Translate.ts"
import { foreign, nobodys } from "./RequestSteps.ts"
import type { Book } from "../worlds/World.ts"

/** A request to send. */
export type Request = Omit<Entry, "asked" | "answered" | "era" | "hungUp" | "reply">

export interface By {
  readonly apiKey: string
  readonly book: number
  readonly key: string | null
}

interface Content {
  readonly deserves: Deserves
  readonly body: object
  readonly draw?: Translatable["draw"]
}

const rejectedNit = "900000002"
const prefixes = {
  customers: "cust",
  invoices: "inv",
  "credit-notes": "cn",
  "debit-notes": "dn",
  "webhook-endpoints": "we"
} as const

/** Builds requests about objects that are known to exist. */
export abstract class Making {
  protected readonly journal: Journal
  protected readonly books: ReadonlyArray<Book>
  protected readonly hook: (name: string) => string
  protected markers = 0
  private readonly translate: Translate

  constructor(
    journal: Journal,
    books: ReadonlyArray<Book>,
    hook: (name: string) => string,
    translate: Translate = (drawn) => drawn
  ) {
    this.journal = journal
    this.books = books
    this.hook = hook
    this.translate = translate
  }

  /**
   * All endpoints except the first one of each book, its witness. Real servers may answer one book's second request
   * before another book's first.
   */
  protected changeable(book?: number) {
    const all = this.journal.of("webhook-endpoints")
    const witnesses = new Set(this.books.map((_, of) => all.find((thing) => thing.book === of)))
    return all.filter((thing) => !witnesses.has(thing) && (book === undefined || thing.book === book))
  }

  protected isLive({ book }: Pick<By, "book">): boolean {
    return this.books[book]!.livemode
  }

  protected marker(): string {
    this.markers += 1
    return `m${this.markers}`
  }

  /** The id of an object by its index. No request changes a book's witness. */
  protected nth(collection: Collection, place: number, book: number): string {
    const all = collection === "webhook-endpoints" ? this.changeable() : this.journal.of(collection)
    const things =
      place === nobodys ? [] : place === foreign ? all.toReversed() : all.filter((thing) => thing.book === book)
    return things[place % things.length]?.id ?? `${prefixes[collection]}_${"0".repeat(26)}`
  }

  protected make(
    collection: Collection,
    by: By,
    content: (marker: string) => Content,
    path = `/v1/${collection}`
  ): Request {
    return this.exactly(collection, by, this.translated(collection, by, content(this.marker())), path)
  }

  /** The drawn request, translated for the world's country. */
  protected translated(
    collection: Collection,
    { book }: Pick<By, "book">,
    { draw = null, ...content }: Content
  ): Content {
    if (collection === "webhook-endpoints") return content
    return this.translate({ ...content, collection, draw, livemode: this.isLive({ book }) })
  }

  protected exactly(
    collection: Collection,
    { apiKey, book, key }: By,
    { body, deserves }: Content,
    path = `/v1/${collection}`
  ): Request {
    const by = { apiKey, book, key }
    const text = JSON.stringify(body)
    const to = { method: "POST", path }
    return { kind: "create", collection, ...by, ...to, text, body, target: null, deserves }
  }

  protected target({ item, what }: { readonly what: DocumentCollection; readonly item: number }, { book }: By) {
    return { what, target: this.nth(what, item, book) }
  }

  /** An invoice to a buyer whose invoices the sandbox rejects; another invoice if there is none. */
  protected rejected(place: number, book: number): string {
    const buyerOf = (id: string) => this.journal.things.get(id)?.maker?.body
    const all = this.journal.of("invoices").filter((thing) => thing.book === book)
    const rejected = all.filter(({ id }) => {
      const customer = buyerOf(id)?.customer_id
      return buyerOf(customer)?.identification.number === rejectedNit
    })
    return place >= foreign || rejected.length === 0
      ? this.nth("invoices", place, book)
      : rejected[place % rejected.length]!.id
  }

  /** A request about an existing document. */
  protected about(
    kind: "cancel" | "correct" | "email" | "retry",
    { target, what }: { readonly what: DocumentCollection; readonly target: string },
    by: By,
    body?: object
  ): Request {
    const to = { method: "POST", path: `/v1/${what}/${target}/${kind}`, target }
    const text = body === undefined ? null : JSON.stringify(body)
    const deserves: Deserves = { status: kind === "cancel" ? 200 : 202 }
    return { kind, collection: what, ...by, ...to, text, body, deserves }
  }

  protected change(
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

  protected get(kind: "read" | "list", collection: Collection, by: By, suffix: string, target: string | null): Request {
    const to = { method: "GET", path: `/v1/${collection}${suffix}`, target }
    return { kind, collection, ...by, ...to, text: null, body: undefined, deserves: { status: 200 } }
  }
}
