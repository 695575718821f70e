import { assert, describe } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { DocumentDetails } from "../../../schemas/DocumentDetails.ts"
import type { FiscalDocument } from "../../../src/documents/ubl/FiscalDocument.ts"
import { renderPdf } from "../../../src/documents/print/Pdf.ts"
import { contentWidth, page } from "../../../src/documents/print/PrintedSheet.ts"
import { printable } from "../../../src/documents/print/PrintFonts.ts"
import { qrCode } from "../../../src/documents/print/QrCode.ts"
import { qrText } from "../../../src/documents/rules/QrText.ts"
import { pdfDrawings, pdfPages, type Printed } from "../../support/PdfText.ts"
import { it } from "../../support/Tests.ts"
import { documents } from "../Documents.ts"
import { samples } from "./PrintedSamples.ts"

/** The area of a text on the page: from its height above the line to its descenders. */
const box = ({ size, width, x, y }: Printed) => ({
  left: x,
  right: x + width,
  top: y - 0.72 * size,
  bottom: y + 0.2 * size
})

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

const meet = (a: Box, b: Box) =>
  Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.2 &&
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.2

/** The place of the QR code on a page, with the empty margin that readers need around a code. */
const codeOn = (drawing: string, modules: number) => {
  const [, size = "", x = "", y = ""] = /q (\S+) 0 0 \1 (\S+) (\S+) cm \/Qr Do Q/.exec(drawing) ?? []
  const [side, module, left, top] = [Number(size) * modules, Number(size), Number(x), Number(y)]
  const quiet = 4 * module
  const around = { left: left - quiet, right: left + side + quiet, top: top - quiet, bottom: top + side + quiet }
  return { side, around }
}

const isMark = ({ text }: { readonly text: string }) => /^(Documento de prueba|Expedida en contingencia)/.test(text)

const pointsOfCm = 72 / 2.54
const bandHeight = 17

/** The places where a document's pages break the layout of every document. */
const faultsOf = (document: FiscalDocument, bytes: Uint8Array): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const modules = qrCode(qrText(document)).width
  const drawings = pdfDrawings(bytes)
  for (const [number, texts] of pdfPages(bytes).entries()) {
    const { around, side } = codeOn(drawings[number] ?? "", modules)
    if (!(side >= 2 * pointsOfCm)) faults.push(`the QR code of page ${number + 1} is ${side} points wide`)
    const boxes = texts.filter(({ text }) => text.trim() !== "").map((text) => ({ ...box(text), text: text.text }))
    const marks = boxes.filter(isMark).length
    if (marks !== (document.environment === "2" ? 1 : 0) + (document.in_contingency ? 1 : 0))
      faults.push("a mark is missing")
    for (const [index, here] of boxes.entries()) {
      const fault = (what: string) => faults.push(`page ${number + 1}: ${here.text} ${what}`)
      if (here.left < page.left - 0.1 || here.right > page.left + contentWidth + 0.6) fault("is outside the margins")
      if (here.bottom > page.height - page.bottom + 4) fault("is under the foot")
      if (!isMark(here) && here.top < bandHeight * marks) fault("meets a mark")
      if (meet(here, around)) fault("meets the QR code")
      for (const other of boxes.slice(index + 1)) if (meet(here, other)) fault(`meets ${other.text}`)
    }
  }
  return faults
}

const details = Arbitrary.schema(DocumentDetails)

/** A number in the Colombian format. The platform's Intl is not exact for 15 digits with a fraction of 6. */
const written = (amount: string) => {
  const [whole = "", fraction = ""] = amount.replace("-", "").split(".")
  const kept = fraction.slice(0, 2) + fraction.slice(2).replace(/0+$/, "")
  return `${BigInt(whole).toLocaleString("es-CO", { useGrouping: true })},${kept}`
}

/** The content of a document, whatever its wording: names, texts and figures. */
const contentOf = (document: FiscalDocument): ReadonlyArray<string> => {
  const { acquirer, issuer, lines, totals } = document
  const taxes = [...totals.taxes, ...(document.withholdings ?? [])].filter(({ code }) => code !== "ZZ")
  const allowances = [...(document.allowance_charges ?? []), ...lines.flatMap((line) => line.allowance_charges ?? [])]
  return [
    issuer.legal_name,
    issuer.address,
    issuer.email,
    acquirer.legal_name,
    acquirer.address,
    acquirer.email,
    document.cufe,
    document.full_number,
    document.correction?.reason,
    document.correction?.invoice?.cufe,
    document.order_reference?.id,
    document.despatch_reference?.id,
    document.incoterm,
    document.delivery?.address,
    document.payment_means.reference,
    ...(document.notes ?? []),
    ...(document.other_payment_means ?? []).map(({ reference }) => reference),
    ...lines.flatMap((line) => [
      line.description,
      written(line.unit_price),
      written(line.line_extension_amount),
      line.item?.code,
      line.item?.brand,
      line.item?.model,
      line.special_base,
      line.aiu_contract,
      line.principal?.legal_name,
      line.reference_price && written(line.reference_price.amount),
      ...(line.notes ?? [])
    ]),
    ...allowances.flatMap(({ amount, reason }) => [reason, written(amount)]),
    ...(document.prepayments ?? []).flatMap(({ amount, id }) => [written(amount), id]),
    ...taxes.map(({ value }) => written(value)),
    ...taxes.flatMap((tax) => ("base" in tax && tax.base !== undefined ? [written(tax.base)] : [])),
    ...[
      totals.line_extension_amount,
      totals.payable_amount,
      totals.payable_rounding_amount,
      totals.cash_rounding_amount,
      totals.due_amount,
      totals.net_amount
    ].map((amount) => amount && written(amount))
  ].filter((text) => text !== undefined)
}

/**
 * All texts without spaces, because a text may be wrapped anywhere. The second part omits what every page repeats at
 * its top and in the head of the table.
 */
const joined = (pages: ReadonlyArray<ReadonlyArray<Printed>>) => {
  const foot = Math.min(
    ...pages.flatMap((texts) => texts.filter(({ text }) => text === "CUFE" || text === "CUDE").map(({ y }) => y))
  )
  const heads = new Set(pages[0]?.filter(({ size }) => size === 7.5).map(({ text }) => text))
  const body = pages.flatMap((texts, index) =>
    texts.filter(({ size, text, y }) => y < foot && (index === 0 || (y > 100 && !(size === 7.5 && heads.has(text)))))
  )
  return [pages.flat(), body]
    .map((texts) =>
      texts
        .map(({ text }) => text)
        .join("")
        .replaceAll(/\s/g, "")
    )
    .join("\n")
}

const withoutSpaces = (text: string) => printable(text).text.replaceAll(/\s/g, "")

describe("the pages of a printed document", () => {
  it.effect.each(Object.entries(samples))("keep texts apart and within the margins: %s", function* ([, document]) {
    assert.deepStrictEqual(faultsOf(document, yield* renderPdf(document)), [])
  })

  it.effect.prop(
    "keep texts apart and show the whole content of any document",
    [documents, details],
    ([plain, more]) =>
      Effect.gen(function* () {
        const document = { ...plain, ...more }
        const bytes = yield* renderPdf(document)
        assert.deepStrictEqual(faultsOf(document, bytes), [])
        const text = joined(pdfPages(bytes))
        for (const said of contentOf(document)) assert.include(text, withoutSpaces(said))
      }),
    { arbitrary: { runs: 40 } }
  )
})
