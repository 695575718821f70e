import { Schema } from "effect"
import type { Tax } from "../../schemas/Line.ts"
import { OperationType } from "../../schemas/Code.ts"
import { cents, decimal } from "../domain/Decimal.ts"
import { taxCodes } from "./AuthorityCodes.ts"
import { FiscalDocument } from "./FiscalDocument.ts"
import { lineNames } from "./UblLines.ts"
import { unescaped } from "./Xml.ts"

/** What a written document says: all of `FiscalDocument` that is in it. Of a note's operation nothing is. */
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

/** An element: its attributes as they are written, what is between its tags, and where its end is. */
interface Found {
  readonly attributes: string
  readonly content: string
  readonly end: number
}

/*
 * The text is of our own canonical form: an element has one spelling, "<" is always a tag, and no element holds another of
 * its own name. So to search is to parse.
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

/** All elements of that name, in their order. */
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

// What is cut out of a text keeps all of it in memory, and who reads documents remembers these of thousands.
const copied = (name: string) => Buffer.from(name).toString()

/** A part of an object, when it is there. */
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

const kinds = [
  ["<Invoice ", "invoice"],
  ["<CreditNote ", "credit_note"],
  ["<DebitNote ", "debit_note"]
] as const

const decode = Schema.decodeUnknownOption(DocumentContent)

/** What a document says that was written as ours are; null when it is none. It looks at no signature. */
export const documentContent = (xml: string): DocumentContent | null => {
  const kind = kinds.find(([start]) => xml.startsWith(start))?.[1]
  if (kind === undefined) return null
  const names = lineNames[kind]
  const extensions = xml.indexOf("</ext:UBLExtensions>")
  const rows = xml.indexOf(`<${names.line}>`)
  if (extensions === -1 || rows < extensions) return null
  // The lines are most of a document, and what a head may lack must not be looked for in them.
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
      lines: all(xml.slice(rows), names.line).map(({ content: row }) => line(row, names.quantity)),
      totals: totals(head),
      range: range(xml.slice(0, extensions)),
      correction: kind === "invoice" ? null : correction(head)
    })
    return content._tag === "Some" ? content.value : null
  } catch {
    return null
  }
}
