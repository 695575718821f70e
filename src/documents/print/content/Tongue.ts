import { homeCountry } from "../../rules/parties/Territories.ts"
import type { FiscalDocument } from "../../ubl/FiscalDocument.ts"

/** The language of a document's labels: Spanish, and also English for a buyer abroad. */
export interface Tongue {
  readonly isBilingual: boolean
  /** " sobre", or ", base", which both languages have: between a rate and its base amount. */
  readonly on: string
  /** "Cliente", or "Cliente / Customer" */
  readonly both: (es: string, en: string) => string
  /** The Spanish text, and the English one as a second text. */
  readonly each: (es: string, en: string) => ReadonlyArray<string>
}

export const tongueOf = ({ acquirer }: FiscalDocument): Tongue => {
  const isBilingual = acquirer.country_code !== undefined && acquirer.country_code !== homeCountry
  return {
    isBilingual,
    on: isBilingual ? ", base" : " sobre",
    both: (es, en) => (isBilingual && es !== en ? `${es} / ${en}` : es),
    each: (es, en) => (isBilingual && es !== en ? [es, en] : [es])
  }
}
