import { Context, type Effect } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import type { ApiError } from "../../schemas/ApiError.ts"
import type { DocumentKind } from "../../schemas/FiscalDocument.ts"

/** A file of a document. The same `tag` is the same content; the bytes may have to be made. */
export interface DocumentFile {
  readonly full_number: string
  readonly tag: string
  readonly bytes: Effect.Effect<Uint8Array, ApiError>
}

export interface DocumentName extends AccountMode {
  readonly kind: DocumentKind
  readonly id: string
}

/**
 * The files of an account's documents. Fails with `resource_missing` where there is no such document, or no such file yet. `asker`
 * is who asks in the account's name: those of one account take turns, as accounts do.
 */
export class DocumentFiles extends Context.Service<
  DocumentFiles,
  {
    readonly pdf: (name: DocumentName, asker: string) => Effect.Effect<DocumentFile, ApiError>
    readonly xml: (name: DocumentName, asker: string) => Effect.Effect<DocumentFile, ApiError>
  }
>()("folio/documents/DocumentFiles") {}
