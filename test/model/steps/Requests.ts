import { Arbitrary, Schema } from "effect"
import { checkDigit, sandboxIdentification } from "../../../src/documents/rules/parties/CheckDigit.ts"
import { eventTypes } from "../../../schemas/Event.ts"
import { addresses, buyers, lineSets, wrongBuyers, wrongLineSets } from "./RequestSteps.ts"
import type { StepOf } from "./Steps.ts"

/**
 * Response that a request deserves by itself, without earlier requests. `early` rejections come before the look-up of
 * its idempotency key.
 */
export type Deserves =
  | { readonly status: 200 | 201 | 202 }
  | { readonly status: 400 | 404; readonly code: string; readonly early: boolean }

const refused = (code: string, early: boolean): Deserves => ({ status: 400, code, early })

const numbers: Readonly<Record<string, string>> = {
  rejected: "900000002",
  away: "900000003",
  refused: "900000004",
  slow: "900000005",
  flaky: "900000006",
  notified: "900000007",
  lost: "900000008",
  "no name": "900000007"
}

type Address = StepOf<"customer">["mail"]
const domains = { taken: "example.com", bounced: "bounced.test", complained: "complained.test" } as const
export const addressOf = (name: string, mail: Exclude<Address, "none">): string => `${name}@${domains[mail]}`

/** An acquirer whose name says how the sandbox treats its invoices; `marker` identifies it. */
export const customerRequest = (
  buyer: StepOf<"customer">["buyer"],
  marker: string,
  livemode: boolean,
  mail: Address = "none"
) => {
  const number = numbers[buyer]
  const identification =
    buyer === "person"
      ? { type: "13", number: "1020304050" }
      : buyer === "wrong digit"
        ? { type: "31", number: "900373115", check_digit: "5" }
        : number === undefined
          ? sandboxIdentification
          : { type: "31", number, check_digit: checkDigit(number) }
  const deserves: Deserves =
    buyer === "no name"
      ? refused("parameter_missing", true)
      : buyer === "wrong digit" || (buyer === "accepted" && livemode)
        ? refused("invalid_check_digit", false)
        : { status: 201 }
  const name = buyer === "no name" ? {} : { legal_name: "Cliente de Prueba S.A.S." }
  const email = mail === "none" ? {} : { email: addressOf(marker, mail) }
  return {
    draw: buyer,
    deserves,
    body: { identification, ...name, organization_type: "1", ...email, metadata: { marker } }
  }
}

