import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { signDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { certificate, documents, software } from "../Documents.ts"

const source = Path.join(import.meta.dirname, "../../../src")

/** Conversions between texts and numbers, in which an amount could lose digits. */
const conversions = /\b(parseFloat|parseInt)\b|\bNumber\(|NumberFromString|\.toFixed\(|[=(,:?] \+[a-z_]/

/**
 * Harmless conversions: characters of a key, digits of an identification or a word, the order of rates, a time, a count
 * of numbers.
 */
const harmless: Readonly<Record<string, ReadonlyArray<string>>> = {
  "documents/rules/AmountInWords.ts": ["Number(n)", "Number(n /", "Number((n /", "Number(n %"],
  "accounts/rules/ApiKeyFormat.ts": ["alphabet.charAt(Number(rest % 62n))"],
  "documents/rules/parties/CheckDigit.ts": ["sum += Number(number.at(-1 - index)) * weight"],
  "operations/rules/AccountFindings.ts": ["left: Number(to_number", "size: Number(to_number"],
  "invoices/rules/FileLink.ts": ["now >= Number(expires)"],
  "documents/print/content/Figures.ts": ["month: Number(month) - 1, day: Number(day)", "Number(hour)"],
  "documents/print/content/PrintedContent.ts": ["Number.parseInt(color.slice(at, at + 2), 16)"],
  "webhooks/rules/WebhookSignature.ts": ["Math.abs(input.now - Number(t))"]
}

describe("Amounts", () => {
  it("never become numbers", () => {
    const files = Fs.globSync("{documents,*/rules,runtime/json}/**/*.ts", { cwd: source })
    assert.includeMembers(files, Object.keys(harmless))
    for (const file of files) {
      const found = Fs.readFileSync(Path.join(source, file), "utf8")
        .split("\n")
        .map((text) => text.trim())
        .filter((text) => !/^(\*|\/\/|\/\*)/.test(text) && conversions.test(text))
      const known = harmless[file] ?? []
      assert.deepStrictEqual(
        found.filter((text) => !known.some((fragment) => text.includes(fragment))),
        [],
        file
      )
    }
    for (const text of ["parseFloat(a)", "Number(a)", "Number.parseFloat(a)", "x = +amount", "a.toFixed(2)"]) {
      assert.match(text, conversions)
    }
  })

  it.effect.prop("appear in the document as given, to the last digit", [documents], ([document]) =>
    Effect.gen(function* () {
      const xml = Buffer.from(yield* signDocument(document, software, yield* same)).toString()
      const amounts = (name: string) =>
        [...xml.matchAll(new RegExp(`<cbc:${name} currencyID="${document.currency}">([^<]*)<`, "g"))].map(
          ([, amount]) => amount
        )
      const { lines, totals } = document
      const prices = [...xml.matchAll(/<cac:Price><cbc:PriceAmount[^>]*>([^<]*)</g)].map(([, amount]) => amount)
      assert.deepStrictEqual(
        prices,
        lines.map(({ unit_price }) => unit_price)
      )
      assert.deepStrictEqual(amounts("LineExtensionAmount"), [
        totals.line_extension_amount,
        ...lines.map(({ line_extension_amount }) => line_extension_amount)
      ])
      assert.deepStrictEqual(amounts("PayableAmount"), [totals.payable_amount])
      const taxed = lines.flatMap(({ taxes }) => taxes.filter(({ code }) => code !== "ZZ"))
      const withheld = document.kind === "invoice" ? (document.withholdings ?? []) : []
      const shares = [...totals.taxes, ...taxed].filter(({ unit_amount }) => unit_amount === undefined)
      assert.deepStrictEqual(
        amounts("TaxableAmount").toSorted(),
        [...shares, ...withheld].map(({ base = "0.00" }) => base).toSorted()
      )
      assert.notMatch(xml, />(NaN|undefined|null|\[object Object\])</)
      const figures = [...xml.matchAll(/<cbc:\w*(?:Amount|Percent|Quantity|Rate)\b[^>]*>([^<]*)</g)]
      for (const [element, figure] of figures) {
        const isSigned = element.startsWith("<cbc:PayableRoundingAmount")
        assert.match(figure ?? "", isSigned ? /^-?0\.\d\d$/ : /^\d+(\.\d+)?$/)
      }
    })
  )
})

const same = Effect.runSync(Effect.cached(certificate))
