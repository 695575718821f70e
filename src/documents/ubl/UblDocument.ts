import { customization, documentTypeCode, paymentCode, isMandate, itemStandards } from "./AuthorityCodes.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import type { Software } from "./UblSoftware.ts"
import { monetaryTotal, taxTotals, withholdingTotals, amount, lineExtension, price } from "./UblAmounts.ts"
import { authorityExtension, type Unsigned, unsigned } from "./UblExtensions.ts"
import { codeScheme, identity, uuid } from "./UblIdentity.ts"
import { parties, companyId } from "./UblParties.ts"
import { elementNames } from "./UblProfile.ts"
import { delivery, references, invoicePeriod } from "./UblReferences.ts"
import { leaf, optional, element, attribute } from "./Xml.ts"
import type { PaymentMeans, DocumentAllowance, Prepayment } from "../../../schemas/DocumentDetails.ts"
import { peso } from "../rules/Currencies.ts"
import type { Item, Line, Principal, Tax } from "../../../schemas/Line.ts"
import { cents, millionths, percentageOf } from "../rules/Decimal.ts"

/** The type of a document, and the due date of an invoice. UBL has no element for the type of a debit note. */
const typed = (document: FiscalDocument): string => {
  if (document.kind === "debit_note") return ""
  const code = documentTypeCode(document)
  if (document.kind === "credit_note") return leaf("cbc:CreditNoteTypeCode", code)
  return optional("cbc:DueDate", document.payment_means.due_date) + leaf("cbc:InvoiceTypeCode", code)
}

/**
 * The payment of a document, and its discounts and charges as a whole. UBL has another order for each kind of document.
 */
const settlement = (document: FiscalDocument): string => {
  const { allowance_charges, currency, kind } = document
  const allowances = documentAllowances(allowance_charges, currency)
  const prepaid = prepayments(document.prepayments, currency)
  switch (kind) {
    case "invoice":
      return paymentMeans(document) + prepaid + allowances + exchange(document)
    case "credit_note":
      return paymentMeans(document) + exchange(document) + allowances
    case "debit_note":
      return prepaid + allowances + paymentMeans(document) + exchange(document)
  }
}

/**
 * An invoice (01, 02 export, 04 contingency) or a note. Throws for a note without a reason, because the authority
 * accepts none.
 */
export const unsignedDocument = (document: FiscalDocument, software: Software): Unsigned => {
  const { cufe, currency, environment, kind, notes = [], totals } = document
  const { root, total } = elementNames[kind]
  return unsigned(
    root,
    authorityExtension(document, software),
    identity(root, customization(document), document, uuid(cufe, environment, codeScheme(kind))),
    typed(document),
    ...notes.map((note) => leaf("cbc:Note", note)),
    leaf("cbc:DocumentCurrencyCode", currency),
    leaf("cbc:LineCountNumeric", String(document.lines.length)),
    references(document),
    parties(document),
    delivery(document),
    settlement(document),
    taxTotals(totals.taxes, currency),
    kind === "invoice" ? withholdingTotals(document.withholdings, currency) : "",
    monetaryTotal(total, document),
    lines(document)
  )
}

const due = ({ due_date }: PaymentMeans): string => optional("cbc:PaymentDueDate", due_date)

const means = (payment: PaymentMeans): string =>
  element(
    "cac:PaymentMeans",
    leaf("cbc:ID", payment.type),
    leaf("cbc:PaymentMeansCode", paymentCode(payment.code)),
    due(payment),
    optional("cbc:PaymentID", payment.reference)
  )

const terms = (payment: PaymentMeans): string =>
  payment.due_date === undefined
    ? ""
    : element("cac:PaymentTerms", leaf("cbc:PaymentMeansID", payment.type), due(payment))

/** The means of payment of a document, followed by the terms of the means with a due date. */
const paymentMeans = ({ other_payment_means = [], payment_means }: FiscalDocument): string => {
  const all = [payment_means, ...other_payment_means]
  return all.map(means).join("") + all.map(terms).join("")
}

