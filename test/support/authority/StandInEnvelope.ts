import { X509Certificate } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { SignedXml } from "xml-crypto"
import { parseXml, type XmlElement } from "../../../src/invoices/authority/soap/SoapAnswers.ts"

const soap = "http://www.w3.org/2003/05/soap-envelope"
const service = "http://wcf.dian.colombia"
const wsse = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
const wsu = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"
const addressing = "http://www.w3.org/2005/08/addressing"

export interface Call {
  readonly operation: string
  readonly parameters: Readonly<Record<string, string>>
  /** The certificate that signed, DER in base64. */
  readonly certificate: string
  readonly headers: IncomingHttpHeaders
}

export class Refused extends Error {}

export const need = (holds: boolean, what: string): void => {
  if (!holds) throw new Refused(what)
}

const all = (element: XmlElement): ReadonlyArray<XmlElement> => [element, ...element.children.flatMap(all)]

const only = (root: XmlElement, name: string, namespace: string): XmlElement => {
  const found = all(root).filter((one) => one.name === name && one.namespace === namespace)
  need(found.length === 1, `${found.length} ${name}`)
  return found[0]!
}

/** Checks an envelope as the service does; returns the request and its sender. Throws on a violation. */
export const readEnvelope = (text: string, headers: IncomingHttpHeaders, url: string, now: number): Call => {
  const parsed = parseXml(text)
  if (parsed._tag === "Failure") throw new Refused(parsed.failure)
  const root = parsed.success
  need(root.name === "Envelope" && root.namespace === soap, "no SOAP 1.2 envelope")
  const body = only(root, "Body", soap)
  need(body.children.length === 1 && body.children[0]?.namespace === service, "no operation of the service")
  const { children, name: operation } = body.children[0]!
  const action = `${service}/IWcfDianCustomerServices/${operation}`
  need(only(root, "Action", addressing).text === action, "another action in the header")
  const type = headers["content-type"]
  need(type === `application/soap+xml;charset=UTF-8;action="${action}"`, `content type ${type}`)
  need(only(root, "To", addressing).text === url, "for another address")

  const [created, expires] = ["Created", "Expires"].map((name) => Date.parse(only(root, name, wsu).text ?? ""))
  need(created! <= now + 300_000 && now < expires! && expires! - created! <= 60_000_000, "a timestamp out of its time")

  const certificate = only(root, "BinarySecurityToken", wsse).text ?? ""
  const { publicKey } = new X509Certificate(Buffer.from(certificate, "base64"))
  const signature = /<ds:Signature [^]*<\/ds:Signature>/.exec(text)?.[0] ?? ""
  const check = new SignedXml({
    publicCert: publicKey.export({ type: "spki", format: "pem" }).toString(),
    idMode: "wssecurity"
  })
  check.loadSignature(signature)
  need(check.checkSignature(text), "a signature that does not verify")
  const signed = check.getSignedReferences()
  need(signed.length === 1 && signed[0]?.startsWith("<wsa:To ") === true, "a signature over something else than wsa:To")
  need(
    /PrefixList="wsa soap wcf"/.test(signature) && /PrefixList="soap wcf"/.test(signature),
    "another canonicalization than agreed"
  )
  const token = /URI="#([^"]+)" ValueType/.exec(signature)?.[1]
  need(
    new RegExp(`wsu:Id="${token}">${certificate.slice(0, 40).replaceAll("+", "\\+")}`).test(text),
    "a token of nothing"
  )
  return {
    operation,
    parameters: Object.fromEntries(children.map(({ name, text: value }) => [name, value ?? ""])),
    certificate,
    headers
  }
}
