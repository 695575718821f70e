import { Effect } from "effect"
import { createHash, hash, verify, type KeyObject, X509Certificate } from "node:crypto"
import type { Certificate } from "./Certificate.ts"
import { signaturePolicy } from "../ubl/UblProfile.ts"
import type { Unsigned } from "../ubl/UblExtensions.ts"
import { attribute, element, leaf, prolog, unescaped } from "../ubl/Xml.ts"

/*
 * XAdES-EPES, enveloped. The signature covers the document without the signature, the certificate (`ds:KeyInfo`), and
 * the signed properties (signing time, policy). Documents are written in canonical form, so each digest is over the
 * written bytes. Only an element that is hashed alone gets the inherited namespaces added to its root for the hash.
 */

const c14n = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
const rsaSha256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
const sha256 = "http://www.w3.org/2001/04/xmlenc#sha256"
const enveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
const propertiesType = "http://uri.etsi.org/01903#SignedProperties"

const algorithm = (name: string, value: string) => leaf(name, "", attribute("Algorithm", value))
const digestOf = (text: string) => hash("sha256", text, "base64")

const digest = (value: string) => algorithm("ds:DigestMethod", sha256) + leaf("ds:DigestValue", value)

const reference = (attributes: string, transforms: string, value: string) =>
  `<ds:Reference${attributes}>${transforms}${digest(value)}</ds:Reference>`

/** The content of a signature element, apart from the signature value. */
interface Statement {
  /** 32 hex digits, unique within the document. */
  readonly id: string
  /** The namespace declarations of the document's root element. */
  readonly namespaces: string
  /** The SHA-256 of the document without the signature, in base64. */
  readonly documentDigest: string
  /** ISO 8601 with offset. */
  readonly signingTime: string
  readonly certificate: KnownCertificate
}

const signedProperties = ({ certificate, signingTime }: Statement): string =>
  element(
    "xades:SignedSignatureProperties",
    leaf("xades:SigningTime", signingTime),
    element(
      "xades:SigningCertificate",
      element(
        "xades:Cert",
        element("xades:CertDigest", digest(certificate.digest)),
        element(
          "xades:IssuerSerial",
          leaf("ds:X509IssuerName", certificate.issuer),
          leaf("ds:X509SerialNumber", certificate.serial)
        )
      )
    ),
    element(
      "xades:SignaturePolicyIdentifier",
      element(
        "xades:SignaturePolicyId",
        element("xades:SigPolicyId", leaf("xades:Identifier", signaturePolicy.url)),
        element("xades:SigPolicyHash", digest(signaturePolicy.digest))
      )
    ),
    element("xades:SignerRole", element("xades:ClaimedRoles", leaf("xades:ClaimedRole", "supplier")))
  )

const whole = ([name, attributes]: readonly [string, string], content: string) =>
  `<${name}${attributes}>${content}</${name}>`

/** `toSign`: the bytes to sign. `with`: makes the signature element from the signature value in base64. */
const statementXml = (statement: Statement) => {
  const { certificate, documentDigest, namespaces } = statement
  const id = `xmldsig-${statement.id}`
  const keyInfo = ["ds:KeyInfo", ` Id="${id}-keyinfo"`] as const
  const keyInfoContent = element("ds:X509Data", leaf("ds:X509Certificate", certificate.der))
  const properties = ["xades:SignedProperties", ` Id="${id}-signedprops"`] as const
  const propertiesContent = signedProperties(statement)
  const alone = ([name, attributes]: readonly [string, string], content: string) =>
    digestOf(whole([name, ` ${namespaces}${attributes}`], content))
  const signedInfo =
    algorithm("ds:CanonicalizationMethod", c14n) +
    algorithm("ds:SignatureMethod", rsaSha256) +
    reference(
      ` Id="${id}-ref0" URI=""`,
      element("ds:Transforms", algorithm("ds:Transform", enveloped)),
      documentDigest
    ) +
    reference(` URI="#${id}-keyinfo"`, "", alone(keyInfo, keyInfoContent)) +
    reference(` Type="${propertiesType}" URI="#${id}-signedprops"`, "", alone(properties, propertiesContent))
  return {
    toSign: Buffer.from(whole(["ds:SignedInfo", ` ${namespaces}`], signedInfo)),
    with: (value: string) =>
      `<ds:Signature Id="${id}">` +
      element("ds:SignedInfo", signedInfo) +
      leaf("ds:SignatureValue", value, ` Id="${id}-sigvalue"`) +
      whole(keyInfo, keyInfoContent) +
      element(
        "ds:Object",
        whole(["xades:QualifyingProperties", ` Target="#${id}"`], whole(properties, propertiesContent))
      ) +
      "</ds:Signature>"
  }
}

/**
 * The namespace declarations of a document: the text between the name of the root and the end of the root's start tag.
 */
const namespacesOf = (before: string) => before.slice(before.indexOf(" ") + 1, before.indexOf(">"))

