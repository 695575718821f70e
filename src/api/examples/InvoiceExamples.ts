import type { CustomerRequest } from "../../../schemas/Customer.ts"
import type { InvoiceRequest } from "../../../schemas/Invoice.ts"
import type { Line } from "../../../schemas/Line.ts"
import { consulting, type DocumentExamples, line, noTax, vat } from "./DocumentExample.ts"

const invoice = (lines: ReadonlyArray<Line>, change: Partial<InvoiceRequest> = {}): InvoiceRequest => ({
  customer_id: "cust_01k9z3v8c2m4n6p8q0r2s4t6v8",
  currency: "COP",
  operation_type: "10",
  payment_means: { code: "10", type: "1" },
  lines,
  ...change
})

const foreigner: CustomerRequest = {
  identification: { type: "50", number: "US-1234" },
  legal_name: "Andes Imports Inc.",
  organization_type: "1",
  email: "billing@andesimports.example",
  address: "1007 Mountain Drive",
  country_code: "US"
}

/** The examples of invoices. The reference shows each example, and a test issues it. */
export const invoiceExamples: DocumentExamples<InvoiceRequest> = {
  standard: {
    title: "Sale with value added tax",
    text: "The minimal invoice: one line, its tax, and the means of payment.",
    request: invoice([consulting], { metadata: { order: "1001" } })
  },
  several_rates: {
    title: "Several rates, exempt and excluded goods",
    text: "An exempt item has tax 01 with rate 0.00. An excluded item has no tax: code ZZ.",
    request: invoice([
      line("Computador", "2000000.00", vat("2000000.00", "380000.00")),
      line("Café tostado", "30000.00", vat("30000.00", "1500.00", "5.00")),
      line("Leche entera", "5000.00", vat("5000.00", "0.00", "0.00")),
      line("Plátano", "3000.00", noTax, { unit_code: "KGM" })
    ])
  },
  measured_goods: {
    title: "Weights and prices of up to six digits",
    text: "0.345 kg at 12,990.50. Any rounding of the exact amount to the cent is valid.",
    request: invoice([
      line("Queso campesino", "4481.72", vat("4481.72", "851.53"), {
        quantity: "0.345",
        unit_code: "KGM",
        unit_price: "12990.50"
      })
    ])
  },
  line_discount: {
    title: "Discount on a line",
    text: "The discount lowers the amount of the line and the tax base.",
    request: invoice([
      line("Consultoría", "90000.00", vat("90000.00", "17100.00"), {
        quantity: "2.00",
        unit_price: "50000.00",
        allowance_charges: [
          { type: "discount", reason: "Cliente frecuente", percent: "10.00", base: "100000.00", amount: "10000.00" }
        ]
      })
    ])
  },
  document_discount_and_charge: {
    title: "Discount and charge on the whole invoice",
    text: "A conditional discount and the freight. They change the amount to pay, but no tax.",
    request: invoice([consulting], {
      allowance_charges: [
        { type: "discount", reason: "Pronto pago", code: "01", percent: "2.00", base: "100000.00", amount: "2000.00" },
        { type: "charge", reason: "Flete", base: "100000.00", amount: "8000.00" }
      ]
    })
  },
  plastic_bags: {
    title: "Tax on plastic bags",
    text: "A tax per unit: an amount for each bag instead of a rate. The bags have their own line.",
    request: invoice([
      line("Mercado", "50000.00", vat("50000.00", "9500.00")),
      line("Bolsa plástica", "200.00", vat("200.00", "38.00"), {
        quantity: "2.00",
        unit_price: "100.00",
        taxes: [
          vat("200.00", "38.00"),
          { code: "22", unit_amount: "70.00", units: "2.00", unit_code: "94", value: "140.00" }
        ]
      })
    ])
  },
  fuel: {
    title: "Fuel with the taxes on carbon and fuels",
    text: "Two taxes per gallon on one line.",
    request: invoice([
      line("Gasolina corriente", "155000.00", noTax, {
        quantity: "10.00",
        unit_code: "GLL",
        unit_price: "15500.00",
        taxes: [
          { code: "23", unit_amount: "211.98", units: "10.00", unit_code: "GLL", value: "2119.80" },
          { code: "24", unit_amount: "824.50", units: "10.00", unit_code: "GLL", value: "8245.00" }
        ]
      })
    ])
  },
  sugary_drinks: {
    title: "Sugary drinks",
    text: "A tax of 65 pesos per 100 millilitres, for 24 bottles of 400 ml.",
    request: invoice([
      line("Gaseosa 400 ml", "60000.00", vat("60000.00", "11400.00"), {
        quantity: "24.00",
        unit_price: "2500.00",
        taxes: [
          vat("60000.00", "11400.00"),
          { code: "34", unit_amount: "65.00", units: "9600.00", unit_code: "MLT", value: "6240.00" }
        ]
      })
    ])
  },
  ultra_processed_food: {
    title: "Ultra-processed food",
    text: "A tax by percentage in addition to value added tax, on the same base.",
    request: invoice([
      line("Papas fritas en paquete", "50000.00", noTax, {
        taxes: [vat("50000.00", "9500.00"), { code: "35", rate: "20.00", base: "50000.00", value: "10000.00" }]
      })
    ])
  },
  liquor: {
    title: "Liquor",
    text: "An amount per degree of alcohol, and a percentage of the price.",
    request: invoice([
      line("Aguardiente 750 ml", "45000.00", noTax, {
        taxes: [
          vat("45000.00", "2250.00", "5.00"),
          { code: "32", unit_amount: "342.00", units: "29.00", unit_code: "94", value: "9918.00" },
          { code: "36", rate: "25.00", base: "45000.00", value: "11250.00" }
        ]
      })
    ])
  },
  single_use_plastics: {
    title: "Single-use plastics",
    text: "A tax per gram of plastic.",
    request: invoice([
      line("Vasos desechables", "20000.00", vat("20000.00", "3800.00"), {
        taxes: [
          vat("20000.00", "3800.00"),
          { code: "33", unit_amount: "2.49", units: "500.00", unit_code: "GRM", value: "1245.00" }
        ]
      })
    ])
  },
  restaurant: {
    title: "Restaurant with consumption tax",
    text: "INC at 8 % instead of value added tax.",
    request: invoice([
      line("Almuerzo ejecutivo", "25000.00", { code: "04", rate: "8.00", base: "25000.00", value: "2000.00" })
    ])
  },
  aiu: {
    title: "Contract with administration, contingency and profit (AIU)",
    text: "Operation 09: only a part of the price is taxed, and the administration line names the contract.",
    request: invoice(
      [
        line("Servicio de aseo", "1000000.00", noTax),
        line("Administración", "60000.00", vat("60000.00", "11400.00"), {
          aiu_contract: "Servicio de aseo y cafetería en las oficinas de Bogotá"
        }),
        line("Imprevistos", "20000.00", vat("20000.00", "3800.00")),
        line("Utilidad", "20000.00", vat("20000.00", "3800.00"))
      ],
      { operation_type: "09" }
    )
  },
  mandate: {
    title: "Sale on behalf of a principal (mandate)",
    text: "The line names the principal. The authority receives the invoice as a mandate.",
    request: invoice([
      {
        ...consulting,
        description: "Venta de café por cuenta del productor",
        principal: {
          identification: { type: "31", number: "800197268", check_digit: "4" },
          legal_name: "Productor Andino S.A.S."
        }
      }
    ])
  },
  free_sample: {
    title: "Free sample",
    text: "A price of zero. The tax applies to the reference price of the sample.",
    request: invoice([
      consulting,
      line("Muestra gratis", "0.00", vat("5000.00", "950.00"), {
        reference_price: { amount: "5000.00", type: "01" }
      })
    ])
  },
  special_base: {
    title: "Special tax base",
    text: "The base of the tax differs from the price. The line gives the reason, and the document shows it in a note.",
    request: invoice([
      line("Cerveza importada", "80000.00", vat("60000.00", "11400.00"), {
        special_base: "Base gravable especial: artículo 475 del Estatuto Tributario"
      })
    ])
  },
  coded_items: {
    title: "Item codes",
    text: "Your own code, UNSPSC, or the GTIN of the bar code. Tariff headings are possible too.",
    request: invoice([
      { ...consulting, item: { code: "CONS-01", scheme: "999" } },
      { ...consulting, item: { code: "80101500", scheme: "001" } },
      { ...consulting, item: { code: "7702004003508", scheme: "010" } }
    ])
  },
  export: {
    title: "Export",
    text: "Operation 11 in dollars, with the terms of delivery and the brand and model of the goods.",
    request: invoice(
      [
        line("Café verde", "2500.00", vat("2500.00", "0.00", "0.00"), {
          quantity: "500.00",
          unit_code: "KGM",
          unit_price: "5.00",
          item: { code: "0901111000", scheme: "020", brand: "Andina", model: "Excelso" }
        })
      ],
      {
        currency: "USD",
        exchange_rate: "4100.50",
        operation_type: "11",
        payment_means: { code: "30", type: "1", reference: "SWIFT-1001" },
        incoterm: "FOB"
      }
    ),
    customer: foreigner
  },
  foreign_currency: {
    title: "Sale in foreign currency",
    text: "The exchange rate of the issue date, with up to six fraction digits.",
    request: invoice([line("Licencia de software", "100.00", vat("100.00", "19.00"))], {
      currency: "EUR",
      exchange_rate: "4512.123456"
    })
  },
  withholdings: {
    title: "Withholdings",
    text: "The document shows the withholdings and the net amount that you receive. They do not change the amount to pay.",
    request: invoice([consulting], {
      withholdings: [
        { code: "05", rate: "15.00", base: "19000.00", value: "2850.00" },
        { code: "06", rate: "2.50", base: "100000.00", value: "2500.00" },
        { code: "07", rate: "0.966", base: "100000.00", value: "966.00" }
      ]
    })
  },
  prepayment: {
    title: "Prepayment",
    text: "A prepayment lowers `due_amount`, the balance due. `payable_amount` stays the value of the invoice.",
    request: invoice([consulting], {
      prepayments: [{ amount: "20000.00", received_date: "2026-11-01", id: "RC-17" }]
    })
  },
  rounding: {
    title: "Rounded total",
    text: "The total is rounded to whole pesos, and the cash payment to the available coins.",
    request: invoice([line("Fotocopias", "1234.56", vat("1234.56", "234.57"))], {
      payable_rounding_amount: "-0.13",
      cash_rounding_amount: "31.00"
    })
  },
  credit_terms: {
    title: "Credit terms with two means of payment",
    text: "A sale on credit has a due date. Each further means of payment has its own terms.",
    request: invoice([consulting], {
      payment_means: { code: "30", type: "2", due_date: "2029-12-31", reference: "PAGO-1001" },
      other_payment_means: [{ code: "10", type: "1" }]
    })
  },
  references: {
    title: "Order, despatch, delivery and notes",
    text: "References that let the buyer match the invoice with the order and the delivery.",
    request: invoice(
      [{ ...consulting, notes: ["Garantía de un año"], period: { start_date: "2026-11-01", end_date: "2026-11-15" } }],
      {
        order_reference: { id: "OC-7781", issue_date: "2026-11-02" },
        despatch_reference: { id: "RM-112" },
        notes: ["Gracias por su compra"],
        period: { start_date: "2026-11-01", end_date: "2026-11-30" },
        delivery: {
          date: "2026-11-25",
          address: "Calle 10 # 5-51",
          city_code: "11001",
          department_code: "11",
          country_code: "CO"
        }
      }
    )
  }
}
