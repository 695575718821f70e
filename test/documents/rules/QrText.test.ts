import { assert, describe, it } from "@effect/vitest"
import { catalogueUrl, qrText } from "../../../src/documents/rules/QrText.ts"
import { sampleDocument, sampleLine } from "../samples.ts"

const lines = [
  sampleLine("Cena", {
    taxes: [
      { code: "04", rate: "8.00", base: "100000.00", value: "8000.00" },
      { code: "02", rate: "1.00", base: "100000.00", value: "1000.50" },
      { code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }
    ]
  })
]

describe("QrText", () => {
  it("has one key per line, and the authority's page at the end", () => {
    const document = sampleDocument(lines)
    assert.strictEqual(
      qrText(document),
      `NumFac: SETP990000001
FecFac: 2026-11-20
HorFac: 10:00:00-05:00
NitFac: 900373115
DocAdq: 800197268
ValFac: 100000.00
ValIva: 19000.00
ValOtroIm: 9000.50
ValTolFac: 128000.50
CUFE: ${document.cufe}
https://catalogo-vpfe-hab.dian.gov.co/document/searchqr?documentkey=${document.cufe}`
    )
  })

  it("names a note's code CUDE, and in production the production page", () => {
    const note = sampleDocument(lines, { kind: "debit_note", environment: "1", cufe: "ab" })
    assert.deepStrictEqual(qrText(note).split("\n").slice(-2), [
      "CUDE: ab",
      "https://catalogo-vpfe.dian.gov.co/document/searchqr?documentkey=ab"
    ])
    assert.notStrictEqual(catalogueUrl("1", "ab"), catalogueUrl("2", "ab"))
  })
})
