import { Schema } from "effect"
import otherPaymentMeans from "./paymentMeans.json" with { type: "json" }
import otherUnits from "./units.json" with { type: "json" }

/**
 * A code of the API's code tables. The request schemas and the catalogs both derive from these tables. `name` is the
 * common Spanish name, and `name_en` is the API's label. `authority_name` is present if the authority's list gives the
 * code another meaning.
 */
export interface CodeEntry {
  readonly code: string
  readonly name: string
  readonly name_en: string
  readonly authority_name?: string
  readonly typical_rates?: ReadonlyArray<string>
}

export const identificationTypes = [
  { code: "31", name: "NIT", name_en: "tax identification number of a company (NIT)" },
  { code: "13", name: "Cédula de ciudadanía", name_en: "citizen identity card" },
  { code: "22", name: "Cédula de extranjería", name_en: "foreigner resident card" },
  { code: "21", name: "Tarjeta de extranjería", name_en: "foreigner card (non-resident)" },
  { code: "41", name: "Pasaporte", name_en: "passport" },
  { code: "12", name: "Tarjeta de identidad", name_en: "identity card of a minor" },
  { code: "11", name: "Registro civil", name_en: "civil registry" },
  { code: "50", name: "NIT de otro país", name_en: "tax number of a foreign company" },
  { code: "42", name: "Documento de identificación extranjero", name_en: "identity document of another country" },
  { code: "47", name: "PEP (Permiso Especial de Permanencia)", name_en: "special stay permit (PEP)" },
  { code: "48", name: "PPT (Permiso por Protección Temporal)", name_en: "temporary protection permit (PPT)" },
  { code: "91", name: "NUIP", name_en: "unique personal identification number (NUIP)" }
] as const satisfies ReadonlyArray<CodeEntry>

/** The means of payment of the contract, followed by all others of the authority's list. */
export const paymentMeans: ReadonlyArray<CodeEntry> = [
  { code: "10", name: "Efectivo", name_en: "cash" },
  { code: "47", name: "Tarjeta de crédito", name_en: "credit card", authority_name: "Transferencia Débito Bancaria" },
  { code: "48", name: "Tarjeta débito", name_en: "debit card", authority_name: "Tarjeta Crédito" },
  { code: "30", name: "Transferencia bancaria (crédito)", name_en: "bank transfer (credit)" },
  { code: "31", name: "Transferencia bancaria (débito)", name_en: "bank transfer (debit)" },
  { code: "20", name: "Cheque", name_en: "cheque" },
  { code: "42", name: "Consignación bancaria", name_en: "bank deposit" },
  { code: "71", name: "Billetera digital", name_en: "digital wallet", authority_name: "Bonos" },
  { code: "49", name: "Vale", name_en: "voucher", authority_name: "Tarjeta Débito" },
  ...otherPaymentMeans
]

export const operationTypes = [
  { code: "10", name: "Estándar", name_en: "standard operation" },
  { code: "09", name: "AIU", name_en: "services with administration, contingency and profit (AIU)" },
  { code: "11", name: "Exportación", name_en: "sale to non-residents / export", authority_name: "Mandatos" }
] as const satisfies ReadonlyArray<CodeEntry>

/** The units of the contract, followed by all others of the authority's list (UN/ECE Recommendation 20). */
export const units: ReadonlyArray<CodeEntry> = [
  { code: "94", name: "Unidad", name_en: "unit" },
  { code: "KGM", name: "Kilogramo", name_en: "kilogram" },
  { code: "MTR", name: "Metro", name_en: "metre" },
  { code: "LTR", name: "Litro", name_en: "litre" },
  { code: "HUR", name: "Hora", name_en: "hour" },
  { code: "DAY", name: "Día", name_en: "day" },
  { code: "NAR", name: "Número de artículos", name_en: "number of articles" },
  ...otherUnits
]

export const taxes = [
  { code: "01", name: "IVA", name_en: "value added tax", typical_rates: ["0.00", "5.00", "19.00"] },
  { code: "04", name: "INC", name_en: "national consumption tax", typical_rates: ["8.00", "16.00"] },
  { code: "03", name: "ICA", name_en: "industry and commerce tax" },
  { code: "02", name: "Impuesto al carbono", name_en: "carbon tax", authority_name: "IC" },
  { code: "22", name: "Bolsas", name_en: "tax on plastic bags, per unit" },
  { code: "23", name: "INCarbono", name_en: "national carbon tax, per unit" },
  { code: "24", name: "INCombustibles", name_en: "national fuel tax, per unit" },
  { code: "32", name: "ICL", name_en: "tax on liquors, wines and aperitifs, per unit" },
  { code: "33", name: "INPP", name_en: "tax on single-use plastics, per unit" },
  { code: "34", name: "IBUA", name_en: "tax on sugary drinks, per unit" },
  { code: "35", name: "ICUI", name_en: "tax on ultra-processed food", typical_rates: ["20.00"] },
  { code: "36", name: "ADV", name_en: "ad valorem tax on liquors", typical_rates: ["20.00", "25.00"] },
  { code: "ZZ", name: "No aplica", name_en: "no tax", typical_rates: ["0.00"] }
] as const satisfies ReadonlyArray<CodeEntry>

