import postal from "./postalCodes.json" with { type: "json" }
import lists from "./territories.json" with { type: "json" }

// The authority's lists Paises 2.1 (ISO 3166), Departamentos 2.1 and Municipio 2.1 (DIVIPOLA), all of annex 1.8. The
// list's entry "UN" for Niue is replaced by NU, the ISO code.

/** The two-letter codes of the countries that a party may be in. */
export const countryCodes: ReadonlySet<string> = new Set(lists.countries)

/** The names of the home country's departments by two-digit code. */
export const departments: ReadonlyMap<string, string> = new Map(Object.entries(lists.departments))

/** The names of the home country's municipalities by five-digit code. The code begins with the department's code. */
export const municipalities: ReadonlyMap<string, string> = new Map(Object.entries(lists.municipalities))

/**
 * The six-digit postal codes of the home country: the authority's list CodigoPostal1. The first two digits are the
 * department's.
 */
export const postalCodes: ReadonlySet<string> = new Set(
  Object.entries(postal).flatMap(([department, rest]) => rest.split(" ").map((code) => department + code))
)

/** The country whose departments and municipalities the authority checks. */
export const homeCountry = "CO"
