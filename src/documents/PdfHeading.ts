import type { FiscalDocument } from "./FiscalDocument.ts"
import { contentWidth, ink, page, type PrintedSheet, type Style } from "./PrintedSheet.ts"
import {
  conceptWords,
  contingencyMark,
  currencyWords,
  figures,
  identificationWords,
  meansName,
  operationWords,
  organizationWords,
  paymentForm,
  placeWords,
  responsibilityWords,
  testMark,
  titleOf
} from "./PrintedWords.ts"

const left = page.margin
const gap = 12
const small: Style = { size: 7.5 }
const label: Style = { size: 7.5, color: ink.quiet }

/** The names of companies may be of 450 characters: the longer, the smaller. */
const nameSize = (name: string, largest: number) => (name.length <= 60 ? largest : name.length <= 160 ? largest - 2 : 8)

type Row = readonly [label: string, value: string]

const rowHeight = (sheet: PrintedSheet, [, value]: Row, width: number, labelWidth: number) =>
  sheet.heightOf(value, small, width - labelWidth) + 1.5

const drawRow = (sheet: PrintedSheet, row: Row, x: number, y: number, width: number, labelWidth: number): number => {
  sheet.write(row[0], x, y, labelWidth, label)
  sheet.write(row[1], x + labelWidth, y, width - labelWidth, small)
  return rowHeight(sheet, row, width, labelWidth)
}

const rowsHeight = (sheet: PrintedSheet, rows: ReadonlyArray<Row>, width: number, labelWidth: number) =>
  rows.reduce((height, row) => height + rowHeight(sheet, row, width, labelWidth), 0)

/** Pairs of a label and what it says, one below the other. */
const drawRows = (
  sheet: PrintedSheet,
  rows: ReadonlyArray<Row>,
  x: number,
  y: number,
  width: number,
  labelWidth: number
) => {
  let below = y
  for (const row of rows) below += drawRow(sheet, row, x, below, width, labelWidth)
}

/** What every page begins with: the mark of a test, and from the second page on whose document it is. */
export const drawPageTop = (sheet: PrintedSheet, document: FiscalDocument) => {
  if (document.environment === "2") {
    sheet.write(testMark, left, sheet.y - 16, contentWidth, { size: 8, bold: true, color: "#b3261e", align: "center" })
  }
  if (sheet.pdf.bufferedPageRange().count === 1) return
  const { issuer } = document
  const right = `${titleOf(document)} No. ${document.full_number}`
  sheet.writeFitted(right, left + contentWidth / 2, sheet.y, contentWidth / 2, { ...small, bold: true, align: "right" })
  const [first = ""] = sheet.lines(issuer.legal_name, { ...small, bold: true }, contentWidth / 2 - gap)
  const name = first.length < issuer.legal_name.length ? `${first.slice(0, -1)}…` : first
  sheet.writeFitted(name, left, sheet.y, contentWidth / 2 - gap, { ...small, bold: true })
  sheet.write(identificationWords(issuer.identification), left, sheet.y + 10, contentWidth / 2, label)
  sheet.y += 26
}

const issuerRows = ({ issuer }: FiscalDocument): ReadonlyArray<string> => [
  identificationWords(issuer.identification),
  `${organizationWords(issuer.organization_type)} · ${responsibilityWords(issuer.tax_responsibilities)}`,
  issuer.address,
  placeWords(issuer),
  issuer.email
]

const acquirerRows = ({ acquirer }: FiscalDocument): ReadonlyArray<Row> => [
  ["Identificación", identificationWords(acquirer.identification)],
  ["Tipo", organizationWords(acquirer.organization_type)],
  ...(acquirer.address === undefined ? [] : [["Dirección", acquirer.address] as const]),
  ...(acquirer.city_code === undefined && acquirer.country_code === undefined
    ? []
    : [["Ciudad", placeWords(acquirer)] as const]),
  ...(acquirer.email === undefined ? [] : [["Correo", acquirer.email] as const])
]

const termRows = (document: FiscalDocument): ReadonlyArray<Row> => {
  const { currency, exchange_rate, issue_date, payment_means } = document
  const operation = operationWords(document)
  return [
    ["Forma de pago", paymentForm(payment_means.type)],
    ["Medio de pago", meansName(payment_means.code)],
    ["Vencimiento", payment_means.due_date ?? issue_date],
    ["Moneda", currencyWords(currency)],
    ...(exchange_rate === null
      ? []
      : [["Tasa de cambio", `1 ${currency} = ${figures(exchange_rate)} COP (${issue_date})`] as const]),
    ...(operation === undefined ? [] : [["Operación", operation] as const])
  ]
}

const titleWidth = 190

