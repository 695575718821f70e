import { assert, describe, it } from "@effect/vitest"
import { unzipSync } from "fflate"
import { randomBytes } from "node:crypto"
import { archiveBytesMax, emailParcel } from "../../src/documents/EmailParcel.ts"
import type { FiscalDocument } from "../../src/documents/FiscalDocument.ts"
import { sandboxIdentification } from "../../src/domain/CheckDigit.ts"
import { invoiceBody } from "../support/Invoices.ts"

const { lines, payment_means } = invoiceBody("cust_1")

const document = (change: object = {}) =>
  ({
    kind: "invoice",
    in_contingency: false,
    full_number: "SETP990000001",
    prefix: "SETP",
    cufe: "8bb918b1",
    issue_date: "2026-11-21",
    issue_time: "10:00:00-05:00",
    environment: "2",
    currency: "COP",
    exchange_rate: null,
    operation_type: "10",
    issuer: {
      identification: { type: "31", number: "900373115", check_digit: "3" },
      legal_name: "Panadería Ñandú S.A.S.",
      organization_type: "1",
      email: "facturas@emisor.test",
      address: "Calle 1",
      city_code: "11001",
      department_code: "11",
      country_code: "CO",
      tax_responsibilities: ["R-99-PN"]
    },
    acquirer: { identification: sandboxIdentification, legal_name: "Cliente S.A.S.", organization_type: "1" },
    payment_means,
    lines,
    totals: { line_extension_amount: "100000.00", tax_amount: "19000.00", payable_amount: "119000.00", taxes: [] },
    range: null,
    correction: null,
    ...change
  }) as FiscalDocument

const xml = { name: "SETP990000001.xml", bytes: Buffer.from("<Invoice/>") }
const pdf = { name: "SETP990000001.pdf", bytes: Buffer.from("%PDF") }

const issuerCalled = (legal_name: string) => ({ issuer: { ...document().issuer, legal_name } })

describe("EmailParcel", () => {
  it.each([
    [{}, "01"],
    [{ in_contingency: true }, "04"],
    [{ kind: "credit_note" }, "91"],
    [{ kind: "debit_note" }, "92"]
  ])("the subject of %j has the type code %s", (change, code) => {
    assert.strictEqual(
      emailParcel(document(change), { xml, pdf }).subject,
      `900373115;Panadería Ñandú S.A.S.;SETP990000001;${code};Panadería Ñandú S.A.S.`
    )
  })

  it("has five parts in its subject and one line, whatever the issuer is called", () => {
    const { from_name, subject } = emailParcel(document(issuerCalled("A;B\r\nBcc: x@y.z\u2028\u0085C")), { xml, pdf })
    assert.lengthOf(subject.split(";"), 5)
    for (const header of [subject, from_name]) assert.notMatch(header, /[\r\n\u0085\u2028]/u)
  })

  it("escapes all that it is told in its HTML", () => {
    const evil = `<script>alert("x")</script>&'`
    const { html } = emailParcel(document({ ...issuerCalled(evil), cufe: evil, full_number: evil, currency: evil }), {
      xml,
      pdf
    })
    assert.notInclude(html, "<script")
    assert.include(html, "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;&#39;")
  })

  it("says in both forms what the document is", () => {
    const { html, text } = emailParcel(document(), { xml, pdf })
    for (const body of [text, html]) {
      for (const fact of ["SETP990000001", "8bb918b1", "119000.00 COP", "2026-11-21", "facturas@emisor.test", "PDF"]) {
        assert.include(body, fact)
      }
    }
    assert.include(emailParcel(document({ kind: "credit_note" }), { xml, pdf }).text, "CUDE: 8bb918b1")
  })

  it("packs XML and PDF into one ZIP, the same each time and in every zone", () => {
    const zone = process.env["TZ"]
    const made = ["America/Bogota", "Asia/Tokyo", "Pacific/Apia"].map((name) => {
      process.env["TZ"] = name
      return Buffer.from(emailParcel(document(), { xml, pdf }).archive.bytes).toString("hex")
    })
    if (zone === undefined) delete process.env["TZ"]
    else process.env["TZ"] = zone
    assert.strictEqual(new Set(made).size, 1)
    const { archive, files } = emailParcel(document(), { xml, pdf })
    assert.strictEqual(archive.name, "SETP990000001.zip")
    assert.deepStrictEqual(files, [xml, pdf])
    const unpacked = Object.entries(unzipSync(archive.bytes)).map(([name, bytes]) => [name, Buffer.from(bytes)])
    assert.deepStrictEqual(unpacked, [
      [xml.name, xml.bytes],
      [pdf.name, pdf.bytes]
    ])
  })

  it("leaves a PDF out that would make it larger than 2 MB, and says so", () => {
    const large = { ...pdf, bytes: randomBytes(archiveBytesMax) }
    const { archive, files, text } = emailParcel(document(), { xml, pdf: large })
    assert.deepStrictEqual(files, [xml])
    assert.isBelow(archive.bytes.length, 1_000)
    assert.include(text, "no se adjunta")
    const fitting = emailParcel(document(), { xml, pdf: { ...pdf, bytes: randomBytes(archiveBytesMax - 1_000) } })
    assert.lengthOf(fitting.files, 2)
    assert.isAtMost(fitting.archive.bytes.length, archiveBytesMax)
    assert.notInclude(fitting.text, "no se adjunta")
  })

  it("holds the XML alone where there is no PDF", () => {
    const { files, text } = emailParcel(document(), { xml, pdf: null })
    assert.deepStrictEqual(files, [xml])
    assert.notInclude(text, "PDF")
  })
})
