import { type Foot, footOf } from "./Closing.ts"
import { dateInEnglish, dateWords, timeInEnglish, timeWords } from "./Figures.ts"
import type { FiscalDocument } from "../../ubl/FiscalDocument.ts"
import { type Item, itemOf, type ItemStyle, itemStyleOf } from "./Items.ts"
import { buyerOf, sellerId, sellerOf } from "./Parties.ts"
import { contingencyMark, invalidMarks, numberWords, testMark, titleOf } from "./PrintedWords.ts"
import type { Block, Said } from "./Said.ts"
import { type Sum, sumsOf, totalInWords } from "./Sums.ts"
import { correctionOf, type Due, dueOf, remarksOf, termsOf } from "./Terms.ts"
import { type Tongue, tongueOf } from "./Tongue.ts"

/** A mark across the top of every page. */
interface Mark {
  readonly text: string
  readonly color: string
  readonly background: string
}

/** The texts of a printed document. Only `item` is computed line by line, because a document may have 500 lines. */
export interface PrintedContent {
  readonly tongue: Tongue
  readonly colors: Colors
  readonly logo: Uint8Array | null
  readonly marks: ReadonlyArray<Mark>
  /** Large text across every page of a document without legal validity. */
  readonly across: string | undefined
  readonly title: ReadonlyArray<string>
  readonly number: string
  readonly issued: ReadonlyArray<string>
  readonly seller: { readonly name: string; readonly said: ReadonlyArray<Said> }
  readonly sellerId: string
  readonly due: Due
  readonly buyer: Block
  readonly correction: Block | undefined
  readonly terms: ReadonlyArray<Block>
  readonly itemStyle: ItemStyle
  readonly items: ReadonlyArray<Item>
  readonly sums: ReadonlyArray<Sum>
  readonly inWords: string
  readonly remarks: ReadonlyArray<Block>
  readonly foot: Foot
}

const marksOf = ({ environment, in_contingency, invalid }: FiscalDocument): ReadonlyArray<Mark> => [
  ...(invalid === undefined ? [] : [{ text: invalidMarks[invalid], color: "#fff", background: "#a8281c" }]),
  ...(environment === "2" ? [{ text: testMark, color: "#7a5200", background: "#fff3d6" }] : []),
  ...(in_contingency ? [{ text: contingencyMark, color: "#7a2e1d", background: "#fde8e2" }] : [])
]

export const printedContent = (document: FiscalDocument, logo: Uint8Array | null): PrintedContent => {
  const tongue = tongueOf(document)
  const itemStyle = itemStyleOf(document)
  const { issue_date, issue_time } = document
  return {
    tongue,
    colors: colorsOf(document.issuer.color),
    logo,
    marks: marksOf(document),
    across: document.invalid === undefined ? undefined : invalidMarks[document.invalid],
    title: tongue.each(...titleOf(document)),
    number: numberWords(document),
    issued: tongue.each(
      `${dateWords(issue_date)}, ${timeWords(issue_time)}`,
      `${dateInEnglish(issue_date)}, ${timeInEnglish(issue_time)}`
    ),
    seller: sellerOf(document, tongue),
    sellerId: sellerId(document),
    due: dueOf(document, tongue),
    buyer: buyerOf(document, tongue),
    correction: correctionOf(document, tongue),
    terms: termsOf(document, tongue),
    itemStyle,
    items: document.lines.map((line) => itemOf(line, itemStyle, tongue)),
    sums: sumsOf(document, tongue),
    inWords: totalInWords(document),
    remarks: remarksOf(document, tongue),
    foot: footOf(document, tongue)
  }
}

/** The colour of a document, and the tint of its headline. */
interface Colors {
  readonly accent: string
  readonly tint: string
}

const standard = "#1f4e79"

type Rgb = readonly [red: number, green: number, blue: number]

const rgbOf = (color: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as unknown as Rgb

const hexOf = (rgb: Rgb): string => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`

/** The luminance of a colour by WCAG 2: 0 for black, 1 for white. */
const luminance = (rgb: Rgb): number => {
  const [red, green, blue] = rgb.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as unknown as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The maximum luminance of a colour that is easy to read on white: a contrast of 4.5 to 1. */
const readable = 1.05 / 4.5 - 0.05

/** The colours of a document: the issuer's colour, darkened until its texts are readable on white. */
export const colorsOf = (color = standard): Colors => {
  const given = rgbOf(/^#[\da-f]{6}$/i.test(color) ? color : standard)
  let accent = given
  while (luminance(accent) > readable) accent = accent.map((part) => part * 0.95) as unknown as Rgb
  return { accent: hexOf(accent), tint: hexOf(given.map((part) => 255 - (255 - part) * 0.06) as unknown as Rgb) }
}
