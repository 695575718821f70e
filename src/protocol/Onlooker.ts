import { Context } from "effect"
import type { DocumentKind } from "../../schemas/FiscalDocument.ts"
import type { InvoiceStatus } from "../../schemas/Invoice.ts"

/** A request that was answered. `path` is without the query; `code` is the code of the error, if the answer is one. */
export interface AnsweredRequest {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly milliseconds: number
  readonly code: string | undefined
}

/**
 * A document that has an outcome. `reason`: the first rule that it broke, or the code of its failure. `milliseconds`: from its acceptance
 * to the outcome.
 */
export interface EndedDocument {
  /** The full number, or the id of a document without one. */
  readonly name: string
  readonly kind: DocumentKind
  readonly outcome: Exclude<InvoiceStatus, "draft" | "canceled">
  readonly reason: string | undefined
  readonly milliseconds: number
}

/** Whoever watches this process at a terminal: told of each request and each outcome as it happens. Undefined if nobody watches. */
export class Onlooker extends Context.Reference<
  | {
      readonly answered: (request: AnsweredRequest) => void
      readonly ended: (document: EndedDocument) => void
    }
  | undefined
>("folio/protocol/Onlooker", { defaultValue: () => undefined }) {}
