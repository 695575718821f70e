import { catalogueUrl } from "../../../domain/documents/QrText.ts"
import { count, dateWords } from "./Figures.ts"
import type { FiscalDocument } from "../../ubl/FiscalDocument.ts"
import { codeName, titleOf } from "./PrintedWords.ts"
import type { Tongue } from "./Tongue.ts"

/** What stands at the foot of every page. */
export interface Foot {
  readonly codeName: string
  readonly code: string
  readonly said: ReadonlyArray<string>
  /** The authority's page on the document. */
  readonly url: string
}

const resolutionWords = ({ range }: FiscalDocument): ReadonlyArray<string> => {
  if (range === null) return []
  const { from_number, number, prefix, to_number, valid_from, valid_to } = range
  const numbers = `${prefix === "" ? "sin prefijo" : `prefijo ${prefix}`}, del ${count(from_number)} al ${count(to_number)}`
  return [`Resolución DIAN No. ${number}, ${numbers}, vigente del ${dateWords(valid_from)} al ${dateWords(valid_to)}.`]
}

export const footOf = (document: FiscalDocument, { isBilingual }: Tongue): Foot => {
  const { cufe, environment, full_number } = document
  const [title] = titleOf(document)
  const url = catalogueUrl(environment, cufe)
  return {
    codeName: codeName(document),
    code: cufe,
    said: [
      ...resolutionWords(document),
      `Representación gráfica de la ${title.toLowerCase()} ${full_number}; el documento con validez legal es el XML firmado. Consúltelo con el código QR o en ${new URL(url).origin}/`,
      ...(isBilingual
        ? ["Printed form of an electronic document; the signed XML is legally valid. Verify it with the QR code."]
        : []),
      "Elaborada con Folio."
    ],
    url
  }
}
