const string = { type: "string" } as const
const decimal = { type: "string", pattern: "^\\d{1,15}\\.\\d{2}$" } as const
const object = <P extends object>(properties: P) =>
  ({ type: "object", required: Object.keys(properties), properties, additionalProperties: false }) as const

/** What is asked for in the body of an invoice, in Fastify's own language. */
export const invoiceSchema = object({
  customer_id: string,
  currency: string,
  operation_type: string,
  payment_means: object({ code: string, type: string }),
  lines: {
    type: "array",
    minItems: 1,
    maxItems: 500,
    items: object({
      description: string,
      quantity: decimal,
      unit_code: string,
      unit_price: decimal,
      line_extension_amount: decimal,
      taxes: { type: "array", items: object({ code: string, rate: decimal, base: decimal, value: decimal }) }
    })
  },
  metadata: { type: "object", additionalProperties: string }
} as const)