const drawTitle = (sheet: PrintedSheet, document: FiscalDocument, y: number): number => {
  const x = left + contentWidth - titleWidth
  const [inner, width] = [x + 10, titleWidth - 20]
  const title: Style = { size: 11, bold: true, color: ink.accent, align: "center" }
  const height = sheet.heightOf(titleOf(document), title, width) + 58
  sheet.band(x, y, titleWidth, height)
  let below = y + 8
  below += sheet.write(titleOf(document), inner, below, width, title) + 2
  sheet.writeFitted(`No. ${document.full_number}`, inner, below, width, { size: 13, bold: true, align: "center" })
  below += 22
  const at: Style = { size: 7.5, align: "center" }
  sheet.write(`Fecha de emisión: ${document.issue_date}`, inner, below, width, at)
  sheet.write(`Hora de emisión: ${document.issue_time}`, inner, below + 10, width, at)
  return height
}

const drawIssuer = (sheet: PrintedSheet, document: FiscalDocument, y: number): number => {
  const width = contentWidth - titleWidth - gap
  const name = document.issuer.legal_name
  let below = y
  below += sheet.write(name, left, below, width, { size: nameSize(name, 14), bold: true, color: ink.accent }) + 3
  for (const row of issuerRows(document)) below += sheet.write(row, left, below, width, small) + 1
  return below - y
}

const captionHeight = 17

/** A title over a thin line. */
const drawCaption = (sheet: PrintedSheet, text: string, x: number, y: number, width: number) => {
  sheet.write(text, x, y, width, { size: 7.5, bold: true, color: ink.accent })
  sheet.pdf
    .moveTo(x, y + 12)
    .lineTo(x + width, y + 12)
    .lineWidth(0.8)
    .strokeColor(ink.accent)
    .stroke()
}

const labelWidth = 62
const termsLabelWidth = 72
const termsWidth = 210

/** The acquirer, and beside it the terms. */
const drawParties = (sheet: PrintedSheet, document: FiscalDocument) => {
  const width = contentWidth - termsWidth - gap
  const name = document.acquirer.legal_name
  const style: Style = { size: nameSize(name, 10), bold: true }
  const [party, terms] = [acquirerRows(document), termRows(document)]
  const named = sheet.heightOf(name, style, width) + 2
  const height =
    captionHeight +
    Math.max(named + rowsHeight(sheet, party, width, labelWidth), rowsHeight(sheet, terms, termsWidth, termsLabelWidth))
  if (!sheet.fits(height)) sheet.addPage()
  const [y, right] = [sheet.y + captionHeight, left + width + gap]
  drawCaption(sheet, "ADQUIRIENTE", left, sheet.y, width)
  sheet.write(name, left, y, width, style)
  drawRows(sheet, party, left, y + named, width, labelWidth)
  drawCaption(sheet, "CONDICIONES", right, sheet.y, termsWidth)
  drawRows(sheet, terms, right, y, termsWidth, termsLabelWidth)
  sheet.y += height + 10
}

const correctionRows = (document: FiscalDocument): ReadonlyArray<Row> => {
  const { correction } = document
  return correction === null
    ? []
    : [
        ["Factura", `${correction.invoice.full_number} del ${correction.invoice.issue_date}`],
        ["CUFE", correction.invoice.cufe],
        ["Concepto", conceptWords(document)],
        ["Motivo", correction.reason]
      ]
}

const drawCorrection = (sheet: PrintedSheet, document: FiscalDocument) => {
  const [first, ...rest] = correctionRows(document)
  if (first === undefined) return
  if (!sheet.fits(captionHeight + rowHeight(sheet, first, contentWidth, labelWidth))) sheet.addPage()
  drawCaption(sheet, "DOCUMENTO QUE SE CORRIGE", left, sheet.y, contentWidth)
  sheet.y += captionHeight
  for (const row of [first, ...rest]) {
    if (!sheet.fits(rowHeight(sheet, row, contentWidth, labelWidth))) sheet.addPage()
    sheet.y += drawRow(sheet, row, left, sheet.y, contentWidth, labelWidth)
  }
  sheet.y += 10
}

/** Who sold what to whom, on which terms; and for a note, what it corrects. Moves down to where the lines begin. */
export const drawHeading = (sheet: PrintedSheet, document: FiscalDocument) => {
  const titled = drawTitle(sheet, document, sheet.y)
  sheet.y += Math.max(titled, drawIssuer(sheet, document, sheet.y)) + 12
  if (document.in_contingency) {
    sheet.y += sheet.write(contingencyMark, left, sheet.y, contentWidth, { size: 8, bold: true, color: "#8a5a00" }) + 6
  }
  drawParties(sheet, document)
  drawCorrection(sheet, document)
}
