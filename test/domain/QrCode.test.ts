import { assert, describe, it } from "@effect/vitest"
import { type QrInput, qrText, qrUrl } from "../../src/domain/QrCode.ts"
import { codes } from "./vectors.ts"

const { code } = codes[0]!

const input: QrInput = {
  kind: "invoice",
  full_number: "323200000129",
  issue_date: "2019-01-16",
  issue_time: "10:53:10-05:00",
  issuer_number: "700085371",
  acquirer_number: "800199436",
  line_extension_amount: "1500000.00",
  tax_01: "285000.00",
  other_taxes: "0.00",
  payable_amount: "1785000.00",
  code,
  environment: "1"
}

describe("The QR code of a document", () => {
  it("leads to the authority's page of it, in its environment", () => {
    const path = `/document/searchqr?documentkey=${code}`
    assert.strictEqual(qrUrl(code, "1"), `https://catalogo-vpfe.dian.gov.co${path}`)
    assert.strictEqual(qrUrl(code, "2"), `https://catalogo-vpfe-hab.dian.gov.co${path}`)
  })

  it("says in print what the document says, line by line", () => {
    const lines = [
      "NumFac: 323200000129",
      "FecFac: 2019-01-16",
      "HorFac: 10:53:10-05:00",
      "NitFac: 700085371",
      "DocAdq: 800199436",
      "ValFac: 1500000.00",
      "ValIva: 285000.00",
      "ValOtroIm: 0.00",
      "ValTolFac: 1785000.00"
    ]
    assert.deepStrictEqual(qrText(input).split("\n"), [...lines, `CUFE: ${code}`, qrUrl(code, "1")])
    for (const kind of ["credit_note", "debit_note"] as const) {
      const text = qrText({ ...input, kind, environment: "2" })
      assert.deepStrictEqual(text.split("\n"), [...lines, `CUDE: ${code}`, qrUrl(code, "2")])
    }
  })
})
