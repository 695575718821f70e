import { Schema, Struct } from "effect"
import { OperationType } from "../../../schemas/Code.ts"
import { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import { cents, decimal } from "../rules/Decimal.ts"
import { FiscalDocument } from "../ubl/FiscalDocument.ts"
import { elementNames } from "../ubl/UblProfile.ts"
import { unescaped } from "../ubl/Xml.ts"

const read = [
  "kind",
  "in_contingency",
  "full_number",
  "prefix",
  "cufe",
  "issue_date",
  "issue_time",
  "environment",
  "currency",
  "issuer",
  "acquirer",
  "totals",
  "range",
  "correction"
] as const

/**
 * The head of a document: its kind, its parties and its totals. `operation_type` is null for a note, whose XML does not
 * hold the operation.
 */
export class DocumentContent extends Schema.Opaque<DocumentContent>()(
  Schema.Struct({
    ...Struct.pick(FiscalDocument.fields, read),
    full_number: Schema.NonEmptyString,
    cufe: Schema.NonEmptyString,
    issue_date: Schema.NonEmptyString,
    issue_time: Schema.NonEmptyString,
    currency: Schema.NonEmptyString,
    operation_type: Schema.NullOr(OperationType)
  })
) {}

/**
 * An element found in XML text: its attributes as written, the text between its tags, and the offset after its end tag.
 */
interface Found {
  readonly attributes: string
  readonly content: string
  readonly end: number
}

/*
 * The XML is in the canonical form that Folio writes: an element has one spelling, "<" always begins a tag, and no
 * element contains another element with the same name. A text search therefore finds the same elements as a parser.
 */
const find = (xml: string, name: string, from = 0): Found | undefined => {
  const tag = `<${name}`
  for (let at = xml.indexOf(tag, from); at !== -1; at = xml.indexOf(tag, at + 1)) {
    const next = xml[at + tag.length]
    if (next !== ">" && next !== " ") continue
    const content = xml.indexOf(">", at) + 1
    const end = xml.indexOf(`</${name}>`, content)
    if (end === -1) return undefined
    return {
      attributes: xml.slice(at + tag.length, content - 1),
      content: xml.slice(content, end),
      end: end + name.length + 3
    }
  }
  return undefined
}

/** The elements called `name`, in the order of the document. */
const all = (xml: string, name: string): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  for (let next = find(xml, name); next !== undefined; next = find(xml, name, next.end)) found.push(next)
  return found
}

const inside = (xml: string, name: string): string => find(xml, name)?.content ?? ""

const text = (xml: string, name: string): string | undefined => {
  const found = find(xml, name)
  return found === undefined ? undefined : unescaped(found.content)
}

// A slice would keep its whole source text in memory, and callers keep the number and the code of thousands of
// documents.
const copied = (name: string) => Buffer.from(name).toString()

/** An object with the property `name`, or an empty object when the value is undefined. */
const part = <K extends string>(name: K, value: string | undefined) => (value === undefined ? {} : { [name]: value })

const attributeOf = (found: Found | undefined, name: string): string | undefined => {
  const start = ` ${name}="`
  const at = found?.attributes.indexOf(start) ?? -1
  if (found === undefined || at === -1) return undefined
  const from = at + start.length
  return unescaped(found.attributes.slice(from, found.attributes.indexOf('"', from)))
}

const party = (xml: string) => {
  const registration = inside(xml, "cac:PartyTaxScheme")
  const id = find(registration, "cbc:CompanyID")
  const place = inside(inside(xml, "cac:PhysicalLocation"), "cac:Address")
  const contact = inside(xml, "cac:Contact")
  const [name, legalName] = [text(inside(xml, "cac:PartyName"), "cbc:Name"), text(registration, "cbc:RegistrationName")]
  const level = text(registration, "cbc:TaxLevelCode")
  return {
    identification: {
      type: attributeOf(id, "schemeName"),
      number: unescaped(id?.content ?? ""),
      ...part("check_digit", attributeOf(id, "schemeID"))
    },
    legal_name: legalName,
    ...part("trade_name", name === legalName ? undefined : name),
    ...part("phone", text(contact, "cbc:Telephone")),
    ...part("postal_code", text(place, "cbc:PostalZone")),
    ...(level === undefined ? {} : { tax_responsibilities: level.split(";") }),
    organization_type: text(xml, "cbc:AdditionalAccountID"),
    ...part("email", text(contact, "cbc:ElectronicMail")),
    ...part("address", text(place, "cbc:Line")),
    ...part("city_code", text(place, "cbc:ID")),
    ...part("department_code", text(place, "cbc:CountrySubentityCode")),
    ...part("country_code", text(place, "cbc:IdentificationCode"))
  }
}

const taxScheme = (xml: string) => text(inside(inside(xml, "cac:PartyTaxScheme"), "cac:TaxScheme"), "cbc:ID")

/** ZZ is also written for an acquirer without a stated tax. */
const acquirerOf = (xml: string) => {
  const scheme = taxScheme(xml)
  return { ...party(xml), ...part("tax_scheme", scheme === "ZZ" ? undefined : scheme) }
}

const issuerOf = (xml: string) => {
  const activities = text(xml, "cbc:IndustryClassificationCode")
  return {
    ...party(xml),
    ...part("tax_scheme", taxScheme(xml)),
    vat_responsible: attributeOf(find(xml, "cbc:TaxLevelCode"), "listName") === "48",
    ...(activities === undefined ? {} : { economic_activities: activities.split(";") }),
    ...part("merchant_registration", text(inside(xml, "cac:CorporateRegistrationScheme"), "cbc:Name"))
  }
}