/** The exchange rate of a document in a foreign currency to pesos; an empty string for a document in pesos. */
const exchange = ({ currency, exchange_rate, exchange_rate_date, issue_date }: FiscalDocument): string =>
  exchange_rate === null
    ? ""
    : element(
        "cac:PaymentExchangeRate",
        leaf("cbc:SourceCurrencyCode", currency),
        leaf("cbc:SourceCurrencyBaseRate", "1.00"),
        leaf("cbc:TargetCurrencyCode", peso),
        leaf("cbc:TargetCurrencyBaseRate", "1.00"),
        leaf("cbc:CalculationRate", exchange_rate),
        leaf("cbc:Date", exchange_rate_date ?? issue_date)
      )

/** The ID of an item in a list, with the attributes in the order of canonical XML. */
const listedId = (code: string, scheme: Item["scheme"]): string => {
  const { agency, name } = itemStandards[scheme]
  const keeper = agency === undefined ? "" : attribute("schemeAgencyID", agency)
  return leaf("cbc:ID", code, keeper + attribute("schemeID", scheme) + attribute("schemeName", name))
}

/**
 * The item of a line. An item outside all lists has the line's number as its code, in the issuer's own scheme (999).
 */
const itemCodes = (item: Item | undefined, number: string): string => {
  const { code, scheme } = item ?? { code: number, scheme: "999" }
  return (
    (item?.scheme === "999" ? element("cac:SellersItemIdentification", leaf("cbc:ID", code)) : "") +
    element("cac:StandardItemIdentification", listedId(code, scheme))
  )
}

/** The principal of a line, as the authority's group for mandates. */
const onBehalfOf = ({ identification, legal_name }: Principal): string =>
  element(
    "cac:InformationContentProviderParty",
    element(
      "cac:PowerOfAttorney",
      element(
        "cac:AgentParty",
        element("cac:PartyIdentification", companyId("cbc:ID", identification)),
        element("cac:PartyName", leaf("cbc:Name", legal_name))
      )
    )
  )

const contract = "Contrato de servicios AIU por concepto de: "

/** The facts, in addition to a line itself, that its XML depends on. */
interface Sale {
  readonly currency: string
  /** Whether each line must state if it is sold on behalf of a principal, as in an invoice with mandates. */
  readonly isMandate: boolean
  /**
   * The lines that name the object of an AIU contract: the `named` one, `all` if none names it, `none` without a
   * contract.
   */
  readonly contract: "named" | "all" | "none"
}

const saleOf = (document: FiscalDocument): Sale => {
  const { currency, kind, lines, operation_type } = document
  const isNamed = lines.some(({ aiu_contract }) => aiu_contract !== undefined)
  return {
    currency,
    isMandate: kind === "invoice" && isMandate(document),
    contract: operation_type !== "09" ? "none" : isNamed ? "named" : "all"
  }
}

/**
 * The object of an AIU contract (operation 09). The authority requires it in the line of the administration. If no line
 * names the object, the description of each line replaces it.
 */
const contractNote = (sale: Sale, line: Line): string => {
  if (sale.contract === "none") return ""
  const object = sale.contract === "named" ? line.aiu_contract : line.description
  return object === undefined ? "" : leaf("cbc:Note", contract + object)
}

const notes = ({ notes: some = [], special_base }: Line): string =>
  optional("cbc:Note", special_base) + some.map((note) => leaf("cbc:Note", note)).join("")

const commercial = "01"

/**
 * The reference price of a line without an amount. For a free item, it is the price in the request. For a line whose
 * discounts leave nothing, it is the price before the discounts.
 */
const referencePrice = (line: Line, currency: string): string => {
  const { line_extension_amount, reference_price, unit_price } = line
  const isEmpty = line_extension_amount === "0.00" && millionths(unit_price) !== 0n
  const { amount: value, type } = reference_price ?? (isEmpty ? { amount: unit_price, type: commercial } : {})
  if (value === undefined || type === undefined) return ""
  const content = amount("cbc:PriceAmount", value, currency) + leaf("cbc:PriceTypeCode", type)
  return element("cac:PricingReference", element("cac:AlternativeConditionPrice", content))
}

