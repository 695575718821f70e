import { Schema } from "effect"
import {
  type CodeEntry,
  creditConcepts,
  debitConcepts,
  discounts,
  identificationTypes,
  incoterms,
  itemSchemes,
  operationTypes,
  paymentMeans,
  referencePrices,
  taxes,
  taxResponsibilities,
  units,
  withholdingTaxes
} from "./Code.ts"
import { field } from "./Field.ts"

/** The catalogs, by the last part of their path. */
export const catalogs = {
  "medios-pago": paymentMeans,
  "tipo-identificacion": identificationTypes,
  "unidad-medida": units,
  tributos: taxes,
  "tipo-operacion": operationTypes,
  "concepto-nota-credito": creditConcepts,
  "concepto-nota-debito": debitConcepts,
  retenciones: withholdingTaxes,
  "estandar-item": itemSchemes,
  "precio-referencia": referencePrices,
  "tipo-descuento": discounts,
  incoterms,
  "responsabilidad-fiscal": taxResponsibilities
} as const satisfies Record<string, ReadonlyArray<CodeEntry>>

export type CatalogName = keyof typeof catalogs
export const catalogNames = Object.keys(catalogs) as [CatalogName, ...Array<CatalogName>]

export class CatalogItem extends Schema.Opaque<CatalogItem>()(
  Schema.Struct({
    object: Schema.Literal("catalog_item"),
    code: field(Schema.String, "Code to send in requests.", "31"),
    name: field(Schema.String, "The meaning of the code, in Spanish.", "NIT"),
    name_en: field(
      Schema.String,
      "The meaning of the code, in English.",
      "tax identification number of a company (NIT)"
    ),
    authority_name: field(
      Schema.optionalKey(Schema.String),
      "Meaning of the code in the tax authority's list. Absent if the meaning is the same as `name`."
    ),
    typical_rates: field(Schema.optionalKey(Schema.Array(Schema.String)), "The usual rates of a tax, in percent.")
  }).annotate({ identifier: "CatalogItem", description: "A code of a catalog, with its meaning." })
) {}