const range = (xml: string) => {
  const control = find(xml, "sts:InvoiceControl")
  return control === undefined
    ? null
    : {
        number: inside(control.content, "sts:InvoiceAuthorization"),
        prefix: text(control.content, "sts:Prefix") ?? "",
        from_number: inside(control.content, "sts:From"),
        to_number: inside(control.content, "sts:To"),
        valid_from: inside(control.content, "cbc:StartDate"),
        valid_to: inside(control.content, "cbc:EndDate")
      }
}

const correction = (xml: string) => {
  const discrepancy = inside(xml, "cac:DiscrepancyResponse")
  const invoice = inside(xml, "cac:InvoiceDocumentReference")
  return {
    code: text(discrepancy, "cbc:ResponseCode"),
    reason: text(discrepancy, "cbc:Description"),
    invoice:
      invoice === ""
        ? null
        : {
            full_number: text(invoice, "cbc:ID"),
            cufe: inside(invoice, "cbc:UUID"),
            issue_date: inside(invoice, "cbc:IssueDate")
          }
  }
}

// A document writes the API's tax 02, the carbon tax, as the authority's 23. By percentage there is no other tax 23.
const taxCode = (id: string, isPerUnit: boolean) => (id === "23" && !isPerUnit ? "02" : id)

const tax = ({ content }: Found) => {
  const category = inside(content, "cac:TaxCategory")
  const units = find(content, "cbc:BaseUnitMeasure")
  const id = taxCode(inside(category, "cbc:ID"), units !== undefined)
  const value = inside(content, "cbc:TaxAmount")
  return units === undefined
    ? { code: id, rate: inside(category, "cbc:Percent"), base: inside(content, "cbc:TaxableAmount"), value }
    : {
        code: id,
        unit_amount: inside(content, "cbc:PerUnitAmount"),
        units: units.content,
        unit_code: attributeOf(units, "unitCode"),
        value
      }
}

/** The taxes of each line of a signed document, in the groups of the line: one for each tax of the authority. */
export const lineTaxes = (signed: Uint8Array, kind: DocumentKind) => {
  const xml = Buffer.from(signed.buffer, signed.byteOffset, signed.byteLength).toString()
  return all(xml, `cac:${elementNames[kind].root}Line`).map((line) =>
    all(line.content, "cac:TaxTotal").map((group) => all(group.content, "cac:TaxSubtotal").map(tax))
  )
}

const amounts = (found: ReadonlyArray<Found>) =>
  found.reduce((total, { content }) => total + cents(inside(content, "cbc:TaxAmount")), 0n)

/** The totals in the XML, in the order of `totalsOf`. The remaining amount is not among them. */
const totals = (head: string) => {
  const groups = all(head, "cac:TaxTotal")
  const withheld = all(head, "cac:WithholdingTaxTotal")
  const sums = inside(head, "cac:LegalMonetaryTotal") || inside(head, "cac:RequestedMonetaryTotal")
  return {
    line_extension_amount: inside(sums, "cbc:LineExtensionAmount"),
    ...part("allowance_total_amount", text(sums, "cbc:AllowanceTotalAmount")),
    ...part("charge_total_amount", text(sums, "cbc:ChargeTotalAmount")),
    tax_amount: decimal(amounts(groups)),
    ...part("payable_rounding_amount", text(sums, "cbc:PayableRoundingAmount")),
    payable_amount: decimal(cents(inside(sums, "cbc:PayableAmount"))),
    ...part("prepaid_amount", text(sums, "cbc:PrepaidAmount")),
    ...(withheld.length === 0 ? {} : { withholding_total_amount: decimal(amounts(withheld)) }),
    taxes: groups.flatMap(({ content }) => all(content, "cac:TaxSubtotal").map(tax))
  }
}

/** An invoice of type 02 is an export. An invoice issued in contingency does not state whether it is one. */
const operationOf = (head: string) => {
  if (inside(head, "cbc:InvoiceTypeCode") === "02") return "11"
  return inside(head, "cbc:CustomizationID") === "09" ? "09" : "10"
}

const decode = Schema.decodeUnknownOption(DocumentContent)

/** Reads the head of a document in the form that Folio writes; null for any other text. Verifies no signature. */
export const documentContent = (xml: string): DocumentContent | null => {
  const kind = DocumentKind.literals.find((name) => xml.startsWith(`<${elementNames[name].root} `))
  if (kind === undefined) return null
  const row = `cac:${elementNames[kind].root}Line`
  const extensions = xml.indexOf("</ext:UBLExtensions>")
  const rows = xml.indexOf(`<${row}>`)
  if (extensions === -1 || rows < extensions) return null
  // The head excludes the lines, which are most of a document, so that an element missing in the head is not found in a
  // line.
  const head = xml.slice(extensions, rows)
  const issuer = inside(head, "cac:AccountingSupplierParty")
  try {
    const content = decode({
      kind,
      in_contingency: inside(head, "cbc:InvoiceTypeCode") === "04",
      full_number: copied(text(head, "cbc:ID") ?? ""),
      prefix: text(inside(issuer, "cac:CorporateRegistrationScheme"), "cbc:ID") ?? "",
      cufe: copied(inside(head, "cbc:UUID")),
      issue_date: inside(head, "cbc:IssueDate"),
      issue_time: inside(head, "cbc:IssueTime"),
      environment: inside(head, "cbc:ProfileExecutionID"),
      currency: inside(head, "cbc:DocumentCurrencyCode"),
      operation_type: kind === "invoice" ? operationOf(head) : null,
      issuer: issuerOf(issuer),
      acquirer: acquirerOf(inside(head, "cac:AccountingCustomerParty")),
      totals: totals(head),
      range: range(xml.slice(0, extensions)),
      correction: kind === "invoice" ? null : correction(head)
    })
    return content._tag === "Some" ? content.value : null
  } catch {
    return null
  }
}
