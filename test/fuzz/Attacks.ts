import { png } from "../accounts/rules/pictures.ts"
import { customerBody, invoiceBody } from "../support/apps/Invoices.ts"
import type { Chance } from "./Chance.ts"
import type { Known } from "./Messages.ts"

export interface Answer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- as a client reads it
  readonly json: any
}

interface Request {
  readonly method: string
  readonly path: string
  /** Header lines besides the key, the length and the JSON media type. */
  readonly headers?: ReadonlyArray<string>
  readonly body?: string | Buffer | object
}

/** A request that broke the service once, or could break it, with its right response. */
export interface Attack extends Request {
  /** The right response in words, for a finding. */
  readonly right: string
  readonly isRight: (answer: Answer) => boolean
  /** Maximum length of one event-loop turn on this request, in milliseconds. */
  readonly turnMax?: number
}

const refused = (status: number, code: string, says: RegExp) => ({
  right: `${status} ${code} ${says}`,
  isRight: ({ json, status: got }: Answer) =>
    got === status && json?.error?.code === code && says.test(json.error.message)
})

interface Fault {
  readonly param: string
  readonly message: string
}

/** The right response of a validation with this violation. */
const invalid = (param: string, says: RegExp) => ({
  right: `the fault ${param} ${says}`,
  isRight: ({ json, status }: Answer) =>
    status === 200 &&
    json?.valid === false &&
    json.errors.some((fault: Fault) => fault.param === param && says.test(fault.message))
})

/** The right response of a validation without a violation, with or without warnings. */
const valid = (isWarned: boolean) => ({
  right: `valid, ${isWarned ? "with" : "without"} warnings`,
  isRight: ({ json, status }: Answer) =>
    status === 200 && json?.valid === true && (json.warnings !== undefined) === isWarned
})

const ok = { right: "200", isRight: ({ status }: Answer) => status === 200 }

const [line] = invoiceBody("").lines
const [tax] = line!.taxes
const cents = (amount: number) => (amount / 100).toFixed(2)

const validate = (known: Known, change: object) => ({
  method: "POST",
  path: "/v1/invoices/validate",
  body: { ...invoiceBody(known.payer), ...change }
})

const withTax = (known: Known, value: string) => validate(known, { lines: [{ ...line, taxes: [{ ...tax, value }] }] })