/** The taxes that a buyer withholds from the payment and pays to the authority in the issuer's name. */
export const withholdingTaxes = [
  { code: "05", name: "ReteIVA", name_en: "withheld value added tax", typical_rates: ["15.00"] },
  { code: "06", name: "ReteRenta", name_en: "withheld income tax" },
  { code: "07", name: "ReteICA", name_en: "withheld industry and commerce tax" }
] as const satisfies ReadonlyArray<CodeEntry>

/** The code lists for items. */
export const itemSchemes = [
  { code: "999", name: "Código propio", name_en: "code of the seller" },
  { code: "001", name: "UNSPSC", name_en: "UNSPSC: 8 or 10 digits" },
  { code: "010", name: "GTIN", name_en: "GTIN of the bar code: 8, 12, 13 or 14 digits" },
  { code: "020", name: "Partida arancelaria", name_en: "tariff heading: 6 to 10 digits" }
] as const satisfies ReadonlyArray<CodeEntry>

/** The kinds of reference price for free items. */
export const referencePrices = [
  { code: "01", name: "Valor comercial", name_en: "commercial value" },
  { code: "02", name: "Valor en inventarios", name_en: "value in the inventory" },
  { code: "03", name: "Otro valor", name_en: "other value" }
] as const satisfies ReadonlyArray<CodeEntry>

/** The kinds of discount on the whole document. */
export const discounts = [
  { code: "00", name: "Descuento no condicionado", name_en: "unconditional discount" },
  { code: "01", name: "Descuento condicionado", name_en: "conditional discount" }
] as const satisfies ReadonlyArray<CodeEntry>

/** The terms of delivery of an export (Incoterms of the International Chamber of Commerce). */
export const incoterms = [
  { code: "CFR", name: "Costo y flete", name_en: "cost and freight" },
  { code: "CIF", name: "Costo, seguro y flete", name_en: "cost, insurance and freight" },
  { code: "CIP", name: "Transporte y seguro pagados hasta", name_en: "carriage and insurance paid to" },
  { code: "CPT", name: "Transporte pagado hasta", name_en: "carriage paid to" },
  { code: "DAP", name: "Entregada en lugar", name_en: "delivered at place" },
  { code: "DAT", name: "Entregada en terminal", name_en: "delivered at terminal" },
  { code: "DDP", name: "Entregada con derechos pagados", name_en: "delivered duty paid" },
  { code: "DPU", name: "Entregada en lugar descargada", name_en: "delivered at place unloaded" },
  { code: "EXW", name: "En fábrica", name_en: "ex works" },
  { code: "FAS", name: "Franco al costado del buque", name_en: "free alongside ship" },
  { code: "FCA", name: "Franco transportista", name_en: "free carrier" },
  { code: "FOB", name: "Franco a bordo", name_en: "free on board" }
] as const satisfies ReadonlyArray<CodeEntry>

/** The reasons for a credit note. */
export const creditConcepts = [
  {
    code: "1",
    name: "Devolución parcial de los bienes y/o no aceptación parcial del servicio",
    name_en: "part of the goods was returned, or part of the service not accepted"
  },
  { code: "2", name: "Anulación de factura electrónica", name_en: "annulment of the invoice" },
  { code: "3", name: "Rebaja o descuento parcial o total", name_en: "rebate or discount, partial or total" },
  { code: "4", name: "Ajuste de precio", name_en: "adjustment of the price" },
  { code: "5", name: "Descuento comercial por pronto pago", name_en: "discount for prompt payment" },
  { code: "6", name: "Descuento comercial por volumen de ventas", name_en: "discount for the volume of sales" }
] as const satisfies ReadonlyArray<CodeEntry>

/** The reasons for a debit note. */
export const debitConcepts = [
  { code: "1", name: "Intereses", name_en: "interest" },
  { code: "2", name: "Gastos por cobrar", name_en: "expenses to be charged" },
  { code: "3", name: "Cambio del valor", name_en: "change of the value" },
  { code: "4", name: "Otros", name_en: "other" }
] as const satisfies ReadonlyArray<CodeEntry>

