import { SignedXml } from "xml-crypto"

/** The texts that the signature covers according to another library, or nothing if it does not verify. */
export const covered = (xml: string): ReadonlyArray<string> | null => {
  const [, der = ""] = /<ds:X509Certificate>([^<]+)</.exec(xml) ?? []
  const [, signature = ""] = /(<ds:Signature .*?<\/ds:Signature>)/s.exec(xml) ?? []
  const publicCert = `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----`
  const verifier = new SignedXml({ publicCert })
  try {
    verifier.loadSignature(signature)
    return verifier.checkSignature(xml) ? verifier.getSignedReferences() : null
  } catch {
    return null
  }
}
