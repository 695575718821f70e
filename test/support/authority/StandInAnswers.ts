/* The authority's responses, in its own notation. */

const soap = "http://www.w3.org/2003/05/soap-envelope"
export const service = "http://wcf.dian.colombia"
const wsse = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
const wsu = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"
const addressing = "http://www.w3.org/2005/08/addressing"

/** A response of the authority, in the order of its fields. */
export interface DianResponse {
  readonly StatusCode: string
  readonly IsValid?: string
  readonly StatusDescription?: string
  readonly StatusMessage?: string
  readonly ErrorMessage?: ReadonlyArray<string>
  readonly XmlBase64Bytes?: string | null
  readonly XmlDocumentKey?: string | null
  readonly XmlFileName?: string
}

export const accepted = (number: string, cufe: string): DianResponse => ({
  StatusCode: "00",
  IsValid: "true",
  StatusDescription: "Procesado Correctamente.",
  StatusMessage: `La Factura electrónica ${number}, ha sido autorizada.`,
  ErrorMessage: [],
  XmlBase64Bytes: Buffer.from("<ApplicationResponse/>").toString("base64"),
  XmlDocumentKey: cufe,
  XmlFileName: "fv"
})

export const rejectedBy = (lines: ReadonlyArray<string>, cufe: string | null = null): DianResponse => ({
  StatusCode: "99",
  IsValid: "false",
  StatusDescription: "Validación contiene errores en campos mandatorios.",
  StatusMessage: "Documento con errores en campos mandatorios.",
  ErrorMessage: lines,
  XmlBase64Bytes: null,
  XmlDocumentKey: cufe
})

export const unknown: DianResponse = {
  StatusCode: "66",
  IsValid: "false",
  StatusDescription: "TrackId no existe en los registros de la DIAN."
}

export const processedBefore = rejectedBy(["Regla: 90, Rechazo: Documento procesado anteriormente."])

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const field = (name: string, value: string | null | undefined) =>
  value === undefined ? "" : value === null ? `<b:${name} i:nil="true"/>` : `<b:${name}>${escaped(value)}</b:${name}>`

/** The fields of a response, as WCF writes them. */
export const dianFields = (
  response: DianResponse
) => `<b:ErrorMessage xmlns:c="http://schemas.microsoft.com/2003/10/Serialization/Arrays">${(
  response.ErrorMessage ?? []
)
  .map((line) => `<c:string>${escaped(line)}</c:string>`)
  .join("")}</b:ErrorMessage>
    ${(
      [
        "IsValid",
        "StatusCode",
        "StatusDescription",
        "StatusMessage",
        "XmlBase64Bytes",
        "XmlDocumentKey",
        "XmlFileName"
      ] as const
    )
      .map((name) => field(name, response[name]))
      .join("\n    ")}`

/** As WCF writes it. */
export const dianXml = (operation: string, response: DianResponse) => `<${operation}Response xmlns="${service}">
  <${operation}Result xmlns:b="http://schemas.datacontract.org/2004/07/DianResponse" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">
    ${dianFields(response)}
  </${operation}Result>
</${operation}Response>`

export const envelope = (body: string) => `<s:Envelope xmlns:s="${soap}" xmlns:a="${addressing}" xmlns:u="${wsu}">
<s:Header><a:Action s:mustUnderstand="1">answer</a:Action></s:Header>
<s:Body xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">${body}</s:Body></s:Envelope>`

/** Known faults of the authority. */
export const faults = {
  /** As captured on 2026-10-09. SOAP 1.2 has no such code; its code is Sender. */
  untrustedCertificate: `<s:Fault><s:Code><s:Value>s:Client</s:Value></s:Code><s:Reason><s:Text xml:lang="en-US">The creator of this fault did not specify a Reason.</s:Text></s:Reason></s:Fault>`,
  certificate: `<s:Fault><s:Code><s:Value>s:Receiver</s:Value></s:Code><s:Reason><s:Text xml:lang="en-US">The creator of this fault did not specify a Reason.</s:Text></s:Reason></s:Fault>`,
  security: `<s:Fault><s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value xmlns:o="${wsse}">o:InvalidSecurity</s:Value></s:Subcode></s:Code><s:Reason><s:Text xml:lang="en-US">An error occurred when verifying security for the message.</s:Text></s:Reason></s:Fault>`
} as const
