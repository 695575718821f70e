import { Schema } from "effect"
import type { Tax } from "../../../schemas/Line.ts"
import { OperationType } from "../../../schemas/Code.ts"
import { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import { cents, decimal } from "../../domain/documents/Decimal.ts"
import { taxCodes } from "../ubl/AuthorityCodes.ts"
import { FiscalDocument } from "../ubl/FiscalDocument.ts"
import { elementNames } from "../ubl/UblProfile.ts"
import { unescaped } from "../ubl/Xml.ts"

/** The content of a document as read from its XML. `operation_type` is null for a note, whose XML does not hold the operation. */
export class DocumentContent extends Schema.Opaque<DocumentContent>()(
  Schema.Struct({
    ...FiscalDocument.fields,
    full_number: Schema.NonEmptyString,
    cufe: Schema.NonEmptyString,
    issue_date: Schema.NonEmptyString,
    issue_time: Schema.NonEmptyString,
    currency: Schema.NonEmptyString,
    operation_type: Schema.NullOr(OperationType)
  })
) {}

/** An element found in XML text: its attributes as written, the text between its tags, and the offset after its end tag. */
interface Found {
  readonly attributes: string
  readonly content: string
  readonly end: number
}

/*
 * The XML is in the canonical form that this service writes: an element has one spelling, "<" always begins a tag, and no element
 * contains another element of the same name. A text search therefore finds the same elements as a parser.
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

/** All elements called `name`, in the order of the document. */
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

// A slice keeps the whole text that it was cut from in memory, and callers keep the number and the code of thousands of documents.
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
  return {
    identification: {
      type: attributeOf(id, "schemeName"),
      number: unescaped(id?.content ?? ""),
      ...part("check_digit", attributeOf(id, "schemeID"))
    },
    legal_name: text(registration, "cbc:RegistrationName"),
    organization_type: text(xml, "cbc:AdditionalAccountID"),
    ...part("email", text(inside(xml, "cac:Contact"), "cbc:ElectronicMail")),
    ...part("address", text(place, "cbc:Line")),
    ...part("city_code", text(place, "cbc:ID")),
    ...part("department_code", text(place, "cbc:CountrySubentityCode")),
    ...part("country_code", text(place, "cbc:IdentificationCode"))
  }
}

const tax = ({ content }: Found) => {
  const category = inside(content, "cac:TaxCategory")
  return {
    code: taxCodes.get(inside(category, "cbc:ID")),
    rate: inside(category, "cbc:Percent"),
    base: inside(content, "cbc:TaxableAmount"),
    value: inside(content, "cbc:TaxAmount")
  }
}

const noTax: Tax = { code: "ZZ", rate: "0.00", base: "0.00", value: "0.00" }

const line = (xml: string, quantityName: string) => {
  const quantity = find(xml, quantityName)
  const taxes = all(xml, "cac:TaxSubtotal").map(tax)
  return {
    description: text(xml, "cbc:Description"),
    quantity: quantity?.content,
    unit_code: attributeOf(quantity, "unitCode"),
    unit_price: inside(xml, "cbc:PriceAmount"),
    line_extension_amount: inside(xml, "cbc:LineExtensionAmount"),
    taxes: taxes.length === 0 ? [noTax] : taxes
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
    invoice: {
      full_number: text(invoice, "cbc:ID"),
      cufe: inside(invoice, "cbc:UUID"),
      issue_date: inside(invoice, "cbc:IssueDate")
    }
  }
}

const operationOf = (head: string) =>
  head.includes("<cac:DeliveryTerms>") ? "11" : inside(head, "cbc:CustomizationID")

const totals = (head: string) => {
  const groups = all(head, "cac:TaxTotal")
  return {
    line_extension_amount: inside(head, "cbc:LineExtensionAmount"),
    tax_amount: decimal(groups.reduce((sum, { content }) => sum + cents(inside(content, "cbc:TaxAmount")), 0n)),
    payable_amount: inside(head, "cbc:PayableAmount"),
    taxes: groups.flatMap(({ content }) => all(content, "cac:TaxSubtotal").map(tax))
  }
}

const decode = Schema.decodeUnknownOption(DocumentContent)

/** Reads the content of a document in the form that this service writes; null for any other text. Verifies no signature. */
export const documentContent = (xml: string): DocumentContent | null => {
  const kind = DocumentKind.literals.find((name) => xml.startsWith(`<${elementNames[name].root} `))
  if (kind === undefined) return null
  const { quantity, root } = elementNames[kind]
  const row = `cac:${root}Line`
  const extensions = xml.indexOf("</ext:UBLExtensions>")
  const rows = xml.indexOf(`<${row}>`)
  if (extensions === -1 || rows < extensions) return null
  // The head excludes the lines, which are most of a document, so that an element that the head lacks is not found in a line.
  const head = xml.slice(extensions, rows)
  const issuer = inside(head, "cac:AccountingSupplierParty")
  const payment = inside(head, "cac:PaymentMeans")
  const rate = find(head, "cac:PaymentExchangeRate")
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
      exchange_rate: rate === undefined ? null : inside(rate.content, "cbc:CalculationRate"),
      operation_type: kind === "invoice" ? operationOf(head) : null,
      issuer: { ...party(issuer), tax_responsibilities: text(issuer, "cbc:TaxLevelCode")?.split(";") },
      acquirer: party(inside(head, "cac:AccountingCustomerParty")),
      payment_means: {
        type: inside(payment, "cbc:ID"),
        code: inside(payment, "cbc:PaymentMeansCode"),
        ...part("due_date", text(payment, "cbc:PaymentDueDate"))
      },
      lines: all(xml.slice(rows), row).map((found) => line(found.content, quantity)),
      totals: totals(head),
      range: range(xml.slice(0, extensions)),
      correction: kind === "invoice" ? null : correction(head)
    })
    return content._tag === "Some" ? content.value : null
  } catch {
    return null
  }
}
