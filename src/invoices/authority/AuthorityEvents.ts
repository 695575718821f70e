import { Result, Schema } from "effect"
import { AcceptanceCode, ClaimCode } from "../../../schemas/Acceptance.ts"
import type { AuthorityEvent } from "../rules/AcceptanceRules.ts"
import { childOf, fieldsOf, parseXml, textField, type XmlElement } from "./soap/SoapAnswers.ts"

// Many times the size of an invoice's events. Folio does not parse a larger ApplicationResponse, which would block the
// process.
const xmlBytesMax = 1024 * 1024

const years = { from: Date.UTC(2000, 0), to: Date.UTC(2100, 0) }

const isCode = Schema.is(AcceptanceCode)
const isClaim = Schema.is(ClaimCode)

const textOf = (element: XmlElement | undefined, ...path: ReadonlyArray<string>): string =>
  path.reduce<XmlElement | undefined>((inner, name) => childOf(inner, name), element)?.text?.trim() ?? ""

// The authority writes the time of an event as "15-12-09-05:00", and other times with colons. A time without an offset
// is in the authority's time zone.
const dateForm = /^(\d{4}-\d{2}-\d{2})(?:T(.*))?/
const timeForm = /^(\d{2})[:-](\d{2})[:-](\d{2})(?:\.\d+)?(Z|[+-]\d{2}:\d{2})?/

/** The Unix milliseconds of a date and a time; null if the date is invalid. */
const momentOf = (date: string, time: string): number | null => {
  const [, day, within = ""] = dateForm.exec(date) ?? []
  const [, hours = "00", minutes = "00", seconds = "00", offset = "-05:00"] =
    timeForm.exec(time) ?? timeForm.exec(within) ?? []
  const at = Date.parse(`${day}T${hours}:${minutes}:${seconds}${offset}`)
  return at >= years.from && at < years.to ? at : null
}

/** The name of the company, or else of the person, that registered an event; null if there is no name. */
const nameOf = (party: XmlElement | undefined): string | null => {
  const person = childOf(party, "Person")
  const names = [
    textOf(party, "PartyTaxScheme", "RegistrationName"),
    textOf(party, "PartyLegalEntity", "RegistrationName"),
    textOf(party, "PartyName", "Name"),
    `${textOf(person, "FirstName")} ${textOf(person, "FamilyName")}`.trim()
  ]
  return names.find((name) => name !== "") ?? null
}

/**
 * Whether an event belongs to the invoice with this code. In a response about the whole invoice (`isOurs`), the
 * authority names the event's own code (CUDE). If it names a CUFE instead, the CUFE must be the invoice's code.
 */
const isAbout = (reference: XmlElement | undefined, cufe: string, isOurs: boolean) => {
  const uuid = childOf(reference, "UUID")
  const code = uuid?.text?.trim().toLowerCase() ?? ""
  if (code === cufe) return true
  return isOurs && (code === "" || /^CUDE/i.test(uuid?.attributes["schemeName"] ?? ""))
}

/**
 * The events in a GetStatusEvent response about the invoice with this code (CUFE); null if the response is about
 * another document. The response has one ApplicationResponse, with a DocumentResponse per event. Skips unreadable
 * events, and events with a code that is not part of an acceptance.
 */
export const eventsOf = (result: XmlElement, cufe: string): ReadonlyArray<AuthorityEvent> | null => {
  const fields = fieldsOf(result)
  const key = textField(fields, "XmlDocumentKey").toLowerCase()
  if (key !== "" && key !== cufe) return null
  const xml = Buffer.from(textField(fields, "XmlBase64Bytes"), "base64")
  if (xml.length === 0 || xml.length > xmlBytesMax) return []
  const root = Result.getOrUndefined(parseXml(xml.toString()))
  if (root?.name !== "ApplicationResponse") return []
  return root.children
    .filter(({ name }) => name === "DocumentResponse")
    .flatMap((about): ReadonlyArray<AuthorityEvent> => {
      const response = childOf(about, "Response")
      const code = textOf(response, "ResponseCode")
      if (!isCode(code) || !isAbout(childOf(about, "DocumentReference"), cufe, key === cufe)) return []
      const at =
        momentOf(textOf(response, "EffectiveDate"), textOf(response, "EffectiveTime")) ??
        momentOf(textOf(root, "IssueDate"), textOf(root, "IssueTime"))
      const reason = childOf(response, "ResponseCode")?.attributes["listID"]
      const claim = code === "031" && isClaim(reason) ? reason : null
      return at === null ? [] : [{ code, at, by: nameOf(childOf(about, "IssuerParty")), claim }]
    })
}
