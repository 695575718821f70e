import { Effect } from "effect"
import { createHash } from "node:crypto"
import { escaped } from "../../../documents/ubl/Xml.ts"
import type { DocumentName } from "../Authority.ts"

/** A call to one operation of the authority's service, with its text parameters in order. */
export interface SoapCall {
  readonly operation: string
  readonly parameters: ReadonlyArray<readonly [name: string, value: string]>
}

export const namespaces = {
  soap: "http://www.w3.org/2003/05/soap-envelope",
  service: "http://wcf.dian.colombia",
  addressing: "http://www.w3.org/2005/08/addressing"
} as const

const ds = "http://www.w3.org/2000/09/xmldsig#"
const exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#"
const sha256 = "http://www.w3.org/2001/04/xmlenc#sha256"
const rsaSha256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
const wss = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss"
const wsse = `${wss}-wssecurity-secext-1.0.xsd`
const wsu = `${wss}-wssecurity-utility-1.0.xsd`
const base64Binary = `${wss}-soap-message-security-1.0#Base64Binary`
const x509v3 = `${wss}-x509-token-profile-1.0#X509v3`

/** Validity of a message in milliseconds. */
const validMs = 60_000_000

const actionOf = (operation: string) => `${namespaces.service}/IWcfDianCustomerServices/${operation}`

export const contentTypeOf = (operation: string) => `application/soap+xml;charset=UTF-8;action="${actionOf(operation)}"`

const digestOf = (text: string) => createHash("sha256").update(text).digest("base64")

const inclusive = (prefixes: string) =>
  `<ec:InclusiveNamespaces xmlns:ec="${exclusive}" PrefixList="${prefixes}"></ec:InclusiveNamespaces>`

/**
 * The envelope of a call to `url`: SOAP 1.2, WS-Addressing, and WS-Security with a timestamp, the certificate, and a
 * signature over `wsa:To` only. The hashed element and the signed element are written in exclusive canonical form, with
 * all their namespaces, so that signing needs no parser.
 *
 * @param now  the time in Unix milliseconds
 */
export const signedEnvelope = Effect.fnUntraced(function* (
  { operation, parameters }: SoapCall,
  url: string,
  { certificate, sign }: DocumentName["certificate"],
  now: number
) {
  const soapNs = `xmlns:soap="${namespaces.soap}"`
  const serviceNs = `xmlns:wcf="${namespaces.service}"`
  const addressingNs = `xmlns:wsa="${namespaces.addressing}"`
  const to = `<wsa:To ${soapNs} ${serviceNs} ${addressingNs} xmlns:wsu="${wsu}" wsu:Id="to">${escaped(url)}</wsa:To>`
  const signedInfo =
    `<ds:SignedInfo xmlns:ds="${ds}" ${soapNs} ${serviceNs} ${addressingNs}>` +
    `<ds:CanonicalizationMethod Algorithm="${exclusive}">${inclusive("wsa soap wcf")}</ds:CanonicalizationMethod>` +
    `<ds:SignatureMethod Algorithm="${rsaSha256}"></ds:SignatureMethod>` +
    `<ds:Reference URI="#to">` +
    `<ds:Transforms><ds:Transform Algorithm="${exclusive}">${inclusive("soap wcf")}</ds:Transform></ds:Transforms>` +
    `<ds:DigestMethod Algorithm="${sha256}"></ds:DigestMethod><ds:DigestValue>${digestOf(to)}</ds:DigestValue>` +
    `</ds:Reference></ds:SignedInfo>`
  const signature = Buffer.from(yield* sign(Buffer.from(signedInfo))).toString("base64")
  const [created, expires] = [now, now + validMs].map((time) => new Date(time).toISOString())
  const body = parameters.map(([name, value]) => `<wcf:${name}>${escaped(value)}</wcf:${name}>`).join("")
  return (
    `<soap:Envelope ${soapNs} ${serviceNs}>` +
    `<soap:Header ${addressingNs}>` +
    `<wsse:Security xmlns:wsse="${wsse}" xmlns:wsu="${wsu}">` +
    `<wsu:Timestamp wsu:Id="timestamp"><wsu:Created>${created}</wsu:Created><wsu:Expires>${expires}</wsu:Expires></wsu:Timestamp>` +
    `<wsse:BinarySecurityToken EncodingType="${base64Binary}" ValueType="${x509v3}" wsu:Id="certificate">${certificate}</wsse:BinarySecurityToken>` +
    `<ds:Signature xmlns:ds="${ds}" Id="signature">${signedInfo}<ds:SignatureValue>${signature}</ds:SignatureValue>` +
    `<ds:KeyInfo Id="key"><wsse:SecurityTokenReference wsu:Id="token">` +
    `<wsse:Reference URI="#certificate" ValueType="${x509v3}"></wsse:Reference>` +
    `</wsse:SecurityTokenReference></ds:KeyInfo></ds:Signature></wsse:Security>` +
    `<wsa:Action>${actionOf(operation)}</wsa:Action>${to}</soap:Header>` +
    `<soap:Body><wcf:${operation}>${body}</wcf:${operation}></soap:Body></soap:Envelope>`
  )
})