/** The taxes for which a party can be registered, as documents state them. */
export const partyTaxSchemes = [
  { code: "01", name: "IVA", name_en: "value added tax" },
  { code: "04", name: "INC", name_en: "national consumption tax" },
  { code: "ZA", name: "IVA e INC", name_en: "value added tax and national consumption tax" },
  { code: "ZZ", name: "No aplica", name_en: "none of these" }
] as const satisfies ReadonlyArray<CodeEntry>

/** The tax responsibilities of a party, as documents state them. */
export const taxResponsibilities = [
  { code: "O-13", name: "Gran contribuyente", name_en: "large taxpayer" },
  { code: "O-15", name: "Autorretenedor", name_en: "self-withholder" },
  { code: "O-23", name: "Agente de retención IVA", name_en: "value added tax withholding agent" },
  { code: "O-47", name: "Régimen simple de tributación", name_en: "simple tax regime" },
  { code: "R-99-PN", name: "No aplica - Otros", name_en: "none of these" }
] as const satisfies ReadonlyArray<CodeEntry>

export const paymentTypes = ["1", "2"] as const
export const organizationTypes = ["1", "2"] as const

const codes = <const T extends ReadonlyArray<{ readonly code: string }>>(table: T) =>
  table.map((entry) => entry.code) as { [K in keyof T]: T[K]["code"] }

const catalogCode = <const L extends ReadonlyArray<string>>(values: L, where: string) =>
  Schema.Literals(values).annotate({
    errorCode: "unknown_catalog_code",
    message: `must be one of ${values.map((value) => `"${value}"`).join(", ")}${where}`
  })

/** A code of a list that is too long for an error message or a type. */
const listedCode = (table: ReadonlyArray<CodeEntry>, catalog: string) => {
  const known = new Set(table.map(({ code }) => code))
  const some = table.slice(0, 3).map(({ code }) => `"${code}"`)
  return Schema.String.check(
    Schema.makeFilter((code: string) => known.has(code), {
      errorCode: "unknown_catalog_code",
      message: `must be a code of the catalog ${catalog} (GET /v1/catalogs/${catalog}), such as ${some.join(", ")}`,
      arbitraryConstraint: { patterns: [{ source: `^(${[...known].join("|")})$`, flags: "" }] }
    })
  )
}

export const IdentificationType = catalogCode(codes(identificationTypes), " (GET /v1/catalogs/tipo-identificacion)")
export const PaymentMeansCode = listedCode(paymentMeans, "medios-pago")
export const OperationType = catalogCode(codes(operationTypes), " (GET /v1/catalogs/tipo-operacion)")
export const UnitCode = listedCode(units, "unidad-medida")
export const TaxCode = catalogCode(codes(taxes), " (GET /v1/catalogs/tributos)")
export const WithholdingCode = catalogCode(codes(withholdingTaxes), " (GET /v1/catalogs/retenciones)")
export const ItemScheme = catalogCode(
  codes(itemSchemes),
  ': "999" a code of your own, "001" UNSPSC, "010" GTIN, "020" tariff heading'
)
export const ReferencePriceType = catalogCode(
  codes(referencePrices),
  ': "01" commercial value, "02" value in the inventory, "03" other'
)
export const DiscountCode = catalogCode(codes(discounts), ': "00" unconditional, "01" conditional')
export const Incoterm = catalogCode(codes(incoterms), " (GET /v1/catalogs/incoterms)")
export const CreditConcept = catalogCode(codes(creditConcepts), " (GET /v1/catalogs/concepto-nota-credito)")
export const DebitConcept = catalogCode(codes(debitConcepts), " (GET /v1/catalogs/concepto-nota-debito)")
export const TaxResponsibility = catalogCode(codes(taxResponsibilities), " (GET /v1/catalogs/responsabilidad-fiscal)")
export const PartyTaxScheme = catalogCode(codes(partyTaxSchemes), ": the taxes IVA, INC, IVA and INC, or none of these")
export const PaymentType = catalogCode(paymentTypes, ': "1" cash, "2" credit')
export const OrganizationType = catalogCode(organizationTypes, ': "1" legal entity, "2" natural person')

export type IdentificationType = typeof IdentificationType.Type
export type PartyTaxScheme = typeof PartyTaxScheme.Type
export type TaxCode = typeof TaxCode.Type
export type WithholdingCode = typeof WithholdingCode.Type
