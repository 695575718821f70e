import { Effect } from "effect"
import type { Customer } from "../../../schemas/Customer.ts"
import type { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import type { Invoice } from "../../../schemas/Invoice.ts"
import type { CreditNote } from "../../../schemas/Note.ts"
import type { LoggedRequest } from "../../../schemas/Request.ts"
import type { Resolution } from "../../../schemas/Resolution.ts"
import type { TimelineEntry } from "../../../schemas/Timeline.ts"
import type { WebhookEndpoint } from "../../../schemas/WebhookEndpoint.ts"
import { documentKinds, kindOf } from "../../domain/documents/DocumentKinds.ts"
import type { ListedDocument } from "../../store/documents/DocumentList.ts"
import { Invoices } from "../../store/documents/Invoices.ts"
import type { Listed } from "../frame/Lists.ts"
import { orNull } from "../frame/Refusal.ts"
import type { Visit } from "../frame/Visit.ts"

/** A document of any kind as the API answers it: what only invoices have may be absent, and so may what only notes have. */
export type AnyDocument = Omit<Invoice, "id" | "object" | "resolution_id" | "operation_type" | "cufe"> &
  Partial<Pick<Invoice, "resolution_id" | "operation_type" | "cufe">> &
  Partial<Pick<CreditNote, "cude" | "invoice_id" | "original" | "correction_code" | "reason">> & {
    readonly id: string
    readonly object: DocumentKind
  }

/** A document with the path that the API has it at. */
export interface Named {
  readonly kind: DocumentKind
  readonly path: string
  readonly document: AnyDocument
}

/** The document that the address of the page names. Fails with the API's refusal. */
export const named = Effect.fnUntraced(function* ({ get, id }: Visit) {
  const kind = kindOf(id)
  const path = `${documentKinds[kind].path}/${id}`
  return { kind, path, document: yield* get<AnyDocument>(path) } satisfies Named
})

/** What the page of a document tells besides the document itself. */
export interface Shown extends Named {
  /** The document's buyer and codes, as they stand in the document. */
  readonly listed: ListedDocument | undefined
  readonly entries: ReadonlyArray<TimelineEntry>
  /** The requests of the log that changed the document, oldest first. */
  readonly requests: ReadonlyArray<LoggedRequest>
  /** The addresses of endpoints, by id. */
  readonly endpoints: ReadonlyMap<string, string>
  readonly range: Resolution | null
  /** The customer as it is now; null if it was deleted. */
  readonly customer: Customer | null
  /** The size of the signed document in bytes; null while there is none. */
  readonly signedBytes: number | null
}

/** Whether a request was carried out, and not answered with the answer of an earlier one. */
const hasDone = ({ idempotency, status }: LoggedRequest) =>
  status >= 200 && status < 300 && (idempotency === null || idempotency.verdict === "executed")

/** Whether the service is still at work on a document. */
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
