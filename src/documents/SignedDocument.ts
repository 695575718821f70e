import { Effect } from "effect"
import type { Certificate } from "./Certificate.ts"
import { type DocumentContent, documentContent } from "./DocumentContent.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import type { Software } from "./Software.ts"
import type { Unsigned } from "./UblExtensions.ts"
import { invoice } from "./UblInvoice.ts"
import { note } from "./UblNotes.ts"
import { signXml, verifiedXml } from "./XadesSignature.ts"

const unsignedDocument = (document: FiscalDocument, software: Software): Unsigned =>
  document.kind === "invoice" ? invoice(document, software) : note(document, document.kind, software)

/**
 * The bytes of a signed document: UBL 2.1 of the national profile in canonical form, with an enveloped XAdES-EPES signature of
 * the document's own time. The same content, software and certificate give the same bytes.
 */
export const signDocument = Effect.fn("signDocument")(function* (
  document: FiscalDocument,
  software: Software,
  certificate: Certificate
) {
  return yield* signXml(
    unsignedDocument(document, software),
    { seed: document.cufe, signingTime: `${document.issue_date}T${document.issue_time}` },
    certificate
  )
})

/** The content of signed bytes; null when they cannot be read or their signature does not verify. */
export const readSignedDocument = (signed: Uint8Array): DocumentContent | null => {
  const xml = verifiedXml(signed)
  return xml === null ? null : documentContent(xml)
}
