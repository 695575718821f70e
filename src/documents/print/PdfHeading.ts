import type { FiscalDocument } from "../ubl/FiscalDocument.ts"
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

/** The font size of a company's name, which may have 450 characters: the longer the name, the smaller the size. */
const nameSize = (name: string, largest: number) => (name.length <= 60 ? largest : name.length <= 160 ? largest - 2 : 8)

type Row = readonly [label: string, value: string]

/** The pairs of a label and its value, without those that have no value. */
const rowsOf = (...pairs: ReadonlyArray<readonly [label: string, value: string | undefined]>): ReadonlyArray<Row> =>
  pairs.filter((pair): pair is Row => pair[1] !== undefined)

/** Where rows are drawn: `width` is that of labels and values together. */
interface Place {
  readonly x: number
  readonly width: number
  readonly labelWidth: number
}

const rowGap = 1.5

const rowHeight = (sheet: PrintedSheet, [, value]: Row, { labelWidth, width }: Place) =>
  sheet.heightOf(value, small, width - labelWidth) + rowGap

const drawRow = (sheet: PrintedSheet, [name, value]: Row, y: number, { labelWidth, width, x }: Place): number => {
  sheet.write(name, x, y, labelWidth, label)
  return sheet.write(value, x + labelWidth, y, width - labelWidth, small) + rowGap
}

const rowsHeight = (sheet: PrintedSheet, rows: ReadonlyArray<Row>, place: Place) =>
  rows.reduce((height, row) => height + rowHeight(sheet, row, place), 0)

const drawRows = (sheet: PrintedSheet, rows: ReadonlyArray<Row>, y: number, place: Place) =>
  rows.reduce((below, row) => below + drawRow(sheet, row, below, place), y)

/** Draws the top of every page: the test mark of a test document and, from the second page on, the issuer and the full number. */
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

const acquirerRows = ({ acquirer }: FiscalDocument): ReadonlyArray<Row> => {
  const isPlaced = acquirer.city_code !== undefined || acquirer.country_code !== undefined
  return rowsOf(
    ["Identificación", identificationWords(acquirer.identification)],
    ["Tipo", organizationWords(acquirer.organization_type)],
    ["Dirección", acquirer.address],
    ["Ciudad", isPlaced ? placeWords(acquirer) : undefined],
    ["Correo", acquirer.email]
  )
}

const termRows = (document: FiscalDocument): ReadonlyArray<Row> => {
  const { currency, exchange_rate, issue_date, payment_means } = document
  const rate = exchange_rate === null ? undefined : `1 ${currency} = ${figures(exchange_rate)} COP (${issue_date})`
  return rowsOf(
    ["Forma de pago", paymentForm(payment_means.type)],
    ["Medio de pago", meansName(payment_means.code)],
    ["Vencimiento", payment_means.due_date ?? issue_date],
    ["Moneda", currencyWords(currency)],
    ["Tasa de cambio", rate],
    ["Operación", operationWords(document)]
  )
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

/** Draws a title over a thin line, at the top of what is left of the page. */
const drawCaption = (sheet: PrintedSheet, text: string, { width, x }: Omit<Place, "labelWidth">) => {
  sheet.write(text, x, sheet.y, width, { size: 7.5, bold: true, color: ink.accent })
  sheet.rule(sheet.y + 12, { x, width, thickness: 0.8, color: ink.accent })
}

const labelWidth = 62
const terms: Place = { x: left + contentWidth - 210, width: 210, labelWidth: 72 }

/** Draws the acquirer at the left, and the payment and operation terms at the right. */
const drawParties = (sheet: PrintedSheet, document: FiscalDocument) => {
  const width = contentWidth - terms.width - gap
  const acquirer: Place = { x: left, width, labelWidth }
  const name = document.acquirer.legal_name
  const style: Style = { size: nameSize(name, 10), bold: true }
  const [ofAcquirer, ofTerms] = [acquirerRows(document), termRows(document)]
  const named = sheet.heightOf(name, style, width) + 2
  const height =
    captionHeight + Math.max(named + rowsHeight(sheet, ofAcquirer, acquirer), rowsHeight(sheet, ofTerms, terms))
  if (!sheet.fits(height)) sheet.addPage()
  const y = sheet.y + captionHeight
  drawCaption(sheet, "ADQUIRIENTE", acquirer)
  sheet.write(name, left, y, width, style)
  drawRows(sheet, ofAcquirer, y + named, acquirer)
  drawCaption(sheet, "CONDICIONES", terms)
  drawRows(sheet, ofTerms, y, terms)
  sheet.y += height + 10
}

const drawCorrection = (sheet: PrintedSheet, document: FiscalDocument) => {
  const { correction } = document
  if (correction === null) return
  const place: Place = { x: left, width: contentWidth, labelWidth }
  const invoice: Row = ["Factura", `${correction.invoice.full_number} del ${correction.invoice.issue_date}`]
  const rows: ReadonlyArray<Row> = [
    invoice,
    ["CUFE", correction.invoice.cufe],
    ["Concepto", conceptWords(document)],
    ["Motivo", correction.reason]
  ]
  if (!sheet.fits(captionHeight + rowHeight(sheet, invoice, place))) sheet.addPage()
  drawCaption(sheet, "DOCUMENTO QUE SE CORRIGE", place)
  sheet.y += captionHeight
  for (const row of rows) {
    if (!sheet.fits(rowHeight(sheet, row, place))) sheet.addPage()
    sheet.y += drawRow(sheet, row, sheet.y, place)
  }
  sheet.y += 10
}

/** Draws title, issuer, acquirer, terms and, for a note, the corrected invoice. Moves `sheet.y` down to where the lines begin. */
export const drawHeading = (sheet: PrintedSheet, document: FiscalDocument) => {
  const titled = drawTitle(sheet, document, sheet.y)
  sheet.y += Math.max(titled, drawIssuer(sheet, document, sheet.y)) + 12
  if (document.in_contingency) {
    sheet.y += sheet.write(contingencyMark, left, sheet.y, contentWidth, { size: 8, bold: true, color: "#8a5a00" }) + 6
  }
  drawParties(sheet, document)
  drawCorrection(sheet, document)
}