/** Whether a line is sold on behalf of a principal (1) or for the issuer (0), as an attribute of its ID. */
const forWhom = (sale: Sale, { principal }: Line): string =>
  sale.isMandate ? attribute("schemeID", principal === undefined ? "0" : "1") : ""

const item = (line: Line, number: string): string =>
  element(
    "cac:Item",
    leaf("cbc:Description", line.description),
    optional("cbc:BrandName", line.item?.brand),
    optional("cbc:ModelName", line.item?.model),
    itemCodes(line.item, number),
    line.principal === undefined ? "" : onBehalfOf(line.principal)
  )

// The authority uses the base of the line's first tax. A tax per unit has no base.
const byBase = ({ base: a = "0.00" }: Tax, { base: b = "0.00" }: Tax): number =>
  cents(a) === cents(b) ? 0 : cents(a) < cents(b) ? 1 : -1

/** The lines of a document, numbered from 1. */
const lines = (document: FiscalDocument): string => {
  const { currency, kind, lines: content } = document
  const { quantity, root } = elementNames[kind]
  const sale = saleOf(document)
  const xml = content.map((line, index) => {
    const number = String(index + 1)
    const taxes = taxTotals(line.taxes.toSorted(byBase), currency)
    const allowances = lineAllowances(line.allowance_charges, currency)
    return element(
      `cac:${root}Line`,
      leaf("cbc:ID", number, forWhom(sale, line)),
      contractNote(sale, line),
      notes(line),
      leaf(quantity, line.quantity, attribute("unitCode", line.unit_code)),
      lineExtension(line.line_extension_amount, currency),
      // In UBL, a line of a debit note has neither of the two.
      kind === "debit_note"
        ? ""
        : (line.reference_price === undefined ? "" : leaf("cbc:FreeOfChargeIndicator", "true")) +
            invoicePeriod(line.period),
      referencePrice(line, currency),
      kind === "invoice" ? allowances + taxes : taxes + allowances,
      item(line, number),
      price(line, currency)
    )
  })
  return xml.join("")
}

type Allowance = Omit<DocumentAllowance, "code"> & Pick<DocumentAllowance, "code">

const allowance = ({ base, percent, reason, type, ...rest }: Allowance, code: string, id: string, currency: string) =>
  element(
    "cac:AllowanceCharge",
    leaf("cbc:ID", id),
    leaf("cbc:ChargeIndicator", String(type === "charge")),
    optional("cbc:AllowanceChargeReasonCode", code),
    leaf("cbc:AllowanceChargeReason", reason),
    // The authority also requires the percentage of an amount, and rejects a base of zero.
    leaf("cbc:MultiplierFactorNumeric", percent ?? percentageOf(rest.amount, base)),
    amount("cbc:Amount", rest.amount, currency),
    amount("cbc:BaseAmount", base, currency)
  )

/** The discounts and charges of a line, numbered from 1. */
const lineAllowances = (allowances: ReadonlyArray<Allowance> = [], currency: string): string =>
  allowances.map((one, index) => allowance(one, "", String(index + 1), currency)).join("")

const unconditional = "00"

/** The discounts and charges of a whole document, numbered from 1. A discount without a code is unconditional. */
const documentAllowances = (allowances: ReadonlyArray<Allowance> = [], currency: string): string =>
  allowances
    .map((one, index) => {
      const code = one.type === "discount" ? (one.code ?? unconditional) : ""
      return allowance(one, code, String(index + 1), currency)
    })
    .join("")

/** The payments received before a document was issued. A payment without a reference has its position as ID. */
const prepayments = (payments: ReadonlyArray<Prepayment> = [], currency: string): string =>
  payments
    .map((payment, index) =>
      element(
        "cac:PrepaidPayment",
        leaf("cbc:ID", payment.id ?? String(index + 1)),
        amount("cbc:PaidAmount", payment.amount, currency),
        leaf("cbc:ReceivedDate", payment.received_date)
      )
    )
    .join("")
