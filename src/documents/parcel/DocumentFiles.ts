import { Context, type Effect } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { ApiError } from "../../../schemas/ApiError.ts"
import type { DocumentKind } from "../../../schemas/FiscalDocument.ts"

/** The PDF or XML of a document. Files with the same `tag` have the same content. `bytes` may have to make the content first. */
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
 * The files of an account's documents. Fails with `resource_missing` when the document does not exist or does not have the file
 * yet. `asker` identifies the caller within the account, such as an API key: accounts take turns, and so do an account's callers.
 */
export class DocumentFiles extends Context.Service<
  DocumentFiles,
  {
    readonly pdf: (name: DocumentName, asker: string) => Effect.Effect<DocumentFile, ApiError>
    readonly xml: (name: DocumentName, asker: string) => Effect.Effect<DocumentFile, ApiError>
  }
>()("folio/documents/DocumentFiles") {}
