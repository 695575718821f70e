import Fastify, { type FastifyInstance } from "fastify"
import type { InvoiceRequest } from "../../../schemas/Invoice.ts"

const text = (maxLength: number) => ({ type: "string", minLength: 1, maxLength })
const amount = { type: "string", pattern: "^[0-9]{1,15}\\.[0-9]{2}$" }
const object = (properties: Record<string, object>, optional: ReadonlyArray<string> = []) => ({
  type: "object",
  additionalProperties: false,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties
})

const invoiceRequest = object(
  {
    customer_id: text(64),
    currency: { type: "string", pattern: "^[A-Z]{3}$" },
    operation_type: { enum: ["09", "10", "11"] },
    payment_means: object({ code: text(3), type: { enum: ["1", "2"] }, due_date: { type: "string", format: "date" } }, [
      "due_date"
    ]),
    lines: {
      type: "array",
      minItems: 1,
      maxItems: 500,
      items: object({
        description: text(300),
        quantity: amount,
        unit_code: text(3),
        unit_price: amount,
        line_extension_amount: amount,
        taxes: {
          type: "array",
          minItems: 1,
          maxItems: 10,
          items: object({ code: { enum: ["01", "02", "03", "04", "ZZ"] }, rate: amount, base: amount, value: amount })
        }
      })
    },
    metadata: { type: "object", maxProperties: 50, additionalProperties: { type: "string", maxLength: 500 } }
  },
  ["metadata"]
)

const invoiceCreated = object({ id: { type: "string" }, object: { const: "invoice" }, status: { type: "string" } })

/**
 * A server with `POST /invoices`, whose requests and responses have JSON schemas; `create` stores the draft and returns
 * its id.
 */
export const invoiceServer = (create: (request: InvoiceRequest) => Promise<string>): FastifyInstance => {
  const server = Fastify()
  server.post<{ Body: InvoiceRequest }>(
    "/invoices",
    { schema: { body: invoiceRequest, response: { 202: invoiceCreated } } },
    async (request, reply) => {
      const id = await create(request.body)
      return reply.code(202).send({ id, object: "invoice", status: "draft" })
    }
  )
  return server
}
