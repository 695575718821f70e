import type { DianResponse } from "./StandInAnswers.ts"

/** An event as the authority reports it. */
export interface StandInEvent {
  readonly code: string
  readonly description?: string
  /** YYYY-MM-DD, and the time in the authority's form: "15-12-09-05:00". If omitted, the response lacks it. */
  readonly date?: string
  readonly time?: string
  /** The code of the event itself; `invoice`: the invoice's code instead. */
  readonly cude?: string
  readonly invoice?: string
  readonly by?: string
  readonly listID?: string
}

const namespaces =
  'xmlns="urn:oasis:names:specification:ubl:schema:xsd:ApplicationResponse-2" xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"'

const element = (name: string, value: string | undefined, attributes = "") =>
  value === undefined ? "" : `<cbc:${name}${attributes}>${value}</cbc:${name}>`

const responseOf = (
  { by = "Cliente de Prueba S.A.S.", code, cude = "e".repeat(96), ...event }: StandInEvent,
  line: number
) =>
  `<cac:DocumentResponse><cac:Response>${element("ReferenceID", String(line))}${element("ResponseCode", code, event.listID === undefined ? "" : ` listID="${event.listID}"`)}${element("Description", event.description ?? "Evento")}${element("EffectiveDate", event.date)}${element("EffectiveTime", event.time)}</cac:Response>
<cac:DocumentReference><cbc:ID>AR${line}</cbc:ID>${event.invoice === undefined ? element("UUID", cude, ' schemeName="CUDE-SHA384"') : element("UUID", event.invoice, ' schemeName="CUFE-SHA384"')}</cac:DocumentReference>
<cac:IssuerParty><cac:PartyTaxScheme>${element("RegistrationName", by)}<cbc:CompanyID schemeID="1" schemeName="31">900000001</cbc:CompanyID></cac:PartyTaxScheme></cac:IssuerParty></cac:DocumentResponse>`

/** The ApplicationResponse with the events of an invoice, as the authority's own service writes it. */
export const eventsXml = (events: ReadonlyArray<StandInEvent>) =>
  `<?xml version="1.0" encoding="UTF-8" standalone="no"?><ApplicationResponse ${namespaces}><cbc:ProfileID>DIAN 2.1</cbc:ProfileID><cbc:UUID schemeName="CUDE-SHA384">${"d".repeat(96)}</cbc:UUID><cbc:IssueDate>2026-12-01</cbc:IssueDate><cbc:IssueTime>09:00:00-05:00</cbc:IssueTime>
<cac:SenderParty><cac:PartyTaxScheme><cbc:RegistrationName>Unidad Especial Dirección de Impuestos y Aduanas Nacionales</cbc:RegistrationName><cbc:CompanyID>800197268</cbc:CompanyID></cac:PartyTaxScheme></cac:SenderParty>
${events.map(responseOf).join("\n")}</ApplicationResponse>`

/** The response to GetStatusEvent about an invoice: status 67 without events. */
export const eventsAnswer = (
  cufe: string,
  events: ReadonlyArray<StandInEvent>,
  xml = eventsXml(events)
): DianResponse => ({
  StatusCode: events.length === 0 ? "67" : "00",
  IsValid: events.length === 0 ? "false" : "true",
  StatusDescription:
    events.length === 0
      ? "EL CUFE o Factura consultada no tiene a la fecha eventos asociados."
      : "Procesado Correctamente.",
  XmlBase64Bytes: Buffer.from(xml).toString("base64"),
  XmlDocumentKey: cufe,
  XmlFileName: "fv"
})
