import { Schema } from "effect"
import { type CodeEntry, identificationTypes, operationTypes, paymentMeans, taxes, units } from "./Code.ts"

/** The catalogs by the last part of their path. */
export const catalogs = {
  "medios-pago": paymentMeans,
  "tipo-identificacion": identificationTypes,
  "unidad-medida": units,
  tributos: taxes,
  "tipo-operacion": operationTypes
} as const satisfies Record<string, ReadonlyArray<CodeEntry>>

export type CatalogName = keyof typeof catalogs
export const catalogNames = Object.keys(catalogs) as [CatalogName, ...Array<CatalogName>]

export class CatalogItem extends Schema.Opaque<CatalogItem>()(
  Schema.Struct({
    object: Schema.Literal("catalog_item"),
    code: Schema.String,
    name: Schema.String,
    name_en: Schema.String,
    authority_name: Schema.optionalKey(Schema.String),
    typical_rates: Schema.optionalKey(Schema.Array(Schema.String))
  }).annotate({ identifier: "CatalogItem" })
) {}
