import { Context, Effect, Layer } from "effect"
import { type Accepted, attachedDocument } from "../documents/AttachedDocument.ts"
import { SandboxCertificate } from "../documents/Certificate.ts"
import { signDocument } from "../documents/SignedDocument.ts"
import { RegisteredSoftware } from "../documents/Software.ts"
import type { DocumentName } from "../outbound/Authority.ts"
import { Accounts } from "../store/Accounts.ts"
import type { LoadedInvoice } from "../store/Invoices.ts"
import { documentOf } from "./InvoicePapers.ts"

/** From a document's row to what is signed and sent: with its issuer as of its number, and the certificate of its account. */
export class DocumentSigning extends Context.Service<
  DocumentSigning,
  {
    readonly sign: (row: LoadedInvoice) => Effect.Effect<Uint8Array>
    /** What the acquirer of an accepted document is sent: it and the authority's answer in one. */
    readonly attach: (row: LoadedInvoice, accepted: Omit<Accepted, "document">) => Effect.Effect<Uint8Array>
    /** How the authority is told which document is meant. */
    readonly nameOf: (row: LoadedInvoice) => Effect.Effect<DocumentName>
  }
>()("folio/entities/DocumentSigning") {
  static readonly layer = Layer.effect(
    DocumentSigning,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const certificate = yield* SandboxCertificate
      const software = yield* RegisteredSoftware
      const issuerOf = (row: LoadedInvoice) => accounts.issuer(row.account_id, row.issuer_version)
      const softwareOf = (row: LoadedInvoice) => (row.livemode ? software.live : undefined) ?? software.test

      return DocumentSigning.of({
        sign: Effect.fn("DocumentSigning.sign")(function* (row) {
          return yield* signDocument(documentOf(row, yield* issuerOf(row)), softwareOf(row), certificate)
        }),
        attach: Effect.fn("DocumentSigning.attach")(function* (row, accepted) {
          const document = documentOf(row, yield* issuerOf(row))
          return yield* attachedDocument({ ...accepted, document }, softwareOf(row), certificate)
        }),
        nameOf: Effect.fnUntraced(function* (row) {
          const { identification } = yield* issuerOf(row)
          return {
            account_id: row.account_id,
            in_contingency: row.contingency_since !== null,
            cufe: row.cufe ?? "",
            kind: row.kind,
            full_number: row.full_number ?? "",
            livemode: row.livemode,
            issuer_nit: identification.number,
            certificate
          }
        })
      })
    })
  )
}
