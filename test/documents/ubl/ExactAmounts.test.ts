import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { signDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { certificate, documents, software } from "../Documents.ts"

const source = Path.join(import.meta.dirname, "../../../src")

/** Places that make a number of a text, or a text of a number: an amount would lose digits there. */
const conversions = /\b(parseFloat|parseInt)\b|\bNumber\(|NumberFromString|\.toFixed\(|[=(,:?] \+[a-z_]/

/** Those that lose nothing: characters of a key, digits of an identification or a word, the order of rates, a time. */
const harmless: Readonly<Record<string, ReadonlyArray<string>>> = {
  "domain/documents/AmountInWords.ts": ["Number(n)", "Number(n /", "Number((n /", "Number(n %"],
  "domain/accounts/ApiKeyFormat.ts": ["alphabet.charAt(Number(rest % 62n))"],
  "domain/accounts/CheckDigit.ts": ["sum += Number(number.at(-1 - index)) * weight"],
  "domain/requests/FileLink.ts": ["now >= Number(expires)"],
  "domain/documents/Totals.ts": ["? Number(a.rate - b.rate) :"],
  "domain/webhooks/WebhookSignature.ts": ["Math.abs(input.now - Number(t))"]
}

describe("Amounts", () => {
  it("are never made numbers of", () => {
    for (const room of ["documents", "domain"]) {
      for (const name of Fs.globSync("**/*.ts", { cwd: Path.join(source, room) })) {
        const file = `${room}/${name}`
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
    }
    for (const text of ["parseFloat(a)", "Number(a)", "Number.parseFloat(a)", "x = +amount", "a.toFixed(2)"]) {
      assert.match(text, conversions)
    }
  })

  it.effect.prop("stand in the document as they were given, to the last digit", [documents], ([document]) =>
    Effect.gen(function* () {
      const xml = Buffer.from(yield* signDocument(document, software, yield* same)).toString()
      const amounts = (name: string) =>
        [...xml.matchAll(new RegExp(`<cbc:${name} currencyID="${document.currency}">([^<]*)<`, "g"))].map(
          ([, amount]) => amount
        )
      const { lines, totals } = document
      assert.deepStrictEqual(
        amounts("PriceAmount"),
        lines.map(({ unit_price }) => unit_price)
      )
      assert.deepStrictEqual(amounts("LineExtensionAmount"), [
        totals.line_extension_amount,
        ...lines.map(({ line_extension_amount }) => line_extension_amount)
      ])
      assert.deepStrictEqual(amounts("PayableAmount"), [totals.payable_amount])
      const taxed = lines.flatMap(({ taxes }) => taxes.filter(({ code }) => code !== "ZZ"))
      assert.deepStrictEqual(
        amounts("TaxableAmount"),
        [...totals.taxes, ...taxed].map(({ base }) => base)
      )
      assert.notMatch(xml, />(NaN|undefined|null|\[object Object\])</)
      const figures = [...xml.matchAll(/<cbc:\w*(?:Amount|Percent|Quantity|Rate)\b[^>]*>([^<]*)</g)]
      for (const [, figure] of figures) assert.match(figure ?? "", /^\d+(\.\d+)?$/)
    })
  )
})

const same = Effect.runSync(Effect.cached(certificate))
