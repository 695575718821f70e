import { Context, type Effect, type Option } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import type { ApiError } from "../../schemas/ApiError.ts"
import type { DocumentKind } from "../../schemas/FiscalDocument.ts"
import type { InvoiceState } from "./rules/InvoiceLifecycle.ts"
import type { EmailPackage } from "../documents/email/EmailPackage.ts"

/**
 * The PDF or XML of a document. Files with the same `tag` have the same content, so the tag serves as the `ETag`.
 * `bytes` may first have to make the content, and fails with `ApiError` if that would take too long.
 */
export interface DocumentFile {
  readonly full_number: string
  readonly tag: string
  readonly bytes: Effect.Effect<Uint8Array, ApiError>
}

/** The name of a document of an account: the account, the mode, the kind of document and the document's id. */
export interface DocumentOfAccount extends AccountMode {
  readonly kind: DocumentKind
  readonly id: string
}

/**
 * The files of an account's documents, as clients download them, and the emails that acquirers get. `asker` names the
 * caller within the account, such as an API key: accounts take turns at making files, and so do the callers of an
 * account.
 *
 * @example
 * ```ts
 * import { main } from "@folio-einvoicing/service"
 * import { DocumentFiles } from "@folio-einvoicing/service/ports"
 * import { Effect, Layer, Option } from "effect"
 *
 * // The default files, and the default emails with another name of the sender.
 * const documentFiles = Layer.effect(
 *   DocumentFiles,
 *   Effect.map(DocumentFiles, (ours) => ({
 *     ...ours,
 *     emailPackage: (key, state, asker) =>
 *       Effect.map(
 *         ours.emailPackage(key, state, asker),
 *         Option.map((emailPackage) => ({ ...emailPackage, from_name: `${emailPackage.from_name} (facturación)` }))
 *       )
 *   }))
 * )
 *
 * main({ documentFiles })
 * ```
 */
export class DocumentFiles extends Context.Service<
  DocumentFiles,
  {
    /** Fails with `ApiError` `resource_missing` if the document does not exist or has no signed bytes. */
    readonly pdf: (name: DocumentOfAccount, asker: string) => Effect.Effect<DocumentFile, ApiError>
    /** Fails like `pdf`. */
    readonly xml: (name: DocumentOfAccount, asker: string) => Effect.Effect<DocumentFile, ApiError>
    /**
     * The email of a document; none if the document does not exist or has no signed bytes. `state` is the document's
     * state at the creation of the email, and so includes the authority's response by then. Fails if too many
     * documents wait to be packed or the wait takes too long. Dies if the document cannot be rendered.
     */
    readonly emailPackage: (
      key: AccountMode & { readonly id: string },
      state: InvoiceState,
      asker: string
    ) => Effect.Effect<Option.Option<EmailPackage>, ApiError>
  }
>()("@folio-einvoicing/service/DocumentFiles") {}
