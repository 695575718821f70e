import { Schema } from "effect"

/**
 * One code of the API's code tables. The request schemas and the catalogs that a client reads at runtime both derive from these
 * tables. `name` is the Spanish name in use, `name_en` is the API's own label; `authority_name` is present where the
 * authority's list gives the same code another meaning.
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
  { code: "50", name: "NIT de otro país", name_en: "tax number of a foreign company" }
] as const satisfies ReadonlyArray<CodeEntry>

export const paymentMeans = [
  { code: "10", name: "Efectivo", name_en: "cash" },
  { code: "47", name: "Tarjeta de crédito", name_en: "credit card", authority_name: "Transferencia Débito Bancaria" },
  { code: "48", name: "Tarjeta débito", name_en: "debit card", authority_name: "Tarjeta Crédito" },
  { code: "30", name: "Transferencia bancaria (crédito)", name_en: "bank transfer (credit)" },
  { code: "31", name: "Transferencia bancaria (débito)", name_en: "bank transfer (debit)" },
  { code: "20", name: "Cheque", name_en: "cheque" },
  { code: "42", name: "Consignación bancaria", name_en: "bank deposit" },
  { code: "71", name: "Billetera digital", name_en: "digital wallet", authority_name: "Bonos" },
  { code: "49", name: "Vale", name_en: "voucher", authority_name: "Tarjeta Débito" }
] as const satisfies ReadonlyArray<CodeEntry>

export const operationTypes = [
  { code: "10", name: "Estándar", name_en: "standard operation" },
  { code: "09", name: "AIU", name_en: "services with administration, contingency and profit (AIU)" },
  { code: "11", name: "Exportación", name_en: "sale to non-residents / export", authority_name: "Mandatos" }
] as const satisfies ReadonlyArray<CodeEntry>

export const units = [
  { code: "94", name: "Unidad", name_en: "unit" },
  { code: "KGM", name: "Kilogramo", name_en: "kilogram" },
  { code: "MTR", name: "Metro", name_en: "metre" },
  { code: "LTR", name: "Litro", name_en: "litre" },
  { code: "HUR", name: "Hora", name_en: "hour" },
  { code: "DAY", name: "Día", name_en: "day" },
  { code: "NAR", name: "Número de artículos", name_en: "number of articles" }
] as const satisfies ReadonlyArray<CodeEntry>

export const taxes = [
  { code: "01", name: "IVA", name_en: "value added tax", typical_rates: ["0.00", "5.00", "19.00"] },
  { code: "04", name: "INC", name_en: "national consumption tax", typical_rates: ["8.00", "16.00"] },
  { code: "03", name: "ICA", name_en: "industry and commerce tax" },
  { code: "02", name: "Impuesto al carbono", name_en: "carbon tax", authority_name: "IC" },
  { code: "ZZ", name: "No aplica", name_en: "no tax", typical_rates: ["0.00"] }
] as const satisfies ReadonlyArray<CodeEntry>

/** The reasons for which a credit note corrects an invoice. */
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

/** The reasons for which a debit note corrects an invoice. */
export const debitConcepts = [
  { code: "1", name: "Intereses", name_en: "interest" },
  { code: "2", name: "Gastos por cobrar", name_en: "expenses to be charged" },
  { code: "3", name: "Cambio del valor", name_en: "change of the value" },
  { code: "4", name: "Otros", name_en: "other" }
] as const satisfies ReadonlyArray<CodeEntry>

/** The tax responsibilities of an issuer towards the authority, as the issuer's documents state them. */
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

export const IdentificationType = catalogCode(codes(identificationTypes), " (GET /v1/catalogs/tipo-identificacion)")
export const PaymentMeansCode = catalogCode(codes(paymentMeans), " (GET /v1/catalogs/medios-pago)")
export const OperationType = catalogCode(codes(operationTypes), " (GET /v1/catalogs/tipo-operacion)")
export const UnitCode = catalogCode(codes(units), " (GET /v1/catalogs/unidad-medida)")
export const TaxCode = catalogCode(codes(taxes), " (GET /v1/catalogs/tributos)")
export const CreditConcept = catalogCode(codes(creditConcepts), " (GET /v1/catalogs/concepto-nota-credito)")
export const DebitConcept = catalogCode(codes(debitConcepts), " (GET /v1/catalogs/concepto-nota-debito)")
export const TaxResponsibility = catalogCode(codes(taxResponsibilities), "")
export const PaymentType = catalogCode(paymentTypes, ': "1" cash, "2" credit')
export const OrganizationType = catalogCode(organizationTypes, ': "1" legal entity, "2" natural person')

export type IdentificationType = typeof IdentificationType.Type
export type TaxCode = typeof TaxCode.Type
