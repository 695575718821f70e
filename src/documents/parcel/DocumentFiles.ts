import { Context, type Effect } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { ApiError } from "../../../schemas/ApiError.ts"
import type { DocumentKind } from "../../../schemas/FiscalDocument.ts"

/**
 * The PDF or XML of a document. Files with the same `tag` have the same content, so that the tag serves as the `ETag`. `bytes`
 * may first have to make the content, and fails with `ApiError` when that would take too long.
 */
export interface DocumentFile {
  readonly full_number: string
  readonly tag: string
  readonly bytes: Effect.Effect<Uint8Array, ApiError>
}

/** Names a document of an account: the account, the mode, the kind of document and the document's id. */
export interface DocumentOfAccount extends AccountMode {
  readonly kind: DocumentKind
  readonly id: string
}

/**
 * The files of an account's documents, as clients download them. Fails with `ApiError` `resource_missing` when the document does
 * not exist or does not have the file yet. `asker` names the caller within the account, such as an API key: accounts take turns
 * at making files, and so do the callers of an account.
 */
export class DocumentFiles extends Context.Service<
  DocumentFiles,
  {
    readonly pdf: (name: DocumentOfAccount, asker: string) => Effect.Effect<DocumentFile, ApiError>
    readonly xml: (name: DocumentOfAccount, asker: string) => Effect.Effect<DocumentFile, ApiError>
  }
>()("@folio-einvoicing/service/DocumentFiles") {}
