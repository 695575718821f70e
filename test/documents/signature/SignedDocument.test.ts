import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import type { FiscalDocument } from "../../../src/documents/ubl/FiscalDocument.ts"
import { readSignedDocument, signDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { unsignedDocument } from "../../../src/documents/ubl/UblDocument.ts"
import { signXml } from "../../../src/documents/signature/XadesSignature.ts"
import { certificate, documents, examples, hostile, ofLength, sale, software } from "../Documents.ts"
import { prolog } from "../../../src/documents/ubl/Xml.ts"
import { normal } from "../ubl/Normal.ts"
import { it } from "../../support/Tests.ts"

const textOf = (signed: Uint8Array) => Buffer.from(signed).toString()

describe("A signed document", () => {
  it.effect("reads back unchanged, and has the same bytes for the same content", function* () {
    const one = yield* certificate
    const long: Record<string, FiscalDocument> = {
      "invoice of 500 lines": ofLength(sale, 500),
      "credit note of 500 lines": ofLength(examples["credit note"]!, 500)
    }
    for (const [name, document] of Object.entries({ ...examples, ...long })) {
      const signed = yield* signDocument(document, software, one)
      assert.deepStrictEqual(readSignedDocument(signed), normal(document), name)
      assert.deepStrictEqual(yield* signDocument(document, software, one), signed, name)
    }
  })

  it.effect.prop("reads back unchanged, whatever its content", [documents], ([document]) =>
    Effect.gen(function* () {
      const signed = yield* signDocument(document, software, yield* same)
      assert.deepStrictEqual(readSignedDocument(signed), normal(document))
    })
  )

  it.effect("does not verify after a change of any byte", function* () {
    const signed = yield* signDocument(sale, software, yield* certificate)
    const changed = Uint8Array.from(signed)
    for (let index = 0; index < signed.length; index += 1) {
      // Another letter, or the same letter in the other case.
      changed[index] = (signed[index] ?? 0) ^ (index % 2 === 0 ? 1 : 0x20)
      if (readSignedDocument(changed) !== null) assert.fail(`byte ${index}`)
      changed[index] = signed[index] ?? 0
    }
    assert.isNotNull(readSignedDocument(changed))
  })

  it.effect("does not verify with anything added before, after or inside, or removed", function* () {
    const signed = textOf(yield* signDocument(sale, software, yield* certificate))
    const [, signature = ""] = /(<ds:Signature .*<\/ds:Signature>)/.exec(signed) ?? []
    const hidden = "<ext:UBLExtension><ext:ExtensionContent>"
    for (const changed of [
      ` ${signed}`,
      `\ufeff${signed}`,
      `${signed}\n`,
      `${signed}<!---->`,
      `<?xml version="1.0" encoding="UTF-8"?>${signed}`,
      signed.slice(0, -1),
      signed.replace(signature, ""),
      signed.replace(signature, signature + signature),
      signed.replace(signature, `${signature}<ds:Signature></ds:Signature>`),
      signed.replace(hidden, `${hidden}${signature}</ext:ExtensionContent></ext:UBLExtension>${hidden}`),
      signed.replace("</ds:KeyInfo>", "</ds:KeyInfo><ds:Object></ds:Object>"),
      signed.replace(/(<ds:SignatureValue[^>]*>)/, "$1 "),
      signed.replace("<ds:SignedInfo>", "<ds:SignedInfo >"),
      ""
    ]) {
      assert.isNull(readSignedDocument(Buffer.from(changed)), changed.slice(0, 200))
    }
    assert.isNotNull(readSignedDocument(Buffer.from(signed)))
  })

  it.effect(
    "begins with the prolog, and verifies without it, as documents of earlier releases are stored",
    function* () {
      const signed = textOf(yield* signDocument(sale, software, yield* certificate))
      assert.isTrue(signed.startsWith('<?xml version="1.0" encoding="UTF-8"?><Invoice '))
      assert.deepStrictEqual(readSignedDocument(Buffer.from(signed.slice(prolog.length))), normal(sale))
    }
  )

  it.effect("does not verify with a second signature, although the first one verifies", function* () {
    const { after, before } = unsignedDocument(sale, software)
    const options = { seed: sale.cufe, signingTime: "2026-11-21T10:00:00-05:00" }
    const sign = Effect.fnUntraced(function* (more: string) {
      const whole = { before, after: after.replace("</cac:InvoiceLine>", `${more}</cac:InvoiceLine>`) }
      return readSignedDocument(yield* signXml(whole, options, yield* certificate))
    })
    assert.deepStrictEqual(yield* sign(""), normal(sale))
    assert.isNull(yield* sign("<ds:Signature></ds:Signature>"))
  })

  it.effect("verifies with its own certificate, whichever was read before", function* () {
    const first = yield* signDocument(sale, software, yield* certificate)
    const second = yield* signDocument(sale, software, yield* certificate)
    for (const signed of [first, second, first]) assert.deepStrictEqual(readSignedDocument(signed), normal(sale))
    const forged = textOf(first).replace(">SETP990000001<", ">SETP990000002<")
    assert.isNull(readSignedDocument(Buffer.from(forged)))
    const [, body = ""] = /(<cbc:UBLVersionID>.*)/.exec(textOf(first)) ?? []
    const other = textOf(yield* signDocument({ ...sale, full_number: "SETP990000002" }, software, yield* certificate))
    assert.isNull(readSignedDocument(Buffer.from(other.replace(/(<cbc:UBLVersionID>.*)/, () => body))))
  })

  it.effect("loses characters that XML cannot contain, and nothing else", function* () {
    const description = `a\u0000${hostile}\u001b\ufffe\uffff\u2028`
    const document = { ...sale, acquirer: { ...sale.acquirer, legal_name: description } }
    const signed = yield* signDocument(document, software, yield* certificate)
    const read = readSignedDocument(signed)
    assert.deepStrictEqual(read?.acquirer.legal_name, `a${hostile}\u2028`)
  })

  it.effect("fails for a note without a reason", function* () {
    const document: FiscalDocument = { ...sale, kind: "credit_note" }
    const exit = yield* Effect.exit(signDocument(document, software, yield* certificate))
    assert.strictEqual(exit._tag, "Failure")
  })
})

const same = Effect.runSync(Effect.cached(certificate))
