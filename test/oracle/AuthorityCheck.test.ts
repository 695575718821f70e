import { assert, describe, test } from "@effect/vitest"
import { Effect } from "effect"
import { brokenRules } from "./AuthorityCheck.ts"
import { signDocument } from "../../src/documents/signature/SignedDocument.ts"
import type { FiscalDocument } from "../../src/documents/ubl/FiscalDocument.ts"
import { sandboxSoftware } from "../../src/documents/ubl/UblSoftware.ts"
import ruleTexts from "../../src/invoices/authority/ruleTexts.json" with { type: "json" }
import { certificate, examples, ofLength, sale } from "../documents/Documents.ts"
import { coded, fullDocuments } from "../documents/ubl/FullDocuments.ts"
import { it } from "../support/Tests.ts"

const { "without prefix": withoutPrefix, ...others } = examples
const all: Readonly<Record<string, FiscalDocument>> = {
  ...others,
  ...fullDocuments,
  "without prefix": { ...withoutPrefix!, full_number: "990000007" }
}

const same = Effect.runSync(Effect.cached(certificate))
const xmlOf = Effect.fnUntraced(function* (document: FiscalDocument) {
  return Buffer.from(yield* signDocument(coded(document), sandboxSoftware, yield* same)).toString()
})

const rulesOf = (xml: string) => brokenRules(Buffer.from(xml)).map(({ rule }) => rule)

type Break = readonly [rule: string, example: string, from: string | RegExp, to: string]

const [full, credit, debit, foreign] = [
  "sale with everything",
  "credit note with everything",
  "debit note with everything",
  "in dollars"
]
const mandate = "sale on behalf of a principal"
const none = ""

