import lists from "./currencies.json" with { type: "json" }

// The authority's list TipoMoneda 2.1 (ISO 4217, annex 1.8). The authority's entry "VES7" is replaced by VES, the ISO
// code.
/** The currency codes a document may name. */
export const currencyCodes: ReadonlySet<string> = new Set(lists.codes)

/** The authority's own currency. A document in any other currency states an exchange rate. */
export const peso = "COP"
