import lists from "./currencies.json" with { type: "json" }
import { cents } from "./Decimal.ts"

const small =
  "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve".split(
    " "
  )
const tens = ["", "", "", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"]
const hundreds =
  " ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos".split(" ")

const belowHundred = (n: number): string => {
  if (n < small.length) return small[n] ?? ""
  const unit = n % 10
  return `${tens[Math.floor(n / 10)]}${unit === 0 ? "" : ` y ${small[unit]}`}`
}

const belowThousand = (n: number): string => {
  if (n === 100) return "cien"
  const rest = n % 100
  const head = hundreds[Math.floor(n / 100)] ?? ""
  return rest === 0 && n > 0 ? head : `${head} ${belowHundred(rest)}`.trim()
}

/** The form of a number in words before a noun: "veintiuno" and "treinta y uno" lose their last letter. */
const beforeNoun = (words: string): string => words.replace(/veintiuno$/, "veintiún").replace(/uno$/, "un")

const belowMillion = (n: number): string => {
  const thousands = Math.floor(n / 1_000)
  const rest = n % 1_000
  if (thousands === 0) return belowThousand(rest)
  const head = thousands === 1 ? "mil" : `${beforeNoun(belowThousand(thousands))} mil`
  return rest === 0 ? head : `${head} ${belowThousand(rest)}`
}

const million = 1_000_000n

/** A whole number, 0 or greater, in Spanish words, on the long scale: 10^12 is "un billón". */
export const numberInWords = (n: bigint): string => {
  if (n < million) return belowMillion(Number(n))
  const trillions = Number(n / (million * million))
  const millions = Number((n / million) % million)
  const rest = Number(n % million)
  const parts = [
    ...(trillions === 0 ? [] : [trillions === 1 ? "un billón" : `${beforeNoun(belowMillion(trillions))} billones`]),
    ...(millions === 0 ? [] : [millions === 1 ? "un millón" : `${beforeNoun(belowMillion(millions))} millones`]),
    ...(rest === 0 ? [] : [belowMillion(rest)])
  ]
  return parts.join(" ")
}

/** The feminine form of a number, below the millions: "doscientas mil libras", but "doscientos millones de libras". */
const feminine = (words: string): string => {
  const [, scale = "", rest = words] = /^(.*(?:illón|illones)(?: |$))?(.*)$/.exec(words) ?? []
  return (
    scale +
    rest
      .replaceAll(/cientos\b/g, "cientas")
      .replaceAll("quinientos", "quinientas")
      .replace(/ún$/, "una")
      .replace(/un$/, "una")
  )
}

interface Unit {
  readonly one: string
  readonly many: string
  readonly isFeminine?: boolean
}

/** The names of the unit and its hundredth for the currencies of most documents. */
const currencies: Readonly<Record<string, Readonly<Record<"unit" | "hundredth", Unit>>>> = lists.words

const counted = (n: bigint, { isFeminine = false, many, one }: Unit): string => {
  const words = beforeNoun(numberInWords(n))
  const agreed = isFeminine ? feminine(words) : words
  // In Spanish, a number that ends in a word for millions or billions is a noun itself and takes "de" before the
  // counted noun.
  return `${agreed}${/(illón|illones)$/.test(words) ? " de" : ""} ${n === 1n ? one : many}`
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/**
 * A decimal with two fraction digits in Spanish words: "Un millón de pesos con diez centavos". A currency outside
 * `currencies` is written as its code: "Ciento veinte con 50/100 SEK".
 */
export const amountInWords = (amount: string, currency: string): string => {
  const total = cents(amount)
  const [whole, hundredths] = [total / 100n, total % 100n]
  const units = Object.hasOwn(currencies, currency) ? currencies[currency] : undefined
  if (units === undefined) {
    return `${capitalized(numberInWords(whole))} con ${hundredths.toString().padStart(2, "0")}/100 ${currency}`
  }
  const fraction = hundredths === 0n ? "" : ` con ${counted(hundredths, units.hundredth)}`
  return capitalized(counted(whole, units.unit) + fraction)
}