/** A change for each rule, to a document that breaks none. */
const breaks: ReadonlyArray<Break> = [
  ["ZB01", full, ">321052.00<", ">321052,00<"],
  ["VLR01", full, ">2970.00<", ">-2970.00<"],
  ["FAB03", full, /<sts:DianExtensions>.*<\/sts:DianExtensions>/, none],
  ["FAB07a", full, ">2019-01-19<", ">2027-01-19<"],
  ["FAB08a", full, ">2030-01-19<", ">2026-01-19<"],
  ["FAB10a", full, "<cbc:ID>SETP</cbc:ID>", "<cbc:ID>SET</cbc:ID>"],
  ["FAB11a", full, ">990000000<", "><"],
  ["FAB12a", full, ">995000000<", "><"],
  [
    "FAB22b",
    full,
    'schemeID="3" schemeName="31">900373115</sts:ProviderID',
    'schemeID="4" schemeName="31">900373115</sts:ProviderID'
  ],
  ["FAB27b", full, /(<sts:SoftwareSecurityCode[^>]*>)./, "$1x"],
  ["FAB31", full, "800197268</sts:AuthorizationProviderID", "800197269</sts:AuthorizationProviderID"],
  ["FAB36", full, /<sts:QRCode>[^<]*/, "<sts:QRCode>"],
  ["FAC03", full, /<ds:Signature .*<\/ds:Signature>/s, "<ds:Other></ds:Other>"],
  ["FAD01", full, ">UBL 2.1<", ">UBL 2.0<"],
  ["FAD02", full, "<cbc:CustomizationID>10<", "<cbc:CustomizationID>20<"],
  ["CAD02", credit, "<cbc:CustomizationID>20<", "<cbc:CustomizationID>10<"],
  ["FAD03", full, ">DIAN 2.1: Factura", ">DIAN 2.1: Nota"],
  ["FAD04", full, "<cbc:ProfileExecutionID>2<", "<cbc:ProfileExecutionID>3<"],
  ["FAD05a", full, "<cbc:ID>SETP990000001<", "<cbc:ID>SETP-990000001<"],
  ["FAD05b", full, "<cbc:ID>SETP990000001<", "<cbc:ID>SETP1<"],
  ["FAD05c", full, "<cbc:ID>SETP990000001<", "<cbc:ID>SETP999000001<"],
  ["FAD06", full, "<cbc:IssueTime>10:00:00", "<cbc:IssueTime>10:00:01"],
  ["CAD06", credit, "<cbc:IssueTime>10:00:00", "<cbc:IssueTime>10:00:01"],
  ["DAD06", debit, "<cbc:IssueTime>10:00:00", "<cbc:IssueTime>10:00:01"],
  ["FAD07", full, '<cbc:UUID schemeID="2"', '<cbc:UUID schemeID="1"'],
  ["CAD08", credit, 'schemeName="CUDE-SHA384"', 'schemeName="CUFE-SHA384"'],
  ["FAD09e", full, "<xades:SigningTime>2026-11-21", "<xades:SigningTime>2026-11-22"],
  ["FAD12a", full, "<cbc:InvoiceTypeCode>01<", "<cbc:InvoiceTypeCode>05<"],
  ["FAD15a", full, "<cbc:DocumentCurrencyCode>COP<", "<cbc:DocumentCurrencyCode>XXY<"],
  ["FAD15b", full, '<cbc:PaidAmount currencyID="COP"', '<cbc:PaidAmount currencyID="USD"'],
  ["FAD16", full, "<cbc:LineCountNumeric>6<", "<cbc:LineCountNumeric>5<"],
  ["FAI01", full, "<cbc:InvoiceTypeCode>01<", "<cbc:InvoiceTypeCode>03<"],
  ["FAJ01", full, /<cac:AccountingSupplierParty>.*<\/cac:AccountingSupplierParty>/, none],
  ["FAJ02b", full, /<cbc:AdditionalAccountID>1</, "<cbc:AdditionalAccountID>3<"],
  ["FAJ20", full, "<cbc:RegistrationName>Emisor S.A.S.<", "<cbc:RegistrationName><"],
  [
    "FAJ24a",
    full,
    ' schemeID="3" schemeName="31">900373115</cbc:CompanyID',
    ' schemeName="31">900373115</cbc:CompanyID'
  ],
  [
    "FAJ24b",
    full,
    'schemeID="3" schemeName="31">900373115</cbc:CompanyID',
    'schemeID="4" schemeName="31">900373115</cbc:CompanyID'
  ],
  ["FAJ26", full, ">R-99-PN<", ">O-99<"],
  ["FAJ39", full, /<cac:TaxScheme>.*?<\/cac:TaxScheme><\/cac:PartyTaxScheme>/, "</cac:PartyTaxScheme>"],
  ["FAK01", full, /<cac:AccountingCustomerParty>.*<\/cac:AccountingCustomerParty>/, none],
  ["FAK02", full, "<cbc:AdditionalAccountID>2<", "<cbc:AdditionalAccountID>0<"],
  ["FAK19", full, /(<cac:AccountingCustomerParty>.*)<cac:PartyTaxScheme>.*<\/cac:PartyTaxScheme>/, "$1"],
  ["FAK20", full, "<cbc:RegistrationName>Ana Muñoz<", "<cbc:RegistrationName><"],
  ["FAK21", full, ">1018999999</cbc:CompanyID>", "></cbc:CompanyID>"],
  ["FAK24", full, 'schemeName="13">1018999999</cbc:CompanyID>', 'schemeName="31">1018999999</cbc:CompanyID>'],
  [
    "FAK25",
    full,
    'schemeName="13">1018999999</cbc:CompanyID>',
    'schemeID="0" schemeName="31">1018999999</cbc:CompanyID>'
  ],
  ["FAK48", full, 'schemeName="13">1018999999</cbc:CompanyID>', 'schemeName="14">1018999999</cbc:CompanyID>'],
  ["FAK61", full, /(<cac:AccountingCustomerParty>.*?)<cac:PartyIdentification>.*?<\/cac:PartyIdentification>/, "$1"],
  ["FAK62", full, /(<cac:AccountingCustomerParty>.*?<cac:PartyIdentification><cbc:ID[^>]*>)[^<]*/, "$1"],
  ["FAN01", "sale", /<cac:PaymentMeans>.*<\/cac:PaymentMeans>/, none],
  ["FAN02", "sale", "<cac:PaymentMeans><cbc:ID>1<", "<cac:PaymentMeans><cbc:ID>3<"],
  ["FAN03", "sale", "<cbc:PaymentMeansCode>10<", "<cbc:PaymentMeansCode>73<"],
  ["FAN04", full, "<cbc:PaymentDueDate>2026-12-21</cbc:PaymentDueDate><cbc:PaymentID>", "<cbc:PaymentID>"],
  ["FAR01", foreign, /<cac:PaymentExchangeRate>.*<\/cac:PaymentExchangeRate>/, none],
  ["FAR02", foreign, "<cbc:SourceCurrencyCode>USD<", "<cbc:SourceCurrencyCode>EUR<"],
  ["FAR03", foreign, "<cbc:SourceCurrencyBaseRate>1.00<", "<cbc:SourceCurrencyBaseRate>2.00<"],
  ["FAR04", foreign, "<cbc:TargetCurrencyCode>COP<", "<cbc:TargetCurrencyCode>USD<"],
  ["FAR05", foreign, "<cbc:TargetCurrencyBaseRate>1.00<", "<cbc:TargetCurrencyBaseRate>2.00<"],
  ["FAR06", foreign, /<cbc:CalculationRate>.*<\/cbc:CalculationRate>/, none],
  ["FAQ02", full, "<cac:AllowanceCharge><cbc:ID>2<", "<cac:AllowanceCharge><cbc:ID>3<"],
  ["FAQ03", full, "<cbc:ChargeIndicator>true<", "<cbc:ChargeIndicator>yes<"],
  ["FAQ04", full, "<cbc:AllowanceChargeReasonCode>01<", "<cbc:AllowanceChargeReasonCode>02<"],
  ["FAQ06", full, "<cbc:MultiplierFactorNumeric>1.00<", "<cbc:MultiplierFactorNumeric>101.00<"],
  ["FAQ07", full, '<cbc:BaseAmount currencyID="COP">297000.00<', '<cbc:BaseAmount currencyID="COP">2000.00<'],
  ["FAQ06", full, "<cbc:MultiplierFactorNumeric>1.00</cbc:MultiplierFactorNumeric>", none],
  ["FAQ08", full, '<cbc:BaseAmount currencyID="COP">297000.00<', '<cbc:BaseAmount currencyID="COP">0.00<'],
  ["FBE01", full, "<cbc:MultiplierFactorNumeric>10.00</cbc:MultiplierFactorNumeric>", none],
  ["CBE01", credit, "<cbc:MultiplierFactorNumeric>10.00</cbc:MultiplierFactorNumeric>", none],
  ["FBE08", full, "<cbc:MultiplierFactorNumeric>10.00<", "<cbc:MultiplierFactorNumeric>100.01<"],
  ["FBE08", full, /(<cac:InvoiceLine>.*?<cbc:BaseAmount currencyID="COP">)100000.00</, "$10.00<"],
  ["FBE08", full, /(<cac:InvoiceLine>.*?<cbc:BaseAmount currencyID="COP">)100000.00</, "$19999.99<"],
  ["FAS01a", full, /<cac:TaxTotal>.*?<\/cac:TaxTotal>/, none],
  ["FAS01b", full, /(<cac:TaxTotal>.*?<\/cac:TaxTotal>)/, "$1$1"],
  ["FAS02", full, /(<cac:TaxTotal><cbc:TaxAmount currencyID="COP">)20830.00/, "$120930.00"],
  ["FAS04", full, "<cbc:Percent>5.00<", "<cbc:Percent>16.00<"],
  ["FAS05", full, /<cbc:TaxableAmount[^>]*>[^<]*<\/cbc:TaxableAmount>/, none],
  ["FAS07", full, '<cbc:TaxAmount currencyID="COP">500.00<', '<cbc:TaxAmount currencyID="COP">503.00<'],
  ["FAS09", full, /<cbc:BaseUnitMeasure[^>]*>[^<]*<\/cbc:BaseUnitMeasure>/, none],
  ["FAS16", full, "<cbc:Name>Bolsas<", "<cbc:Name>Botellas<"],
  ["FAY10", full, "<cbc:Percent>5.00<", "<cbc:Percent>6.00<"],
  ["FAT02", full, ">2511.00<", ">2512.00<"],
  ["FAT07", full, />966.00</g, ">969.00<"],
  ["FAT12", full, "<cbc:ID>07<", "<cbc:ID>08<"],
  ["FAU02", full, ">297000.00</cbc:LineExtensionAmount>", ">297001.00</cbc:LineExtensionAmount>"],
  ["CAU02", credit, ">297000.00</cbc:LineExtensionAmount>", ">297001.00</cbc:LineExtensionAmount>"],
  ["DAU02", debit, ">297000.00</cbc:LineExtensionAmount>", ">297001.00</cbc:LineExtensionAmount>"],
  ["FAU04", full, ">117000.00</cbc:TaxExclusiveAmount>", ">297000.00</cbc:TaxExclusiveAmount>"],
  ["FAU06", full, ">318022.42<", ">318032.42<"],
  ["FAU08", full, ">3970.00</cbc:AllowanceTotalAmount>", ">3971.00</cbc:AllowanceTotalAmount>"],
  ["FAU10", full, ">7000.00</cbc:ChargeTotalAmount>", ">7001.00</cbc:ChargeTotalAmount>"],
  ["FAU12", full, ">20100.00<", ">20000.00<"],
  ["FAU14", full, ">321052.00<", ">318022.42<"],
  ["FAU14", full, ">321052.00<", ">300952.00<"],
  ["FBD03", full, ">20100.00<", ">420100.00<"],
  ["FAV01", "sale", /<cac:InvoiceLine>.*<\/cac:InvoiceLine>/, none],
  ["FAV02b", full, "<cac:InvoiceLine><cbc:ID>2<", "<cac:InvoiceLine><cbc:ID>3<"],
  ["FAV03", "contract with the object on one line", "<cbc:Note>Contrato", "<cbc:Note>Servicio"],
  ["FAV04a", full, /<cbc:InvoicedQuantity[^>]*>[^<]*<\/cbc:InvoicedQuantity>/, none],
  ["FAV04b", full, '<cbc:InvoicedQuantity unitCode="KGM">0', '<cbc:InvoicedQuantity unitCode="KGM">-0'],
  ["FAV05", full, '<cbc:InvoicedQuantity unitCode="KGM"', '<cbc:InvoicedQuantity unitCode="XYZ"'],
  ["FAV06", full, "300000.123456", "300010.123456"],
  ["FAV08a", mandate, 'schemeID="1">2<', 'schemeID="">2<'],
  ["FBA01", mandate, /<cac:InformationContentProviderParty>.*<\/cac:InformationContentProviderParty>/, none],
  ["FAW01", full, /<cac:PricingReference>.*?<\/cac:PricingReference>/, none],
  ["CAW01", credit, /<cac:PricingReference>.*?<\/cac:PricingReference>/, none],
  ["FAW03", full, '<cbc:PriceAmount currencyID="COP">5000.00<', '<cbc:PriceAmount currencyID="COP">0.00<'],
  ["FAX01", full, /(<cac:InvoiceLine>.*?)(<cac:TaxTotal>.*?<\/cac:TaxTotal>)/, "$1$2$2"],
  ["FAX02", full, /(<cac:InvoiceLine>.*?<cac:TaxTotal><cbc:TaxAmount currencyID="COP">)18050.00</, "$118051.00<"],
  ["FAX07", full, />380.00</g, ">280.00<"],
  ["CAX07", credit, />380.00</g, ">280.00<"],
  ["FAX16", full, /(<cac:InvoiceLine>.*?<cbc:Name>)IVA</, "$1IVE<"],
  ["FAZ02", full, "<cbc:Description>Bolsas<", "<cbc:Description><"],
  ["FAZ09", full, /<cac:StandardItemIdentification>.*?<\/cac:StandardItemIdentification>/, none],
  ["FAZ12", full, 'schemeName="UNSPSC"', 'schemeName="Otro"'],
  ["CAD02a", "credit note", "<cbc:CustomizationID>20<", "<cbc:CustomizationID>22<"],
  ["CBF03", credit, "<cbc:ResponseCode>2<", "<cbc:ResponseCode>7<"],
  ["CBF03a", "credit note without an invoice", "<cbc:ResponseCode>3<", "<cbc:ResponseCode>2<"],
  ["CBG01", "credit note", /<cac:BillingReference>.*<\/cac:BillingReference>/, none],
  ["CBG03", "credit note", /(<cac:InvoiceDocumentReference><cbc:ID>)[^<]*/, "$1"],
  ["CBG05", "credit note", 'schemeName="CUFE-SHA384"', 'schemeName="CUDE-SHA384"'],
  ["CAE02", "credit note without an invoice", "<cbc:EndDate>2026-11-30<", "<cbc:EndDate>2026-12-01<"],
  ["CAK26", credit, /<cac:AccountingCustomerParty>.*?<\/cbc:CompanyID>/, "$&<cbc:TaxLevelCode>O-99</cbc:TaxLevelCode>"],
  ["DBF01", "debit note", /<cac:DiscrepancyResponse>.*<\/cac:DiscrepancyResponse>/, none],
  ["DBF02", "debit note", /<cbc:ReferenceID>.*<\/cbc:ReferenceID>/, none],
  ["DBF03", "debit note", "<cbc:ResponseCode>2<", "<cbc:ResponseCode>5<"],
  ["DAE02", "debit note without an invoice", /<cac:InvoicePeriod>.*<\/cac:InvoicePeriod>/, none]
]