/**
 * Signs a document and returns its bytes, which begin with the XML prolog. The same document, time and certificate give
 * the same bytes. Dies if the certificate cannot be parsed.
 *
 * @param options.canonical    the document in canonical form, if the written form is not canonical
 * @param options.seed         text that is specific to the document; the signature's id is derived from the seed
 * @param options.signingTime  ISO 8601 with the offset of the authority's zone
 */
export const signXml = Effect.fnUntraced(function* (
  document: Unsigned,
  options: { readonly canonical?: Unsigned; readonly seed: string; readonly signingTime: string },
  certificate: Certificate
) {
  const known = knownCertificate(certificate.certificate)
  if (known === null) return yield* Effect.die(new Error("the certificate that signs cannot be read"))
  const canonical = options.canonical ?? document
  const statement = statementXml({
    id: hash("sha256", options.seed, "hex").slice(0, 32),
    namespaces: namespacesOf(canonical.before),
    documentDigest: digestOf(canonical.before + canonical.after),
    signingTime: options.signingTime,
    certificate: known
  })
  const value = yield* certificate.sign(statement.toSign)
  return new Uint8Array(
    Buffer.from(prolog + document.before + statement.with(Buffer.from(value).toString("base64")) + document.after)
  )
})

const opening = "<ds:Signature"
const prologBytes = Buffer.from(prolog)
const closing = "</ds:Signature>"

const parts =
  /^<ds:Signature Id="xmldsig-([0-9a-f]{32})">.*?<ds:SignatureValue[^>]*>([^<]*)<.*?<ds:X509Certificate>([^<]*)<.*?<xades:SigningTime>([^<]*)</s

/**
 * The text, without prolog and signature, of a document that `signXml` made from canonical text; null if the signature
 * does not verify. Documents signed before Folio wrote a prolog have none. The signature element is rebuilt from its
 * id, signing time, certificate and value and from the digest of the document around it. It must equal the original
 * bytes, so that no byte of the element or of the document can differ.
 */
export const verifiedXml = (signed: Uint8Array): string | null => {
  const bytes = Buffer.from(signed.buffer, signed.byteOffset, signed.byteLength)
  const first = bytes.subarray(0, prologBytes.length).equals(prologBytes) ? prologBytes.length : 0
  const start = bytes.indexOf(`${opening} `)
  const end = bytes.indexOf(closing, start) + closing.length
  if (start === -1 || end < start) return null
  const before = bytes.subarray(first, start)
  const after = bytes.subarray(end)
  if (after.includes(opening)) return null
  const block = bytes.toString("utf8", start, end)
  const [, id, value, der, signingTime] = parts.exec(block) ?? []
  if (id === undefined || value === undefined || der === undefined || signingTime === undefined) return null
  const certificate = knownCertificate(der)
  if (certificate === null) return null
  const head = before.toString()
  const statement = statementXml({
    id,
    namespaces: namespacesOf(head),
    documentDigest: createHash("sha256").update(before).update(after).digest("base64"),
    signingTime: unescaped(signingTime),
    certificate
  })
  const signature = Buffer.from(value, "base64")
  const expected = statement.with(signature.toString("base64"))
  if (!Buffer.from(expected).equals(bytes.subarray(start, end))) return null
  return verify("sha256", statement.toSign, certificate.key, signature) ? head + after.toString() : null
}

/** The properties of a certificate that a signature contains, and the public key that verifies the signature. */
interface KnownCertificate {
  /** The certificate as written in the document: DER in base64. */
  readonly der: string
  /** The SHA-256 of the certificate's DER, in base64. */
  readonly digest: string
  /** The issuer's name as in RFC 2253: the most specific part first. */
  readonly issuer: string
  /** The serial number in decimal digits. */
  readonly serial: string
  readonly key: KeyObject
}

const read = (der: string): KnownCertificate | null => {
  try {
    const bytes = Buffer.from(der, "base64")
    const certificate = new X509Certificate(bytes)
    if (certificate.publicKey.asymmetricKeyType !== "rsa") return null
    return {
      der,
      digest: hash("sha256", bytes, "base64"),
      issuer: certificate.issuer.split("\n").toReversed().join(","),
      serial: BigInt(`0x${certificate.serialNumber}`).toString(),
      key: certificate.publicKey
    }
  } catch {
    return null
  }
}

// Parsed certificates are cached: a certificate signs thousands of documents, and parsing takes longer than verifying a
// signature.
const rememberedMax = 100
const remembered = new Map<string, KnownCertificate>()

/** Parses a certificate (DER in base64); null if the text is not a certificate or the key is not an RSA key. */
export const knownCertificate = (der: string): KnownCertificate | null => {
  const known = remembered.get(der) ?? read(der)
  if (known === null) return null
  if (!remembered.has(der) && remembered.size >= rememberedMax) remembered.delete(remembered.keys().next().value ?? "")
  remembered.set(der, known)
  return known
}
