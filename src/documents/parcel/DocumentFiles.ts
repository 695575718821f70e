import { Context, type Effect } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { ApiError } from "../../../schemas/ApiError.ts"
import type { DocumentKind } from "../../../schemas/FiscalDocument.ts"

/**
 * The PDF or XML of a document. Files with the same `tag` have the same content, so that the tag serves as the `ETag`. `bytes`
 * may first have to make the content, and fails with `ApiError` when that would take too long.
 *
 * @example
 * ```ts
 * import type { DocumentFile } from "@folio-einvoicing/service/DocumentFiles"
 * import { Effect } from "effect"
 *
 * // A file that a team has in its own archive.
 * export const archived = (full_number: string, bytes: Uint8Array): DocumentFile => ({
 *   full_number,
 *   tag: `archive-${full_number}`,
 *   bytes: Effect.succeed(bytes)
 * })
 * ```
 */
export interface DocumentFile {
  readonly full_number: string
  readonly tag: string
  readonly bytes: Effect.Effect<Uint8Array, ApiError>
}

/**
 * Names a document of an account: the account, the mode, the kind of document and the document's id.
 *
 * @example
 * ```ts
 * import type { DocumentName } from "@folio-einvoicing/service/DocumentFiles"
 *
 * // Where a bucket of a team holds the PDF of a document.
 * export const keyOf = ({ account_id, id, kind, livemode }: DocumentName) =>
 *   `${account_id}/${livemode ? "live" : "test"}/${kind}/${id}.pdf`
 * ```
 */
export interface DocumentName extends AccountMode {
  readonly kind: DocumentKind
  readonly id: string
}

/**
 * The files of an account's documents, as clients download them. Fails with `ApiError` `resource_missing` when the document does
 * not exist or does not have the file yet. `asker` names the caller within the account, such as an API key: accounts take turns
 * at making files, and so do the callers of an account.
 *
 * @example
 * ```ts
 * import { DocumentFiles } from "@folio-einvoicing/service/DocumentFiles"
 * import { main } from "@folio-einvoicing/service/node"
 * import { Effect, Layer } from "effect"
 *
 * const archive = new Map<string, Uint8Array>()
 *
 * // Keeps each PDF after its first download; the default makes the PDF, and checks that the document is the account's.
 * const documentFiles = Layer.effect(
 *   DocumentFiles,
 *   Effect.map(DocumentFiles, (files) => ({
 *     ...files,
 *     pdf: (name, asker) =>
 *       Effect.map(files.pdf(name, asker), (file) => {
 *         const key = `${name.account_id}/${file.tag}`
 *         const kept = archive.get(key)
 *         const make = Effect.tap(file.bytes, (bytes) => Effect.sync(() => archive.set(key, bytes)))
 *         return { ...file, bytes: kept === undefined ? make : Effect.succeed(kept) }
 *       })
 *   }))
 * )
 *
 * main({ documentFiles })
 * ```
 */
export class DocumentFiles extends Context.Service<
  DocumentFiles,
  {
    readonly pdf: (name: DocumentName, asker: string) => Effect.Effect<DocumentFile, ApiError>
    readonly xml: (name: DocumentName, asker: string) => Effect.Effect<DocumentFile, ApiError>
  }
>()("@folio-einvoicing/service/DocumentFiles") {}