/** Rules that lead to a notification only: the authority accepts the document. */
const remarks = new Set(["FAV05", "FAZ09", "FAZ12", "FBD03", "FAX09"])

describe("The rules of the authority", () => {
  it.effect("hold in documents of every kind, with one line and with many", function* () {
    for (const [name, document] of Object.entries(all)) {
      assert.deepStrictEqual(rulesOf(yield* xmlOf(document)), [], name)
    }
    // Only the interface's own carbon tax, by percentage, gets a notification.
    assert.deepStrictEqual(new Set(rulesOf(yield* xmlOf(ofLength(sale, 50)))), new Set(["FAX09"]))
  })

  it.effect.each(breaks)("detect %s in: %s, %s → %s", function* ([rule, example, from, to]) {
    const xml = yield* xmlOf(all[example]!)
    const changed = xml.replace(from, to)
    assert.notStrictEqual(changed, xml)
    const found = brokenRules(Buffer.from(changed)).find((one) => one.rule === rule)
    assert.isDefined(found, `${rule} is not among ${rulesOf(changed).join(", ")}`)
    assert.strictEqual(found?.severity, remarks.has(rule) ? "notification" : "rejection")
    assert.match(found?.path ?? "", /^\/(Invoice|CreditNote|DebitNote)/)
  })

  test("have the authority's text for each number", () => {
    const texts: Readonly<Record<string, string>> = ruleTexts
    for (const [rule] of breaks) assert.isString(texts[rule] ?? texts[rule.replace(/^[CD]/, "F")], rule)
  })

  it.effect("accept a rounding of an amount", function* () {
    const xml = yield* xmlOf(sale)
    const rounded = xml.replaceAll(">19000.00<", ">19001.50<").replaceAll(">119000.00<", ">119001.50<")
    assert.deepStrictEqual(rulesOf(rounded), ["FAD06"])
  })

  it.effect("compute no code for a range or a software that is not on record", function* () {
    const other = { ...sale, range: { ...sale.range!, number: "18764000001" }, cufe: "ab".repeat(48) }
    const software = { ...sandboxSoftware, id: "11111111-0000-4000-8000-000000000000", pin: "1" }
    const signed = yield* signDocument(other, software, yield* same)
    assert.deepStrictEqual(brokenRules(signed), [])
    const records = { technicalKey: () => "0".repeat(40), pin: () => "2" }
    assert.deepStrictEqual(
      brokenRules(signed, records).map(({ rule }) => rule),
      ["FAD06", "FAB27b"]
    )
  })

  test("reject text that is no document", () => {
    for (const text of [
      "",
      "<Invoice>",
      "<Invoice></Invoice> ",
      "<Invoice/>",
      "<Order></Order>",
      "<Invoice>a<b></b></Invoice>"
    ]) {
      assert.deepStrictEqual(rulesOf(text), ["ZB01"], text)
    }
    assert.include(rulesOf("<Invoice></Invoice>"), "FAV01")
  })
})
