import { assert, describe, it } from "@effect/vitest"
import { currencyWords, figures, percent, placeWords } from "../../../src/documents/print/PrintedWords.ts"
import { departments, municipalities } from "../../../src/domain/accounts/Territories.ts"

describe("PrintedWords", () => {
  it.each([
    ["0.00", "0,00"],
    ["999.99", "999,99"],
    ["1000.00", "1.000,00"],
    ["1234567.89", "1.234.567,89"],
    ["999999999999999.99", "999.999.999.999.999,99"]
  ])("writes %s as %s", (amount, shown) => assert.strictEqual(figures(amount), shown))

  it.each([
    ["0.00", "0 %"],
    ["5.00", "5 %"],
    ["10.00", "10 %"],
    ["100.00", "100 %"],
    ["4.50", "4,5 %"],
    ["0.05", "0,05 %"],
    ["1000.10", "1.000,1 %"]
  ])("writes the rate %s as %s", (rate, shown) => assert.strictEqual(percent(rate), shown))

  it.each([
    [{ city_code: "05001", department_code: "05", country_code: "CO" }, "Medellín, Antioquia, Colombia"],
    [{ city_code: "11001", department_code: "11" }, "Bogotá, D.C., Colombia"],
    [{ city_code: "95001" }, "San José del Guaviare, Guaviare, Colombia"],
    [{ city_code: "05042" }, "Santa Fé de Antioquia, Antioquia, Colombia"],
    [{ department_code: "76" }, "Valle del Cauca, Colombia"],
    [{ country_code: "US" }, "Estados Unidos"],
    // The codes of another country are not those of this list.
    [{ city_code: "05001", country_code: "MX" }, "México"],
    [{}, "Colombia"]
  ])("calls the place %j %s", (place, shown) => assert.strictEqual(placeWords(place), shown))

  it("has a name for every municipality and every department", () => {
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

  it("names a currency, or leaves a code that has no name as it is", () => {
    assert.strictEqual(currencyWords("COP"), "COP (peso colombiano)")
    assert.strictEqual(currencyWords("ZZZ"), "ZZZ")
  })
})
