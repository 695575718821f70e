import { assert, describe, it } from "@effect/vitest"
import {
  count,
  dateInEnglish,
  dateWords,
  figures,
  money,
  percent,
  periodWords,
  timeInEnglish,
  timeWords
} from "../../../src/documents/print/content/Figures.ts"
import { colorsOf } from "../../../src/documents/print/content/PrintedContent.ts"
import {
  currencyWords,
  identificationWords,
  placeWords,
  responsibilityWords
} from "../../../src/documents/print/content/PrintedWords.ts"
import { departments, municipalities } from "../../../src/documents/rules/parties/Territories.ts"

const plain = (text: string) => text.replaceAll("\u00a0", " ")

describe("the words of a printed document", () => {
  it.each([
    ["0.00", "0,00"],
    ["999.99", "999,99"],
    ["1000.00", "1.000,00"],
    ["1234567.89", "1.234.567,89"],
    ["999999999999999.99", "999.999.999.999.999,99"],
    ["4100.500000", "4.100,50"],
    ["0.123456", "0,123456"],
    ["-0.42", "−0,42"]
  ])("write %s as %s", (amount, shown) => assert.strictEqual(figures(amount), shown))

  it.each([
    ["10.00", "10"],
    ["100.00", "100"],
    ["0.345", "0,345"],
    ["1000.500", "1.000,5"],
    ["0.00", "0"]
  ])("count %s as %s", (quantity, shown) => assert.strictEqual(count(quantity), shown))

  it.each([
    ["0.00", "0 %"],
    ["5.00", "5 %"],
    ["10.00", "10 %"],
    ["100.00", "100 %"],
    ["4.50", "4,5 %"],
    ["0.966", "0,966 %"],
    ["1000.10", "1.000,1 %"]
  ])("write the rate %s as %s", (rate, shown) => assert.strictEqual(plain(percent(rate)), shown))

  it("write pesos with their sign, and other money with its code", () => {
    assert.strictEqual(plain(money("119000.00", "COP")), "$ 119.000,00")
    assert.strictEqual(plain(money("1190.50", "USD")), "USD 1.190,50")
  })

  it("write dates and times in the local format", () => {
    assert.strictEqual(plain(dateWords("2026-12-01")), "1 de diciembre de 2026")
    assert.strictEqual(plain(dateInEnglish("2026-12-01")), "December 1, 2026")
    assert.strictEqual(dateWords("mañana"), "mañana")
    const times = ["00:05:00-05:00", "10:42:17-05:00", "12:00:00-05:00", "23:59:59-05:00"]
    assert.deepStrictEqual(
      times.map((time) => plain(timeWords(time))),
      ["12:05 a. m.", "10:42 a. m.", "12:00 p. m.", "11:59 p. m."]
    )
    assert.deepStrictEqual(
      times.map((time) => plain(timeInEnglish(time))),
      ["12:05 a.m.", "10:42 a.m.", "12:00 p.m.", "11:59 p.m."]
    )
  })

  it.each([
    ["2026-11-01", "2026-11-30", "del 1 al 30 de noviembre de 2026"],
    ["2026-11-05", "2026-11-05", "5 de noviembre de 2026"],
    ["2026-10-15", "2026-11-14", "del 15 de octubre al 14 de noviembre de 2026"],
    ["2025-12-15", "2026-01-14", "del 15 de diciembre de 2025 al 14 de enero de 2026"]
  ])("write the days from %s to %s as %s", (start_date, end_date, shown) =>
    assert.strictEqual(plain(periodWords({ start_date, end_date })), shown)
  )

  it.each([
    [{ type: "31", number: "900373115", check_digit: "3" }, "NIT 900.373.115-3"],
    [{ type: "13", number: "1018999999" }, "Cédula de ciudadanía 1.018.999.999"],
    [{ type: "41", number: "12345678" }, "Pasaporte 12345678"],
    [{ type: "50", number: "US-1234" }, "NIT de otro país US-1234"]
  ] as const)("write the identification %j as %s", (identification, shown) =>
    assert.strictEqual(identificationWords(identification), shown)
  )

  it("name responsibilities, and omit a code that means none", () => {
    assert.deepStrictEqual(responsibilityWords(["O-13", "R-99-PN", "O-13", "O-47"]), [
      "Gran contribuyente",
      "Régimen simple de tributación"
    ])
    assert.deepStrictEqual(responsibilityWords(["R-99-PN"]), [])
  })

  it.each([
    [{ city_code: "05001", department_code: "05", country_code: "CO" }, "Medellín, Antioquia"],
    [{ city_code: "11001", department_code: "11" }, "Bogotá, D.C."],
    [{ city_code: "95001" }, "San José del Guaviare, Guaviare"],
    [{ city_code: "05042" }, "Santa Fé de Antioquia, Antioquia"],
    [{ department_code: "76" }, "Valle del Cauca"],
    [{ country_code: "US" }, "Estados Unidos"],
    // The codes of another country are not in this list.
    [{ city_code: "05001", country_code: "MX" }, "México"],
    [{}, "Colombia"]
  ])("call the place %j %s", (place, shown) => assert.strictEqual(placeWords(place), shown))

  it("name every municipality and every department", () => {
    assert.strictEqual(municipalities.size, 1_122)
    for (const code of municipalities.keys()) {
      assert.match(municipalities.get(code) ?? "", /^\p{Lu}[\p{L} .,()-]+$/u, code)
      assert.isDefined(departments.get(code.slice(0, 2)), code)
    }
    assert.strictEqual(departments.size, 33)
    assert.deepStrictEqual(
      [municipalities.get("00000"), departments.get("00"), municipalities.get("11001")],
      [undefined, undefined, "Bogotá, D.C."]
    )
  })

  it("name a currency, or show a code without a name unchanged", () => {
    assert.strictEqual(currencyWords("COP"), "peso colombiano (COP)")
    assert.strictEqual(currencyWords("ZZZ"), "ZZZ")
  })

  it("keep a colour that is readable on white, and darken any other", () => {
    assert.strictEqual(colorsOf("#1f5fbf").accent, "#1f5fbf")
    assert.match(colorsOf("#ffd400").accent, /^#[6-9][0-9a-f][5-7][0-9a-f]00$/)
    assert.strictEqual(colorsOf("red").accent, colorsOf().accent)
  })
})
