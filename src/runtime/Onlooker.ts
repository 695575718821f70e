import { Context } from "effect"
import type { DocumentKind } from "../../schemas/FiscalDocument.ts"
import type { InvoiceStatus } from "../../schemas/Invoice.ts"

/** A completed request. `path` has no query. `code` is the error code of an error response. */
export interface AnsweredRequest {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly milliseconds: number
  readonly code: string | undefined
}

/**
 * A document with an outcome. `reason`: the first rule that it broke, or its failure code. `milliseconds`: the time
 * from acceptance to outcome.
 */
export interface EndedDocument {
  /** The full number, or the id of a document without one. */
  readonly name: string
  readonly kind: DocumentKind
  readonly outcome: Exclude<InvoiceStatus, "draft" | "canceled">
  readonly reason: string | undefined
  readonly milliseconds: number
}

/**
 * An observer of this process, such as a terminal. It receives each request and each outcome as it happens. Undefined
 * without an observer.
 */
export class Onlooker extends Context.Reference<
  | {
      readonly answered: (request: AnsweredRequest) => void
      readonly ended: (document: EndedDocument) => void
    }
  | undefined
>("folio/runtime/Onlooker", { defaultValue: () => undefined }) {}