const money = (cents: number) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`

/** A line of `quantity` at `price` pesos, with a tax in percent, or none. */
const line = (quantity: number, price: number, rate: number) => {
  const amount = money(quantity * price * 100)
  const tax = { code: "01", rate: `${rate}.00`, base: amount, value: money(quantity * price * rate) }
  const none = { code: "ZZ", rate: "0.00", base: "0.00", value: "0.00" }
  return {
    description: `Servicio ${quantity}`,
    quantity: `${quantity}.00`,
    unit_code: "94",
    unit_price: money(price * 100),
    line_extension_amount: amount,
    taxes: [rate === 0 ? none : tax]
  }
}

type Lines = ReadonlyArray<ReturnType<typeof line>>

const linesOf: Readonly<Record<StepOf<"invoice">["lines"], Lines>> = {
  one: [line(1, 100_000, 19)],
  two: [line(2, 50_000, 19), line(3, 1_001, 5)],
  untaxed: [line(7, 13, 0)],
  five: [1, 2, 3, 4, 5].map((quantity) => line(quantity, 333 * quantity, quantity % 2 === 0 ? 19 : 0)),
  "wrong amount": [{ ...line(1, 100_000, 0), line_extension_amount: "100002.01" }],
  "wrong tax": [line(1, 100, 19)].map((one) => ({
    ...one,
    taxes: one.taxes.map((tax) => ({ ...tax, value: "29.00" }))
  })),
  "no lines": []
}

export const invoiceRequest = (customer_id: string, lines: StepOf<"invoice">["lines"], marker: string) => {
  const deserves: Deserves =
    lines === "no lines"
      ? refused("parameter_invalid_empty", true)
      : lines === "wrong amount"
        ? refused("amount_mismatch", false)
        : lines === "wrong tax"
          ? refused("tax_mismatch", false)
          : { status: 202 }
  const body = {
    customer_id,
    currency: "COP",
    operation_type: "10",
    payment_means: { code: "10", type: "1" },
    lines: linesOf[lines],
    metadata: { marker }
  }
  return { draw: lines, deserves, body }
}

/** A note on an invoice with these lines. */
export const noteRequest = (
  invoice_id: string,
  { lines, ofInvoice }: { readonly lines: StepOf<"note">["lines"]; readonly ofInvoice: Lines | undefined },
  marker: string
) => {
  const own = ofInvoice ?? linesOf.one
  const sent = { whole: own, part: own.slice(0, 1), more: [line(9, 900_000_000, 0)], "wrong tax": linesOf["wrong tax"] }
  const deserves: Deserves = lines === "wrong tax" ? refused("tax_mismatch", false) : { status: 202 }
  const body = { invoice_id, correction_code: "1", reason: "Devolución", lines: sent[lines], metadata: { marker } }
  return { draw: lines, deserves, body }
}

export const subscriptions = {
  all: eventTypes,
  any: ["*"],
  accepted: ["invoice.accepted_by_authority", "credit_note.accepted_by_authority"],
  rejected: ["invoice.rejected_by_authority", "invoice.failed"],
  others: ["credit_note.failed", "invoice.email.bounced"]
} as const

export const endpointRequest = (
  url: string,
  subscribes: keyof typeof subscriptions,
  max_in_flight: number,
  marker: string
) => ({
  deserves: { status: 201 } as Deserves,
  body: { url, subscribed_events: subscriptions[subscribes], max_in_flight, metadata: { marker } }
})

export const endpointPatch = (what: StepOf<"change">["what"], marker: string) => {
  switch (what) {
    case "off":
      return { is_active: false }
    case "on":
      return { is_active: true }
    case "describe":
      return { description: `Número ${marker}` }
    default:
      return { subscribed_events: subscriptions[what] }
  }
}

/** The same JSON value in another notation. */
export const relaidOut = (text: string): string => JSON.stringify(turned(JSON.parse(text)), null, 2)

const turned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, turned(member)])
  )
}

/** A request and the response that it deserves. `body` is sent as JSON. */
export interface RequestToMake {
  readonly method: "POST"
  readonly path: string
  readonly body: object
  readonly deserves: Deserves
}

const contentOf = ({ body, deserves }: Pick<RequestToMake, "body" | "deserves">) => ({ body, deserves })

const markers = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999_999 })))

/**
 * Single requests of a test key, valid and invalid, each with the response that it deserves by itself.
 *
 * @param options.customer_id a customer that exists
 * @param options.url a URL that webhooks may reach
 */
export const requests = (options: {
  readonly customer_id: string
  readonly url: string
}): Arbitrary.Arbitrary<RequestToMake> =>
  Arbitrary.all({
    what: Arbitrary.schema(Schema.Literals(["customer", "invoice", "endpoint"])),
    buyer: Arbitrary.schema(Schema.Literals([...buyers, ...wrongBuyers])),
    mail: Arbitrary.schema(Schema.Literals(addresses)),
    lines: Arbitrary.schema(Schema.Literals([...lineSets, ...wrongLineSets])),
    marker: markers
  }).pipe(
    Arbitrary.map(({ buyer, lines, mail, marker, what }): RequestToMake => {
      const method = "POST"
      const name = String(marker)
      switch (what) {
        case "customer":
          return { method, path: "/v1/customers", ...contentOf(customerRequest(buyer, name, false, mail)) }
        case "invoice":
          return { method, path: "/v1/invoices", ...contentOf(invoiceRequest(options.customer_id, lines, name)) }
        case "endpoint":
          return { method, path: "/v1/webhook-endpoints", ...endpointRequest(options.url, "all", 8, name) }
      }
    })
  )
