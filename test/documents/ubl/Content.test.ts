import { assert, describe, test } from "@effect/vitest"
import { Effect } from "effect"
import { attachedDocument } from "../../../src/documents/email/AttachedDocument.ts"
import { applicationResponse } from "../../../src/documents/email/ApplicationResponse.ts"
import { documentContent } from "../../../src/documents/signature/DocumentContent.ts"
import { unsignedDocument } from "../../../src/documents/ubl/UblDocument.ts"
import { signDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { softwareSecurityCode } from "../../../src/documents/rules/Cufe.ts"
import { catalogueUrl } from "../../../src/documents/rules/QrText.ts"
import { answered, certificate, examples, ofLength, sale, software } from "../Documents.ts"
import { it } from "../../support/Tests.ts"
import { textsAt } from "./TextsAt.ts"

const code = "ab".repeat(48)
const party = (role: string, rest: string) => `/*/cac:Accounting${role}Party/${rest}`
const line = (kind: string, rest: string) => `/*/cac:${kind}Line/${rest}`
const total = (rest: string) => `/*/cac:LegalMonetaryTotal/cbc:${rest}`
const extension = (rest: string) => `//sts:DianExtensions/sts:${rest}`
const identityOf = (role: string) => `${role}/cac:Party/cac:PartyIdentification/cbc:ID`

const stated = "sale between parties with all fields"
const untaxed = "sale by a seller without value added tax"

/** The texts of documents at their paths, from the facts of the field. */
const facts: ReadonlyArray<readonly [example: string, path: string, ...texts: ReadonlyArray<string>]> = [
  ["sale", "/*/cbc:UBLVersionID", "UBL 2.1"],
  ["sale", "/*/cbc:CustomizationID", "10"],
  ["sale", "/*/cbc:ProfileID", "DIAN 2.1: Factura Electrónica de Venta"],
  ["sale", "/*/cbc:ProfileExecutionID", "2"],
  ["sale", "/*/cbc:ID", "SETP990000001"],
  ["sale", "/*/cbc:UUID", code],
  ["sale", "/*/cbc:UUID/@*", "2", "CUFE-SHA384"],
  ["sale", "/*/cbc:IssueTime", "10:00:00-05:00"],
  ["sale", "/*/cbc:InvoiceTypeCode", "01"],
  ["sale", "/*/cbc:LineCountNumeric", "1"],
  ["sale", "/*/cbc:DueDate"],
  ["sale", "//cac:PaymentExchangeRate"],
  ["sale", "//cac:PaymentTerms"],
  ["sale", "//cac:DeliveryTerms"],
  ["sale", extension("InvoiceControl/sts:InvoiceAuthorization"), "18760000001"],
  ["sale", extension("InvoiceControl/sts:AuthorizationPeriod/*"), "2019-01-19", "2030-01-19"],
  ["sale", extension("InvoiceControl/sts:AuthorizedInvoices/*"), "SETP", "990000000", "995000000"],
  ["sale", extension("SoftwareProvider/*"), "900373115", software.id],
  ["sale", extension("SoftwareProvider/sts:ProviderID/@schemeID"), "3"],
  ["sale", extension("SoftwareSecurityCode"), softwareSecurityCode(software.id, software.pin, "SETP990000001")],
  ["sale", extension("AuthorizationProvider/*"), "800197268"],
  ["sale", extension("QRCode"), catalogueUrl("2", code)],
  ["sale", "/*/cac:AccountingSupplierParty/cbc:AdditionalAccountID", "1"],
  ["sale", identityOf("//cac:AccountingSupplierParty")],
  ["sale", identityOf("//cac:AccountingCustomerParty"), "1018999999"],
  ["sale", party("Supplier", "cac:Party/cac:PartyTaxScheme/cbc:CompanyID/@schemeID"), "3"],
  ["sale", party("Supplier", "cac:Party/cac:PartyTaxScheme/cbc:CompanyID/@schemeName"), "31"],
  ["sale", party("Customer", "cac:Party/cac:PartyTaxScheme/cbc:CompanyID/@schemeID")],
  ["sale", party("Customer", "cac:Party/cac:PartyTaxScheme/cbc:CompanyID/@schemeName"), "13"],
  ["sale", party("Supplier", "cac:Party/cac:PartyTaxScheme/cbc:TaxLevelCode"), "R-99-PN"],
  ["sale", party("Supplier", "cac:Party/cac:PartyTaxScheme/cbc:TaxLevelCode/@listName"), "48"],
  ["sale", party("Supplier", "cac:Party/cac:PartyTaxScheme/cac:TaxScheme/*"), "01", "IVA"],
  ["sale", party("Supplier", "cac:Party/cbc:IndustryClassificationCode")],
  ["sale", party("Supplier", "cac:Party/cac:PartyName/cbc:Name"), "Emisor S.A.S."],
  ["sale", party("Supplier", "cac:Party/cac:PartyLegalEntity/cac:CorporateRegistrationScheme/*"), "SETP"],
  ["sale", party("Supplier", "cac:Party/cac:Contact/*"), "facturas@emisor.test"],
  ["sale", party("Customer", "cac:Party/cac:PartyTaxScheme/cbc:TaxLevelCode")],
  ["sale", party("Customer", "cac:Party/cac:PartyTaxScheme/cac:TaxScheme/*"), "ZZ", "No aplica"],
  ["sale", party("Customer", "cac:Party/cac:Contact")],
  [stated, party("Supplier", "cac:Party/cbc:IndustryClassificationCode"), "6201;6202"],
  [stated, party("Supplier", "cac:Party/cac:PartyName/cbc:Name"), "La Esquina & Cía."],
  [stated, party("Supplier", "cac:Party/cac:PhysicalLocation/cac:Address/cbc:PostalZone"), "110111"],
  [stated, party("Supplier", "cac:Party/cac:PartyTaxScheme/cac:RegistrationAddress/cbc:PostalZone"), "110111"],
  [stated, party("Supplier", "cac:Party/cac:PartyTaxScheme/cbc:RegistrationName"), "Emisor S.A.S."],
  [stated, party("Supplier", "cac:Party/cac:PartyTaxScheme/cbc:TaxLevelCode"), "O-13;O-15"],
  [stated, party("Supplier", "cac:Party/cac:PartyTaxScheme/cac:TaxScheme/*"), "ZA", "IVA e INC"],
  [stated, party("Supplier", "cac:Party/cac:PartyLegalEntity/cac:CorporateRegistrationScheme/*"), "SETP", "02345678"],
  [stated, party("Supplier", "cac:Party/cac:Contact/*"), "+57 601 7427000", "facturas@emisor.test"],
  [stated, party("Customer", "cac:Party/cac:PartyName/cbc:Name"), "Ana's"],
  [stated, party("Customer", "cac:Party/cac:PhysicalLocation/cac:Address/*"), "110221", "CO"],
  [stated, party("Customer", "cac:Party/cac:PartyTaxScheme/cbc:TaxLevelCode"), "O-47"],
  [stated, party("Customer", "cac:Party/cac:PartyTaxScheme/cbc:TaxLevelCode/@listName"), "49"],
  [stated, party("Customer", "cac:Party/cac:PartyTaxScheme/cac:TaxScheme/*"), "04", "INC"],
  [stated, party("Customer", "cac:Party/cac:Contact/*"), "310 5551234"],
  [untaxed, party("Supplier", "cac:Party/cac:PartyTaxScheme/cbc:TaxLevelCode/@listName"), "49"],
  [untaxed, party("Supplier", "cac:Party/cac:PartyTaxScheme/cac:TaxScheme/*"), "ZZ", "No aplica"],
  [`debit note${untaxed.slice(4)}`, party("Supplier", "cac:Party/cac:PartyTaxScheme/cac:TaxScheme/*"), "01", "IVA"],
  ["sale", "//cac:PhysicalLocation/cac:Address/cbc:CityName", "Bogotá, D.C."],
  ["sale", "//cac:PhysicalLocation/cac:Address/cbc:CountrySubentity", "Bogotá"],
  ["sale", "//cac:CorporateRegistrationScheme/cbc:ID", "SETP"],
  ["sale", "/*/cac:PaymentMeans/*", "1", "10"],
  ["sale", "/*/cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory/cac:TaxScheme/*", "01", "IVA"],
  ["sale", "/*/cac:LegalMonetaryTotal/*", "100000.00", "100000.00", "119000.00", "119000.00"],
  ["sale", line("Invoice", "cbc:InvoicedQuantity"), "2.00"],
  ["sale", line("Invoice", "cbc:InvoicedQuantity/@unitCode"), "94"],
  ["sale", line("Invoice", "cac:Item/cac:StandardItemIdentification/cbc:ID/@schemeID"), "999"],
  ["sale", line("Invoice", "cac:Price/*"), "50000.00", "2.00"],
  ["sale on credit", "/*/cbc:DueDate", "2026-12-21"],
  ["sale on credit", "/*/cac:PaymentMeans/*", "2", "48", "2026-12-21"],
  ["contract with administration, contingency and profit", "/*/cbc:CustomizationID", "09"],
  ["export", "/*/cbc:InvoiceTypeCode", "02"],
  ["export", "/*/cbc:CustomizationID", "10"],
  ["export", "//cac:DeliveryTerms"],
  ["export", "/*/cac:Delivery/cac:DeliveryAddress/cac:Country/cbc:IdentificationCode", "US"],
  ["export", party("Customer", "cac:Party/cac:PhysicalLocation/cac:Address/cbc:CityName")],
  ["contingency", "/*/cbc:InvoiceTypeCode", "04"],
  ["contingency", "/*/cbc:UUID/@schemeName", "CUFE-SHA384"],
  ["in dollars", "//cac:PaymentExchangeRate/*", "USD", "1.00", "COP", "1.00", "4100.50", "2026-11-21"],
  ["in dollars", total("PayableAmount/@currencyID"), "USD"],
  ["in dollars", "//@currencyID[. != 'USD']"],
  ["without prefix", "//sts:Prefix"],
  ["without prefix", "//cac:CorporateRegistrationScheme"],
  ["of production", "/*/cbc:ProfileExecutionID", "1"],
  ["of production", extension("QRCode"), catalogueUrl("1", code)],
  ["without tax", "//cac:TaxTotal"],
  ["without tax", total("TaxExclusiveAmount"), "0.00"],
  ["without tax", total("TaxInclusiveAmount"), "100000.00"],
  ["credit note", "/*/cbc:CustomizationID", "20"],
  ["credit note", "/*/cbc:ProfileID", "DIAN 2.1: Nota Crédito de Factura Electrónica de Venta"],
  ["credit note", "/*/cbc:CreditNoteTypeCode", "91"],
  ["credit note", "/*/cbc:UUID/@schemeName", "CUDE-SHA384"],
  ["credit note", "//sts:InvoiceControl"],
  ["credit note", "/*/cac:DiscrepancyResponse/*", "SETP990000001", "2", "Anulación de factura electrónica"],
  ["credit note", "//cac:InvoiceDocumentReference/*", "SETP990000001", "cd".repeat(48), "2026-11-20"],
  ["credit note", "//cac:InvoiceDocumentReference/cbc:UUID/@schemeName", "CUFE-SHA384"],
  ["credit note", line("CreditNote", "cbc:CreditedQuantity"), "2.00"],
  ["debit note", "/*/cbc:CustomizationID", "30"],
  ["debit note", "/*/cbc:ProfileID", "DIAN 2.1: Nota Débito de Factura Electrónica de Venta"],
  ["debit note", "/*/cac:RequestedMonetaryTotal/cbc:PayableAmount", "119000.00"],
  ["debit note", line("DebitNote", "cbc:DebitedQuantity"), "2.00"]
]

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString()

describe("A document", () => {
  it.effect.each(facts)("has the right text in %s: %s", function* ([example, path, ...texts]) {
    const xml = textOf(yield* signDocument(examples[example]!, software, yield* same))
    assert.deepStrictEqual(textsAt(xml, path), texts)
  })

  it.effect("groups its taxes by code, with a part for each rate, under the authority's codes", function* () {
    const xml = textOf(yield* signDocument(ofLength(sale, 5), software, yield* same))
    const inTotal = "/*/cac:TaxTotal"
    assert.deepStrictEqual(textsAt(xml, `${inTotal}/cbc:TaxAmount`), ["43000.00", "1500.00", "8000.00"])
    const category = `${inTotal}/cac:TaxSubtotal/cac:TaxCategory`
    assert.deepStrictEqual(textsAt(xml, `${category}/cbc:Percent`), ["0.00", "5.00", "19.00", "1.50", "8.00"])
    const ids = textsAt(xml, `${category}/cac:TaxScheme/cbc:ID`)
    assert.deepStrictEqual(ids, ["01", "01", "01", "23", "04"])
    assert.deepStrictEqual(textsAt(xml, `${inTotal}[2]//cac:TaxScheme/cbc:Name`), ["INCarbono"])
    // Four lines are taxed, one of them by three taxes. Each line counts once.
    assert.deepStrictEqual(textsAt(xml, total("TaxExclusiveAmount")), ["400000.00"])
    assert.deepStrictEqual(textsAt(xml, total("PayableAmount")), ["552500.00"])
    assert.deepStrictEqual(textsAt(xml, `${line("Invoice", "")}cbc:ID`), ["1", "2", "3", "4", "5"])
  })
})

describe("An attached document", () => {
  it.effect(
    "contains the document and the authority's response byte for byte, with the time of the response",
    function* () {
      for (const [name, document] of Object.entries(examples)) {
        const signed = yield* signDocument(document, software, yield* same)
        const accepted = answered(document, signed)
        const xml = textOf(yield* attachedDocument(accepted, software, yield* same))
        const inner = textsAt(xml, "//cac:ExternalReference/cbc:Description")
        assert.deepStrictEqual(inner, [textOf(signed), textOf(accepted.applicationResponse)], name)
        assert.include(xml, "<cbc:Description><![CDATA[<")
        const result = "//cac:ResultOfVerification/"
        assert.deepStrictEqual(textsAt(xml, `${result}cbc:ValidationResultCode`), ["02"])
        assert.deepStrictEqual(textsAt(xml, `${result}cbc:ValidationDate`), ["2026-11-21"])
        assert.deepStrictEqual(textsAt(xml, `${result}cbc:ValidationTime`), ["10:01:00-05:00"])
        assert.deepStrictEqual(textsAt(xml, "/*/cbc:ParentDocumentID"), [document.full_number])
        const again = yield* attachedDocument(accepted, software, yield* same)
        assert.strictEqual(textOf(again), xml)
      }
    }
  )

  it.effect("keeps the signature of a response with other line ends and a byte order mark", function* () {
    const signed = yield* signDocument(sale, software, yield* same)
    const response = Buffer.from('\ufeff<?xml version="1.0"?>\r\n<a>]]&gt;<![CDATA[x]]></a>\r')
    const attached = { ...answered(sale, signed), applicationResponse: response }
    const xml = textOf(yield* attachedDocument(attached, software, yield* same))
    const [, answer] = textsAt(xml, "//cac:ExternalReference/cbc:Description")
    assert.strictEqual(answer, '<?xml version="1.0"?>\n<a>]]&gt;<![CDATA[x]]></a>\n')
  })
})

describe("The simulated authority's response", () => {
  test("names the document, the verdict, and each rule", () => {
    const refusal = { rule: "FAK24", severity: "rejection", message: "DV & más", path: null, hint: null } as const
    const notice = { ...refusal, rule: "FAJ43b", severity: "notification" } as const
    const at = Date.parse("2026-11-21T15:00:00Z")
    const response = "//cac:DocumentResponse/cac:Response/cbc:ResponseCode"
    const refused = textOf(
      applicationResponse(sale, { accepted: false, errors: [refusal], notifications: [notice] }, at)
    )
    assert.deepStrictEqual(textsAt(refused, response), ["04"])
    assert.deepStrictEqual(textsAt(refused, "//cac:LineResponse/cac:Response/cbc:ResponseCode"), ["FAK24", "FAJ43b"])
    assert.deepStrictEqual(textsAt(refused, "//cac:LineResponse[1]//cbc:Description"), ["DV & más"])
    assert.deepStrictEqual(textsAt(refused, "/*/cbc:IssueTime"), ["10:00:00-05:00"])
    const accepted = textOf(applicationResponse(sale, { accepted: true, errors: [], notifications: [] }, at))
    assert.deepStrictEqual(textsAt(accepted, response), ["02"])
    assert.deepStrictEqual(textsAt(accepted, "//cac:DocumentReference/*"), ["SETP990000001", code, "01"])
  })
})

describe("Text that is no document", () => {
  test("yields no content, whatever is missing or wrong", () => {
    const { after, before } = unsignedDocument(sale, software)
    const xml = before + after
    assert.isNotNull(documentContent(xml))
    for (const [from, to] of [
      ["<Invoice ", "<Order "],
      ["</ext:UBLExtensions>", ""],
      [/<cac:InvoiceLine>.*<\/cac:InvoiceLine>/, ""],
      [/<cac:AccountingCustomerParty>.*<\/cac:AccountingCustomerParty>/, ""],
      [/(<cbc:PayableAmount[^>]*>)[^<]*/, "$1"],
      [">19000.00<", ">-19000.00<"],
      ["<cbc:ID>01</cbc:ID><cbc:Name>IVA</cbc:Name></cac:TaxScheme></cac:TaxCategory>", "</cac:TaxCategory>"],
      ["</cbc:IssueDate>", ""],
      [/.*/s, ""]
    ] as const) {
      const changed = xml.replace(from, to)
      assert.notStrictEqual(changed, xml, String(from))
      assert.isNull(documentContent(changed), String(from))
    }
  })
})

const same = Effect.runSync(Effect.cached(certificate))
