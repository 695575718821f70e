import { Effect } from "effect"
import type { Certificate } from "./Certificate.ts"
import { type DocumentContent, documentContent } from "./DocumentContent.ts"
import type { FiscalDocument } from "../ubl/FiscalDocument.ts"
import type { Software } from "../ubl/UblSoftware.ts"
import { unsignedDocument } from "../ubl/UblDocument.ts"
import { signXml, verifiedXml } from "./XadesSignature.ts"

/**
 * Signs a document and returns its bytes: UBL 2.1 of the national profile in canonical form, with an enveloped
 * XAdES-EPES signature. The signing time is the document's issue time. The same content, software and certificate give
 * the same bytes.
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

/** The content of signed bytes; null if they cannot be read or their signature does not verify. */
export const readSignedDocument = (signed: Uint8Array): DocumentContent | null => {
  const xml = verifiedXml(signed)
  return xml === null ? null : documentContent(xml)
}
