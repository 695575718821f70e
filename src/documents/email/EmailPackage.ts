import { zipSync } from "fflate"
import { documentTypeCode } from "../ubl/AuthorityCodes.ts"
import type { FiscalDocument } from "../ubl/FiscalDocument.ts"

/** A file that the acquirer of a document receives by email. */
export interface PackageFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/**
 * The content of an email: everything but the recipient's address. The same document gives the same bytes, so that a
 * receiver can recognize a repeated email. `archive` is the only attachment, a ZIP; `files` are the files in the ZIP.
 */
export interface EmailPackage {
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The sender's name; `reply_to` is the address for replies. */
  readonly from_name: string
  readonly reply_to: string
  readonly archive: PackageFile
  readonly files: ReadonlyArray<PackageFile>
}

/**
 * The authority's limit for the only attachment of an email, in bytes.
 *
 * @internal
 */
export const archiveBytesMax = 2_000_000

const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu

// A mail header is one line. Semicolons separate the fields of the subject, so a field must not contain a semicolon.
export const oneLine = (text: string) => text.replaceAll(control, " ").trim()
const field = (text: string) => oneLine(text).replaceAll(";", ",")

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}
const escape = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "")

const paragraph = (words: string) => `<p>${escape(words)}</p>`

const page = (body: string) =>
  `<!doctype html><html lang="es"><head><meta charset="utf-8"></head><body>${body}</body></html>`

/** The HTML of a message in Spanish. */
export const htmlMessage = (paragraphs: ReadonlyArray<string>) => page(paragraphs.map(paragraph).join(""))

const names = {
  invoice: { the: "la factura electrónica de venta", code: "CUFE" },
  credit_note: { the: "la nota crédito electrónica", code: "CUDE" },
  debit_note: { the: "la nota débito electrónica", code: "CUDE" }
} as const

// A ZIP stores local time without a zone: noon of the issue date is stored the same, whatever the zone of the process.
const dated = (issueDate: string) => {
  const [year = 1980, month = 1, day = 1] = issueDate.split("-").map(Number)
  return new Date(year, month - 1, day, 12)
}

/**
 * Makes the email of a document: the subject in the form that the authority prescribes, and one ZIP of at most 2 MB. A
 * `pdf` that would make the ZIP larger is omitted, and the message states that.
 *
 * @internal
 */
export const emailPackage = (
  document: FiscalDocument,
  files: { readonly xml: PackageFile; readonly pdf: PackageFile | null }
): EmailPackage => {
  const { acquirer, cufe, currency, full_number, issue_date, issuer, kind, totals } = document
  const mtime = dated(issue_date)
  const zip = (all: ReadonlyArray<PackageFile>) =>
    zipSync(Object.fromEntries(all.map(({ bytes, name }) => [name, bytes])), { mtime, level: 9 })

  const everything = files.pdf === null ? [files.xml] : [files.xml, files.pdf]
  const whole = zip(everything)
  const fits = whole.length <= archiveBytesMax
  const packed = fits ? everything : [files.xml]
  const bytes = fits ? whole : zip(packed)

  const { code, the } = names[kind]
  const facts: ReadonlyArray<readonly [string, string]> = [
    ["Emisor", `${issuer.legal_name} (${issuer.identification.number})`],
    ["Número", full_number],
    ["Fecha de emisión", issue_date],
    ["Valor total", `${totals.payable_amount} ${currency}`],
    ...(totals.due_amount === undefined ? [] : [["Saldo por pagar", `${totals.due_amount} ${currency}`] as const]),
    [code, cufe]
  ]
  const hello = `Señores ${oneLine(acquirer.legal_name)}:`
  const about =
    `Adjuntamos ${the} ${full_number}, en un archivo comprimido que contiene ` +
    (packed.length === 2
      ? "el documento electrónico (XML) y su representación gráfica (PDF)."
      : "el documento electrónico (XML).")
  const left = fits ? [] : ["La representación gráfica (PDF) no se adjunta porque el archivo superaría 2 MB."]
  const end = `Si tiene alguna pregunta, responda a este mensaje o escriba a ${issuer.email}.`

  const text = [hello, about, ...left, facts.map(([name, value]) => `${name}: ${oneLine(value)}`).join("\n"), end]
  const rows = facts.map(
    ([name, value]) => `<tr><th align="left">${escape(name)}</th><td>${escape(oneLine(value))}</td></tr>`
  )
  const html = [hello, about, ...left].map(paragraph).join("") + `<table>${rows.join("")}</table>${paragraph(end)}`

  return {
    subject: [
      issuer.identification.number,
      issuer.legal_name,
      full_number,
      documentTypeCode(document),
      issuer.trade_name ?? issuer.legal_name
    ]
      .map(field)
      .join(";"),
    text: `${text.join("\n\n")}\n`,
    html: page(html),
    from_name: oneLine(issuer.legal_name),
    reply_to: issuer.email,
    archive: { name: `${full_number}.zip`, bytes },
    files: packed
  }
}
