import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { amountInWords, numberInWords } from "../../../src/documents/rules/AmountInWords.ts"

/** The words of the numbers below a thousand, with their values, which add up. */
const values: Readonly<Record<string, number>> = Object.fromEntries([
  ...(
    "cero un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete " +
    "dieciocho diecinueve veinte veintiún veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete " +
    "veintiocho veintinueve treinta"
  )
    .split(" ")
    .map((word, value) => [word, value]),
  ["uno", 1],
  ["veintiuno", 21],
  ...["cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"].map((word, index) => [
    word,
    40 + 10 * index
  ]),
  ["cien", 100],
  ..."ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"
    .split(" ")
    .map((word, index) => [word, 100 * (index + 1)])
])

/** Reads Spanish number words from left to right, independently of the code under test. */
const readWords = (text: string): bigint => {
  let total = 0n
  let millions = 0n
  let small = 0n
  for (const word of text.split(" ")) {
    if (word === "y") continue
    if (word === "mil") {
      millions += (small === 0n ? 1n : small) * 1_000n
      small = 0n
    } else if (/^mill(ón|ones)$/.test(word)) {
      total += (millions + small) * 1_000_000n
      millions = small = 0n
    } else if (/^bill(ón|ones)$/.test(word)) {
      total += (millions + small) * 1_000_000_000_000n
      millions = small = 0n
    } else {
      const value = values[word]
      assert.isDefined(value, `${word} in ${text}`)
      small += BigInt(value)
    }
  }
  return total + millions + small
}

const rows: ReadonlyArray<readonly [amount: string, currency: string, words: string]> = [
  ["0.00", "COP", "Cero pesos"],
  ["0.01", "COP", "Cero pesos con un centavo"],
  ["1.00", "COP", "Un peso"],
  ["16.00", "COP", "Dieciséis pesos"],
  ["21.00", "COP", "Veintiún pesos"],
  ["22.21", "COP", "Veintidós pesos con veintiún centavos"],
  ["31.31", "COP", "Treinta y un pesos con treinta y un centavos"],
  ["100.00", "COP", "Cien pesos"],
  ["101.00", "COP", "Ciento un pesos"],
  ["121.00", "COP", "Ciento veintiún pesos"],
  ["500.00", "COP", "Quinientos pesos"],
  ["777.00", "COP", "Setecientos setenta y siete pesos"],
  ["999.00", "COP", "Novecientos noventa y nueve pesos"],
  ["1000.00", "COP", "Mil pesos"],
  ["1001.00", "COP", "Mil un pesos"],
  ["21000.00", "COP", "Veintiún mil pesos"],
  ["100000.00", "COP", "Cien mil pesos"],
  ["101000.00", "COP", "Ciento un mil pesos"],
  ["1000000.00", "COP", "Un millón de pesos"],
  ["1000001.00", "COP", "Un millón un pesos"],
  ["1001000.00", "COP", "Un millón mil pesos"],
  ["21000000.50", "COP", "Veintiún millones de pesos con cincuenta centavos"],
  ["1000000000.00", "COP", "Mil millones de pesos"],
  [
    "1234567.89",
    "COP",
    "Un millón doscientos treinta y cuatro mil quinientos sesenta y siete pesos con ochenta y nueve centavos"
  ],
  ["1000000000000.00", "COP", "Un billón de pesos"],
  ["1000001000000.00", "COP", "Un billón un millón de pesos"],
  ["1.00", "USD", "Un dólar estadounidense"],
  ["3750.75", "USD", "Tres mil setecientos cincuenta dólares estadounidenses con setenta y cinco centavos"],
  ["2000000.01", "EUR", "Dos millones de euros con un céntimo"],
  ["1.00", "GBP", "Una libra esterlina"],
  ["21.02", "GBP", "Veintiuna libras esterlinas con dos peniques"],
  ["500201.00", "GBP", "Quinientas mil doscientas una libras esterlinas"],
  ["200000000.00", "GBP", "Doscientos millones de libras esterlinas"],
  ["121.50", "SEK", "Ciento veintiuno con 50/100 SEK"],
  ["1.05", "toString", "Uno con 05/100 toString"]
]

describe("AmountInWords", () => {
  it.each(rows)("writes %s %s as %s", (amount, currency, words) =>
    assert.strictEqual(amountInWords(amount, currency), words)
  )

  it.prop(
    "writes words that mean the number",
    [Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999_999_999_999 }))],
    ([number]) => assert.strictEqual(readWords(numberInWords(BigInt(number))), BigInt(number))
  )

  it("writes each number below two thousand, and each thousand, as words that mean it", () => {
    for (let number = 0n; number < 2_000n; number++) {
      assert.strictEqual(readWords(numberInWords(number)), number)
      assert.strictEqual(readWords(numberInWords(number * 1_000n)), number * 1_000n)
      assert.strictEqual(readWords(numberInWords(number * 1_000_000n + 7n)), number * 1_000_000n + 7n)
    }
  })

  it("writes different words for different numbers, without double spaces", () => {
    const words = Array.from({ length: 3_000 }, (_, number) => numberInWords(BigInt(number) * 37n))
    assert.strictEqual(new Set(words).size, words.length)
    for (const word of words) assert.match(word, /^[a-zúéíóá]+( [a-zúéíóá]+)*$/)
  })
})
