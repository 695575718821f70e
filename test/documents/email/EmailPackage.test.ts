import { assert, describe, it } from "@effect/vitest"
import { unzipSync } from "fflate"
import { randomBytes } from "node:crypto"
import { archiveBytesMax, emailPackage } from "../../../src/documents/email/EmailPackage.ts"
import type { FiscalDocument } from "../../../src/documents/ubl/FiscalDocument.ts"
import { sandboxIdentification } from "../../../src/documents/rules/parties/CheckDigit.ts"
import { sale } from "../Documents.ts"

const document = (change: Partial<FiscalDocument> = {}): FiscalDocument => ({
  ...sale,
  issuer: { ...sale.issuer, legal_name: "Panadería Ñandú S.A.S." },
  acquirer: { identification: sandboxIdentification, legal_name: "Cliente S.A.S.", organization_type: "1" },
  range: null,
  ...change
})

const xml = { name: "SETP990000001.xml", bytes: Buffer.from("<Invoice/>") }
const pdf = { name: "SETP990000001.pdf", bytes: Buffer.from("%PDF") }

const issuerCalled = (legal_name: string) => ({ issuer: { ...document().issuer, legal_name } })

describe("EmailParcel", () => {
  it.each([
    [{}, "01"],
    [{ in_contingency: true }, "04"],
    [{ kind: "credit_note" }, "91"],
    [{ kind: "debit_note" }, "92"]
  ] as const)("writes for %j the type code %s into the subject", (change, code) => {
    assert.strictEqual(
      emailPackage(document(change), { xml, pdf }).subject,
      `900373115;Panadería Ñandú S.A.S.;SETP990000001;${code};Panadería Ñandú S.A.S.`
    )
  })

  it("ends its subject with the trade name, if the issuer has one", () => {
    const issuer = { ...document().issuer, trade_name: "La Ñandú" }
    assert.strictEqual(
      emailPackage(document({ issuer }), { xml, pdf }).subject,
      "900373115;Panadería Ñandú S.A.S.;SETP990000001;01;La Ñandú"
    )
  })

  it("has five parts and one line in its subject, whatever the name of the issuer", () => {
    const { from_name, subject } = emailPackage(document(issuerCalled("A;B\r\nBcc: x@y.z\u2028\u0085C")), { xml, pdf })
    assert.lengthOf(subject.split(";"), 5)
    for (const header of [subject, from_name]) assert.notMatch(header, /[\r\n\u0085\u2028]/u)
  })

  it("escapes all texts in its HTML", () => {
    const evil = `<script>alert("x")</script>&'`
    const { html } = emailPackage(document({ ...issuerCalled(evil), cufe: evil, full_number: evil, currency: evil }), {
      xml,
      pdf
    })
    assert.notInclude(html, "<script")
    assert.include(html, "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;&#39;")
  })

  it("describes the document in its text and in its HTML", () => {
    const { html, text } = emailPackage(document(), { xml, pdf })
    for (const body of [text, html]) {
      for (const fact of ["SETP990000001", sale.cufe, "119000.00 COP", "2026-11-21", "facturas@emisor.test", "PDF"]) {
        assert.include(body, fact)
      }
    }
    assert.notInclude(text, "Saldo por pagar")
    const prepaid = document({ totals: { ...sale.totals, prepaid_amount: "20000.00", due_amount: "99000.00" } })
    assert.include(emailPackage(prepaid, { xml, pdf }).text, "Saldo por pagar: 99000.00 COP")
    assert.include(emailPackage(document({ kind: "credit_note" }), { xml, pdf }).text, `CUDE: ${sale.cufe}`)
  })

  it("packs XML and PDF into one ZIP, with the same bytes each time and in every zone", () => {
    const zone = process.env["TZ"]
    const made = ["America/Bogota", "Asia/Tokyo", "Pacific/Apia"].map((name) => {
      process.env["TZ"] = name
      return Buffer.from(emailPackage(document(), { xml, pdf }).archive.bytes).toString("hex")
    })
    if (zone === undefined) delete process.env["TZ"]
    else process.env["TZ"] = zone
    assert.strictEqual(new Set(made).size, 1)
    const { archive, files } = emailPackage(document(), { xml, pdf })
    assert.strictEqual(archive.name, "SETP990000001.zip")
    assert.deepStrictEqual(files, [xml, pdf])
    const unpacked = Object.entries(unzipSync(archive.bytes)).map(([name, bytes]) => [name, Buffer.from(bytes)])
    assert.deepStrictEqual(unpacked, [
      [xml.name, xml.bytes],
      [pdf.name, pdf.bytes]
    ])
  })

  it("omits a PDF that would bring the ZIP above 2 MB, and mentions the omission", () => {
    const large = { ...pdf, bytes: randomBytes(archiveBytesMax) }
    const { archive, files, text } = emailPackage(document(), { xml, pdf: large })
    assert.deepStrictEqual(files, [xml])
    assert.isBelow(archive.bytes.length, 1_000)
    assert.include(text, "no se adjunta")
    const fitting = emailPackage(document(), { xml, pdf: { ...pdf, bytes: randomBytes(archiveBytesMax - 1_000) } })
    assert.lengthOf(fitting.files, 2)
    assert.isAtMost(fitting.archive.bytes.length, archiveBytesMax)
    assert.notInclude(fitting.text, "no se adjunta")
  })

  it("contains the XML alone if there is no PDF", () => {
    const { files, text } = emailPackage(document(), { xml, pdf: null })
    assert.deepStrictEqual(files, [xml])
    assert.notInclude(text, "PDF")
  })
})
