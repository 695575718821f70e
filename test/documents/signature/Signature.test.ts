import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { hash, X509Certificate } from "node:crypto"
import { attachedDocument } from "../../../src/documents/email/AttachedDocument.ts"
import { signDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { prolog } from "../../../src/documents/ubl/Xml.ts"
import { canonical, parsed } from "./Canonical.ts"
import { covered } from "./Covered.ts"
import { answered, certificate, examples, hostile, ofLength, sale, software } from "../Documents.ts"
import { it } from "../../support/Tests.ts"

const documents = { ...examples, "invoice of 50 lines": ofLength(sale, 50) }

const signedOnes = Effect.gen(function* () {
  const one = yield* certificate
  const signed: Array<readonly [string, string]> = []
  for (const [name, document] of Object.entries(documents)) {
    const bytes = yield* signDocument(document, software, one)
    signed.push([name, Buffer.from(bytes).toString()])
    const attached = yield* attachedDocument(answered(document, bytes), software, one)
    signed.push([`${name}, attached`, Buffer.from(attached).toString()])
  }
  return signed
})

describe("The signature of a document", () => {
  it.effect("verifies in another library: over the document, the certificate and its own properties", function* () {
    for (const [name, xml] of yield* signedOnes) {
      const texts = covered(xml)
      assert.lengthOf(texts ?? [], 3, name)
      assert.match(texts?.[0] ?? "", /^<(Invoice|CreditNote|DebitNote|AttachedDocument) /, name)
      assert.notInclude(texts?.[0], "<ds:Signature", name)
      assert.match(texts?.[1] ?? "", /^<ds:KeyInfo /, name)
      assert.match(texts?.[2] ?? "", /^<xades:SignedProperties /, name)
    }
  })

  it.effect("covers an enclosed response as parsed, whatever its line ends", function* () {
    const one = yield* certificate
    const response = Buffer.from('\ufeff<?xml version="1.0"?>\r\n<a>]]&gt;<![CDATA[x]]></a>\r')
    const accepted = answered(sale, yield* signDocument(sale, software, one))
    const attached = yield* attachedDocument({ ...accepted, applicationResponse: response }, software, one)
    assert.lengthOf(covered(Buffer.from(attached).toString()) ?? [], 3)
  })

  it.effect("fails in another library after a change", function* () {
    const xml = Buffer.from(yield* signDocument(sale, software, yield* certificate)).toString()
    assert.isNotNull(covered(xml))
    for (const [from, to] of [
      [">SETP990000001<", ">SETP990000002<"],
      [">119000.00<", ">119000.01<"],
      ["<cbc:IssueDate>2026-11-21", "<cbc:IssueDate>2026-11-22"],
      ["<xades:SigningTime>2026-11-21", "<xades:SigningTime>2026-11-22"],
      [">supplier<", ">customer<"],
      ["</cac:InvoiceLine>", "</cac:InvoiceLine> "],
      ["-keyinfo", "-keyInfo"]
    ] as const) {
      assert.include(xml, from)
      assert.isNull(covered(xml.replace(from, to)), from)
    }
    // Changes any text of the document. Within the signature, the names of its own parts are not covered.
    const outside = xml.replace(/<ds:Signature .*<\/ds:Signature>/, (signature) => " ".repeat(signature.length))
    for (const [index, { index: at }] of [...outside.matchAll(/(?<=>)[^< ]/g)].entries()) {
      if (index % 5 !== 0) continue
      const character = xml[at] === "1" ? "2" : "1"
      assert.isNull(covered(xml.slice(0, at) + character + xml.slice(at + 1)), `character ${at}`)
    }
  })

  it.effect("names its certificate, its policy and the document's own time", function* () {
    const one = yield* certificate
    const xml = Buffer.from(yield* signDocument(sale, software, one)).toString()
    const bytes = Buffer.from(one.certificate, "base64")
    const known = new X509Certificate(bytes)
    for (const part of [
      "<xades:SigningTime>2026-11-21T10:00:00-05:00<",
      `<ds:X509Certificate>${one.certificate}<`,
      `<ds:DigestValue>${hash("sha256", bytes, "base64")}<`,
      `<ds:X509SerialNumber>${Number.parseInt(known.serialNumber, 16)}<`,
      "<ds:X509IssuerName>CN=Folio\\, prueba &amp; Cía.<",
      "<xades:Identifier>https://facturaelectronica.dian.gov.co/politicadefirma/v2/politicadefirmav2.pdf<",
      "<ds:DigestValue>dMoMvtcG5aIzgYo0tIsSQeVJBDnUnfSOfBpxXrmor0Y=<",
      "<xades:ClaimedRole>supplier<"
    ]) {
      assert.include(xml, part)
    }
  })
})

describe("The bytes of a document", () => {
  it.effect("consist of the prolog and the canonical form", function* () {
    for (const [name, xml] of yield* signedOnes) {
      if (name.endsWith("attached")) continue
      assert.strictEqual(prolog + canonical(parsed(xml)), xml, name)
    }
    const description = `\u2028\r\n\t${hostile}\r`
    const document = { ...sale, lines: [{ ...sale.lines[0]!, description }] }
    const xml = Buffer.from(yield* signDocument(document, software, yield* certificate)).toString()
    assert.strictEqual(prolog + canonical(parsed(xml)), xml)
  })
})
