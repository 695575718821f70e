import { Context } from "effect"
import type { Issuer } from "../../schemas/Account.ts"
import type { Violation } from "../../schemas/ApiError.ts"
import type { DocumentKind } from "../../schemas/FiscalDocument.ts"
import type { Sandbox } from "../domain/accounts/Sandbox.ts"
import type { NumberForm } from "../domain/documents/FullNumber.ts"

/** A document as the authority's public page on the document is found by. */
export interface PublicDocument {
  readonly kind: DocumentKind
  readonly livemode: boolean
  readonly full_number: string
  readonly cufe: string
}

/** The part of the national profile that the store asks for. `Layers.layerStoreProfile` makes it from `NationalProfile`. */
export class StoreProfile extends Context.Service<
  StoreProfile,
  {
    readonly numbering: NumberForm
    /** Unix milliseconds → the date in the authority's zone, YYYY-MM-DD. */
    readonly localDate: (epochMs: number) => string
    /** The URL of the authority's page on a document; null when the authority has no such page. */
    readonly pageOf: (document: PublicDocument) => string | null
    readonly rules: { readonly issuer: (issuer: Issuer) => ReadonlyArray<Violation> }
    readonly sandbox: Sandbox
  }
>()("folio/store/StoreProfile") {}
