import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { signDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { certificate, sale, software } from "../Documents.ts"
import { it } from "../../support/Tests.ts"
import { fullDocuments } from "./FullDocuments.ts"
import { textsAt } from "./TextsAt.ts"

const full = "sale with everything"
const mandate = "sale on behalf of a principal"
const contract = "contract with the object on one line"
const credit = "credit note with everything"
const debit = "debit note with everything"
const line = (number: number, rest: string, root = "Invoice") => `/*/cac:${root}Line[${number}]/${rest}`
const total = (rest: string, name = "Legal") => `/*/cac:${name}MonetaryTotal/cbc:${rest}`
const allowance = (rest: string) => `/*/cac:AllowanceCharge/cbc:${rest}`
const standard = "cac:Item/cac:StandardItemIdentification/cbc:ID"
const withheld = "/*/cac:WithholdingTaxTotal"
const category = "cac:TaxSubtotal/cac:TaxCategory"
const principal = "cac:Item/cac:InformationContentProviderParty/cac:PowerOfAttorney/cac:AgentParty"

/** The texts of documents with optional parts at their paths, from the facts of the field. */
const facts: ReadonlyArray<readonly [example: string, path: string, ...texts: ReadonlyArray<string>]> = [
  [full, "/*/cbc:Note", "Gracias por su compra", "Segunda <nota>"],
  [full, "/*/cac:InvoicePeriod/*", "2026-11-01", "2026-11-30"],
  [full, "/*/cac:OrderReference/*", "OC-7781", "2026-11-02"],
  [full, "/*/cac:DespatchDocumentReference/*", "REM-12"],
  [full, "/*/cac:Delivery/cbc:ActualDeliveryDate", "2026-11-25"],
  [full, "/*/cac:Delivery/cac:DeliveryAddress/cbc:CityName", "Medellín"],
  [full, "/*/cac:Delivery/cac:DeliveryAddress/cbc:CountrySubentityCode", "05"],
  [full, "//cac:DeliveryTerms"],
  [full, "/*/cac:PaymentMeans/cbc:PaymentMeansCode", "48", "ZZZ", "72"],
  [full, "/*/cac:PaymentMeans/cbc:PaymentID", "PAGO-1001", "B-1"],
  [full, "/*/cac:PaymentTerms/*", "2", "2026-12-21", "2", "2027-01-21"],
  [full, "/*/cac:PrepaidPayment/cbc:ID", "RC-17", "2"],
  [full, "/*/cac:PrepaidPayment/cbc:PaidAmount", "20000.00", "100.00"],
  [full, "/*/cac:PrepaidPayment/cbc:ReceivedDate", "2026-11-01", "2026-11-02"],
  [full, allowance("ID"), "1", "2", "3"],
  [full, allowance("ChargeIndicator"), "false", "false", "true"],
  [full, allowance("AllowanceChargeReasonCode"), "01", "00"],
  [full, allowance("MultiplierFactorNumeric"), "1.00", "0.34", "2.36"],
  [full, allowance("Amount"), "2970.00", "1000.00", "7000.00"],
  [full, allowance("BaseAmount"), "297000.00", "297000.00", "297000.00"],
  [full, `/*/cac:TaxTotal/${category}/cac:TaxScheme/cbc:ID`, "01", "01", "01", "23", "22"],
  [full, "/*/cac:TaxTotal[2]/cac:TaxSubtotal/cbc:*", "52.42", "2.00", "26.2101"],
  [full, "/*/cac:TaxTotal[2]/cac:TaxSubtotal/cbc:BaseUnitMeasure/@unitCode", "GLL"],
  [full, `/*/cac:TaxTotal[3]/${category}/cbc:Percent`],
  [full, `${withheld}/cbc:TaxAmount`, "2511.00", "3124.50", "966.00"],
  [full, `${withheld}/${category}/cac:TaxScheme/cbc:ID`, "06", "06", "05", "07"],
  [full, `${withheld}/${category}/cbc:Percent`, "2.50", "11.00", "15.00", "0.966"],
  [full, total("LineExtensionAmount"), "297000.00"],
  [full, total("TaxExclusiveAmount"), "117000.00"],
  [full, total("TaxInclusiveAmount"), "318022.42"],
  [full, total("AllowanceTotalAmount"), "3970.00"],
  [full, total("ChargeTotalAmount"), "7000.00"],
  [full, total("PrepaidAmount"), "20100.00"],
  [full, total("PayableRoundingAmount"), "-0.42"],
  [full, total("PayableAmount"), "321052.00"],
  [full, line(1, "cbc:ID/@schemeID")],
  [full, line(1, "cbc:Note"), "Garantía de un año", "<sin más>"],
  [full, line(1, "cbc:InvoicedQuantity"), "0.333333"],
  [full, line(1, "cac:InvoicePeriod/*"), "2026-11-01", "2026-11-30"],
  [full, line(1, "cac:AllowanceCharge[1]/*"), "1", "false", "Promoción & más", "10.00", "10000.00", "100000.00"],
  [full, line(1, "cac:AllowanceCharge[2]/*"), "2", "true", "Empaque", "5.00", "5000.06", "100000.00"],
  [full, line(1, "cac:Item/cbc:*"), 'Consultoría "ñandú" 😀', "Andina", "A-100"],
  [full, line(1, standard), "10101501"],
  [full, line(1, `${standard}/@*`), "10", "001", "UNSPSC"],
  [full, line(1, "cac:Item/cac:SellersItemIdentification")],
  [full, line(1, "cac:Price/*"), "300000.123456", "0.333333"],
  [full, line(2, "cac:Item/cac:SellersItemIdentification/cbc:ID"), "BOL-1"],
  [full, line(2, `${standard}/@*`), "999", "Estándar de adopción del contribuyente"],
  [full, line(2, "cac:TaxTotal[2]/cac:TaxSubtotal/cbc:*"), "140.00", "2.00", "70.00"],
  [full, line(2, `cac:TaxTotal/${category}/cac:TaxScheme/cbc:Name`), "IVA", "Bolsas", "INCarbono"],
  [full, line(2, "cac:PricingReference")],
  [full, line(3, "cbc:FreeOfChargeIndicator"), "true"],
  [full, line(3, `${standard}/@*`), "9", "010", "GTIN"],
  [full, line(3, "cac:PricingReference/cac:AlternativeConditionPrice/*"), "5000.00", "01"],
  [full, line(4, "cbc:Note"), "Base gravable especial: artículo 447 del Estatuto Tributario"],
  [full, line(4, `${standard}/@*`), "195", "020", "Partida Arancelaria"],
  [full, line(5, "cac:PricingReference/cac:AlternativeConditionPrice/*"), "50000.00", "01"],
  [full, line(5, "cbc:FreeOfChargeIndicator")],
  [full, line(6, "cac:TaxTotal")],
  ["export with everything", "/*/cac:DeliveryTerms/*", "1", "FOB"],
  ["export with everything", "/*/cac:Delivery/cac:DeliveryAddress/cac:Country/cbc:IdentificationCode", "US"],
  ["export with everything", "/*/cbc:CustomizationID", "10"],
  [mandate, "/*/cbc:CustomizationID", "11"],
  [mandate, "/*/cbc:InvoiceTypeCode", "01"],
  [mandate, "/*/cac:InvoiceLine/cbc:ID/@schemeID", "0", "1"],
  [mandate, line(2, `${principal}/cac:PartyIdentification/cbc:ID`), "800197268"],
  [mandate, line(2, `${principal}/cac:PartyIdentification/cbc:ID/@schemeID`), "4"],
  [mandate, line(2, `${principal}/cac:PartyName/cbc:Name`), "Productor Andino S.A.S."],
  [contract, line(1, "cbc:Note")],
  [
    contract,
    line(2, "cbc:Note"),
    "Contrato de servicios AIU por concepto de: Aseo y cafetería en las oficinas de Bogotá"
  ],
  [credit, withheld],
  [credit, total("PrepaidAmount")],
  [credit, total("PayableAmount"), "321052.00"],
  [credit, allowance("Amount"), "2970.00", "1000.00", "7000.00"],
  [credit, line(3, "cbc:FreeOfChargeIndicator", "CreditNote"), "true"],
  ["credit note on behalf of a principal", "/*/cbc:CustomizationID", "20"],
  ["credit note on behalf of a principal", "/*/cac:CreditNoteLine/cbc:ID/@schemeID"],
  [debit, "/*/cbc:Note", "Gracias por su compra", "Segunda <nota>"],
  [debit, total("PayableAmount", "Requested"), "321052.00"],
  [debit, line(3, "cac:PricingReference/cac:AlternativeConditionPrice/*", "DebitNote"), "5000.00", "01"],
  ["credit note without an invoice", "/*/cbc:CustomizationID", "22"],
  ["credit note without an invoice", "/*/cac:InvoicePeriod/*", "2026-11-01", "2026-11-30"],
  ["credit note without an invoice", "/*/cac:DiscrepancyResponse/*", "3", "Anulación de factura electrónica"],
  ["credit note without an invoice", "/*/cac:BillingReference"],
  ["debit note without an invoice", "/*/cbc:CustomizationID", "32"],
  ["debit note without an invoice", "/*/cac:BillingReference"],
  ["credit note with the rate of its invoice", "//cac:PaymentExchangeRate/cbc:Date", "2026-11-20"]
]

describe("A document with optional parts", () => {
  it.effect.each(facts)("has the right text in %s: %s", function* ([example, path, ...texts]) {
    const xml = Buffer.from(yield* signDocument(fullDocuments[example]!, software, yield* same)).toString()
    assert.deepStrictEqual(textsAt(xml, path), texts)
  })

  it.effect.each([
    ["10", "10"],
    ["47", "48"],
    ["48", "49"],
    ["49", "72"],
    ["71", "ZZZ"],
    ["72", "72"],
    ["ZZZ", "ZZZ"]
  ] as const)("writes the payment means %s as the authority's %s", function* ([code, written]) {
    const document = { ...sale, payment_means: { code, type: "1" } as const }
    const xml = Buffer.from(yield* signDocument(document, software, yield* same)).toString()
    assert.deepStrictEqual(textsAt(xml, "/*/cac:PaymentMeans/cbc:PaymentMeansCode"), [written])
  })
})

const same = Effect.runSync(Effect.cached(certificate))
