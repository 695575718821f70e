import { Effect } from "effect"
import type { Customer } from "../../../schemas/Customer.ts"
import type { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import type { Invoice } from "../../../schemas/Invoice.ts"
import type { CreditNote } from "../../../schemas/Note.ts"
import type { LoggedRequest } from "../../../schemas/Request.ts"
import type { Resolution } from "../../../schemas/Resolution.ts"
import type { TimelineEntry } from "../../../schemas/Timeline.ts"
import type { WebhookEndpoint } from "../../../schemas/WebhookEndpoint.ts"
import { documentKinds, kindOf } from "../../../schemas/DocumentKinds.ts"
import type { ListedDocument } from "../../invoices/store/DocumentList.ts"
import { Invoices } from "../../invoices/store/Invoices.ts"
import type { Listed } from "../frame/Lists.ts"
import { orNull } from "../frame/Refusal.ts"
import type { Visit } from "../frame/Visit.ts"

/** A document of any kind in the API's form. Fields of only invoices or only notes are optional. */
export type AnyDocument = Omit<Invoice, "id" | "object" | "resolution_id" | "operation_type" | "cufe"> &
  Partial<Pick<Invoice, "resolution_id" | "operation_type" | "cufe">> &
  Partial<Pick<CreditNote, "cude" | "invoice_id" | "original" | "correction_code" | "reason">> & {
    readonly id: string
    readonly object: DocumentKind
  }

/** A document and its path in the API. */
export interface Named {
  readonly kind: DocumentKind
  readonly path: string
  readonly document: AnyDocument
}

/** The document in the page's address. Fails with the API's error. */
export const named = Effect.fnUntraced(function* ({ get, id }: Visit) {
  const kind = kindOf(id)
  const path = `${documentKinds[kind].path}/${id}`
  return { kind, path, document: yield* get<AnyDocument>(path) } satisfies Named
})

/** The data of a document's page, in addition to the document. */
export interface Shown extends Named {
  /** The buyer and the codes in the document. */
  readonly listed: ListedDocument | undefined
  readonly entries: ReadonlyArray<TimelineEntry>
  /** The logged requests that changed the document, oldest first. */
  readonly requests: ReadonlyArray<LoggedRequest>
  /** The addresses of endpoints, by id. */
  readonly endpoints: ReadonlyMap<string, string>
  readonly range: Resolution | null
  /** The current customer. Null if deleted. */
  readonly customer: Customer | null
  /** The size of the signed document in bytes. Null before signing. */
  readonly signedBytes: number | null
}

/** Whether Folio executed a request, rather than returning the response of an earlier one. */
const hasDone = ({ idempotency, status }: LoggedRequest) =>
  status >= 200 && status < 300 && (idempotency === null || idempotency.verdict === "executed")

/** Whether Folio is still processing a document. */
export const isMoving = ({ stage }: Pick<AnyDocument, "stage">): boolean => stage !== "done"

/** The code of a document: the CUFE of an invoice, the CUDE of a note. */
export const codeOf = ({ cude, cufe }: AnyDocument): string | null => cufe ?? cude ?? null

const ofId = {
  kind: null,
  invoice_id: null,
  status: null,
  customer_id: null,
  full_numbers: null,
  cufe: null,
  external_id: null,
  metadata: {},
  from: null,
  to: null
}

export const load = Effect.fnUntraced(function* (visit: Visit) {
  const { get, file, read } = visit
  const documents = yield* Invoices
  const found = yield* named(visit)
  const { document, path } = found
  const one = yield* read((account) =>
    documents.listAll(account, { limit: 1, cursor: null }, { ...ofId, ids: [document.id] })
  )
  const [timeline, log, range, customer] = yield* Effect.all(
    [
      get<Listed<TimelineEntry>>(`${path}/timeline`),
      orNull(get<Listed<LoggedRequest>>("/v1/requests", { object_id: document.id, method: "POST", limit: "100" })),
      document.resolution_id === null || document.resolution_id === undefined
        ? Effect.succeed(null)
        : orNull(get<Resolution>(`/v1/resolutions/${document.resolution_id}`)),
      orNull(get<Customer>(`/v1/customers/${document.customer_id}`))
    ],
    { concurrency: 2 }
  )
  const hasAttempts = timeline.data.some(({ type }) => type === "delivery_attempt")
  const endpoints = hasAttempts
    ? yield* orNull(get<Listed<WebhookEndpoint>>("/v1/webhook-endpoints", { limit: "100" }))
    : null
  const signed = isMoving(document) ? null : yield* orNull(file(`${path}/xml`))
  const shown: Shown = {
    ...found,
    listed: one.rows[0],
    entries: timeline.data,
    requests: (log?.data ?? []).filter(hasDone).toReversed(),
    endpoints: new Map((endpoints?.data ?? []).map(({ id, url }) => [id, url])),
    range,
    customer,
    signedBytes: signed === null ? null : signed.body.length
  }
  return shown
})
