import { catalogueUrl } from "../../rules/QrText.ts"
import { count, dateWords } from "./Figures.ts"
import type { FiscalDocument } from "../../ubl/FiscalDocument.ts"
import { codeName, titleOf } from "./PrintedWords.ts"
import type { Tongue } from "./Tongue.ts"

/** The content of the foot of every page. */
export interface Foot {
  readonly codeName: string
  readonly code: string
  readonly said: ReadonlyArray<string>
  /** The URL of the document on the authority's site; null for a document without legal validity. */
  readonly url: string | null
}

const resolutionWords = ({ range }: FiscalDocument): ReadonlyArray<string> => {
  if (range === null) return []
  const { from_number, number, prefix, to_number, valid_from, valid_to } = range
  const numbers = `${prefix === "" ? "sin prefijo" : `prefijo ${prefix}`}, del ${count(from_number)} al ${count(to_number)}`
  return [`Resolución DIAN No. ${number}, ${numbers}, vigente del ${dateWords(valid_from)} al ${dateWords(valid_to)}.`]
}

/** The print-out's statement about the validity of the document, in Spanish and in English. */
const validityOf = ({ full_number, invalid }: FiscalDocument, name: string, url: string) => {
  if (invalid === "rejected") {
    return [
      `La DIAN rechazó la ${name} ${full_number}: esta representación gráfica no tiene validez.`,
      "The authority rejected this document, which is not valid."
    ]
  }
  if (invalid === "failed") {
    return [
      `La ${name} ${full_number} falló y no se emitió: esta representación gráfica no tiene validez.`,
      "This document failed, was not issued, and is not valid."
    ]
  }
  return [
    `Representación gráfica de la ${name} ${full_number}; el documento con validez legal es el XML firmado. Consúltelo con el código QR o en ${new URL(url).origin}/`,
    "Printed form of an electronic document; the signed XML is legally valid. Verify it with the QR code."
  ]
}

export const footOf = (document: FiscalDocument, { isBilingual }: Tongue): Foot => {
  const { cufe, environment, invalid } = document
  const [title] = titleOf(document)
  const url = catalogueUrl(environment, cufe)
  return {
    codeName: codeName(document),
    code: cufe,
    said: [
      ...resolutionWords(document),
      ...validityOf(document, title.toLowerCase(), url).slice(0, isBilingual ? 2 : 1),
      "Elaborada con Folio."
    ],
    url: invalid === undefined ? url : null
  }
}