/** A letter of a member name, plain or as an escape. */
const escaped = (name: string, chance: Chance) =>
  [...name]
    .map((letter) => (chance.once(2) ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}` : letter))
    .join("")

type Draw = (known: Known, chance: Chance, id: string) => Attack

const attacks: Readonly<Record<string, Draw>> = {
  "a header twice": (known, chance) => {
    const [name, value, code] = chance.oneOf([
      ["Idempotency-Key", "of the client", "idempotency_key_invalid"],
      ["Authorization", `Bearer ${known.apiKey}`, "parameter_invalid"],
      ["Content-Type", "application/json", "parameter_invalid"],
      ["Svc-Version", "2026-01-01", "unsupported_version"]
    ] as const)
    // The message has one Authorization and one Content-Type already.
    const times = /^[AC]/.test(name) ? 1 : 2
    return {
      method: "POST",
      path: "/v1/customers",
      headers: Array.from({ length: times }, () => `${name}: ${value}`),
      body: customerBody(),
      ...refused(400, code, new RegExp(`header ${name} 2 times`))
    }
  },
  "a member name with escapes": (_known, chance, id) => {
    // An engine may confuse these names, because an earlier object had the other one.
    const [name, value] = [`talla ${chance.below(3)}${chance.oneOf(["", "a", "5"])}`, `of ${id}`]
    const metadata = `{"${escaped(name, chance)}":"${value}","${escaped("order", chance)}":"${id}"}`
    const body = JSON.stringify(customerBody()).replace(/\}$/, `,"metadata":${metadata}}`)
    const right = { [name]: value, order: id }
    return {
      method: "POST",
      path: "/v1/customers",
      headers: [`Idempotency-Key: attack ${id}`],
      body,
      right: `201 with the metadata ${JSON.stringify(right)}`,
      isRight: ({ json, status }) =>
        status === 201 &&
        Object.keys(json.metadata ?? {}).length === 2 &&
        json.metadata[name] === value &&
        json.metadata.order === id
    }
  },
  "a member name that needs an escape": (_known, chance, id) => ({
    method: "POST",
    path: "/v1/customers",
    headers: [`Idempotency-Key: attack ${id}`],
    body: { ...customerBody(), metadata: { [`talla 5${chance.oneOf(['"', "\\"])}`]: "L" } },
    ...refused(400, "parameter_invalid", /quotation mark .* backslash/)
  }),
  "an odd media type": (known, chance) => {
    const [parameters, says] = chance.oneOf([
      ["; charset=utf-8; charset=utf-8", /charset 2 times/],
      [";odata=verbose", /parameter "odata=verbose"/],
      ["; charset=utf-16", /charset "utf-16"/]
    ] as const)
    const { body, ...request } = validate(known, {})
    return {
      ...request,
      headers: [`Content-Type: application/json${parameters}`],
      body: JSON.stringify(body),
      ...refused(415, "unsupported_media_type", says)
    }
  },
  "the cursor of a deleted object": (known, chance) => ({
    method: "GET",
    path: `/v1/customers?${chance.oneOf(["starting_after", "ending_before"])}=${known.deleted}`,
    ...ok
  }),
  "a small file of a huge picture": (_known, chance) => {
    const sides: [number, number] = chance.once(2) ? [1, 1_000_000] : [1_000_000, 1]
    return {
      method: "PUT",
      path: "/v1/account/logo",
      headers: ["Content-Type: image/png"],
      body: png(...sides),
      turnMax: 50,
      ...refused(400, "parameter_invalid", /10,?000/)
    }
  },
  "a figure near the tolerance": (known, chance) => {
    const off = chance.once(3) ? chance.oneOf([-201, -200, 200, 201]) : chance.below(600) - 300
    return {
      ...withTax(known, cents(1_900_000 + off)),
      ...(Math.abs(off) > 200 ? invalid("lines[0].taxes[0].value", /must be "19000\.00"/) : valid(off !== 0))
    }
  },
  "a prepayment": (known, chance) => {
    if (chance.once(2)) {
      return {
        method: "GET",
        path: `/v1/invoices/${known.prepaid}`,
        right: "payable_amount 119000.00 and due_amount 100000.00",
        isRight: ({ json }) => json?.totals?.payable_amount === "119000.00" && json.totals.due_amount === "100000.00"
      }
    }
    const paid = chance.oneOf([1, 6_000_000, 11_900_000, 11_900_001, 1 + chance.below(20_000_000)])
    return {
      ...validate(known, { prepayments: [{ amount: cents(paid), received_date: "2026-01-02" }] }),
      // The authority only sends a notification about prepayments above the value of the document.
      ...valid(paid > 11_900_000)
    }
  },
  "zeros before a figure": (known, chance) => ({
    ...withTax(known, `${"0".repeat(1 + chance.below(3))}19000.00`),
    ...invalid("lines[0].taxes[0].value", /no zero before its first digit/)
  }),
  "a date of another age": (known, chance) => {
    const received_date = chance.oneOf(["0000-01-01", "1899-12-31", "2200-01-01", "9999-12-31"])
    return {
      ...validate(known, { prepayments: [{ amount: "1.00", received_date }] }),
      ...invalid("prepayments[0].received_date", /from 1900 to 2199/)
    }
  },
  "a slash at the end": (known, chance) => ({
    method: "GET",
    path: chance.oneOf(["/v1/account/", "/v1/invoices/", `/v1/customers/${known.payer}/`]),
    ...refused(404, "route_not_found", /slash at its end/)
  })
}

/** Name and request of an attack; the id makes the request unique. */
export const attack = (known: Known, chance: Chance, id: string) => {
  const [name, draw] = chance.oneOf(Object.entries(attacks))
  return { name, ...draw(known, chance, id) }
}

export const bytesOf = ({ body, headers = [], method, path }: Request, { apiKey }: Known): Buffer => {
  const isJson = typeof body === "object" && !Buffer.isBuffer(body)
  const bytes = body === undefined ? undefined : Buffer.from(isJson ? JSON.stringify(body) : (body as Buffer))
  const hasType = !isJson && headers.some((one) => one.startsWith("Content-Type:"))
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "Host: folio.test",
    `Authorization: Bearer ${apiKey}`,
    ...(bytes === undefined ? [] : [`Content-Length: ${bytes.length}`]),
    ...(bytes === undefined || hasType ? [] : ["Content-Type: application/json"]),
    ...headers,
    "Connection: close"
  ]
  return Buffer.concat([Buffer.from([...lines, "", ""].join("\r\n")), bytes ?? Buffer.alloc(0)])
}
