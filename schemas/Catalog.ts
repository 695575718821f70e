import { Schema } from "effect"
import {
  type CodeEntry,
  creditConcepts,
  debitConcepts,
  identificationTypes,
  operationTypes,
  paymentMeans,
  taxes,
  units
} from "./Code.ts"

/** The catalogs by the last part of their path. */
export const catalogs = {
  "medios-pago": paymentMeans,
  "tipo-identificacion": identificationTypes,
  "unidad-medida": units,
  tributos: taxes,
  "tipo-operacion": operationTypes,
  "concepto-nota-credito": creditConcepts,
  "concepto-nota-debito": debitConcepts
} as const satisfies Record<string, ReadonlyArray<CodeEntry>>

export type CatalogName = keyof typeof catalogs
export const catalogNames = Object.keys(catalogs) as [CatalogName, ...Array<CatalogName>]

export class CatalogItem extends Schema.Opaque<CatalogItem>()(
  Schema.Struct({
    object: Schema.Literal("catalog_item"),
    code: Schema.String.annotateKey({ description: "What requests carry.", examples: ["31"] }),
    name: Schema.String.annotateKey({ description: "In Spanish.", examples: ["NIT"] }),
    name_en: Schema.String.annotateKey({
      description: "In English.",
      examples: ["tax identification number of a company (NIT)"]
    }),
    authority_name: Schema.optionalKey(Schema.String).annotateKey({
      description: "Where the authority gives the code another meaning."
    }),
    typical_rates: Schema.optionalKey(Schema.Array(Schema.String)).annotateKey({
      description: "For taxes, in percent."
    })
  }).annotate({ identifier: "CatalogItem", description: "One code of a catalog." })
) {}
