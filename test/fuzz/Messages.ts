import { oddBodies } from "../postgres/requests/largestBodies.ts"
import { customerBody, endpointBody, invoiceBody, noteBody } from "../support/apps/Invoices.ts"
import { type Answer, attack, bytesOf } from "./Attacks.ts"
import { type Chance, chanceOf } from "./Chance.ts"
import { anything, anyText, changed, document, like } from "./Values.ts"

/**
 * Names for the messages to use: a key, an object of each kind, a deleted customer, and a URL that webhooks may reach.
 */
export interface Known {
  readonly apiKey: string
  readonly customer: string
  /** A customer that only attacks name, so that no other message deletes it. */
  readonly payer: string
  readonly deleted: string
  readonly invoice: string
  /** An invoice of 119000.00 with a prepayment of 19000.00. */
  readonly prepaid: string
  readonly endpoint: string
  readonly hook: string
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly in: string; readonly schema: object }>
  readonly body?: object
}

/** The schema of a body, which is JSON or a file. */
const schemaOf = (content: Readonly<Record<string, { readonly schema: object }>>): object =>
  Object.values(content)[0]?.schema ?? {}

const operations: ReadonlyArray<Operation> = Object.entries(document.paths).flatMap(([path, methods]) =>
  // oxlint-disable-next-line typescript/no-explicit-any -- as the document
  Object.entries(methods as Record<string, any>).map(([method, { parameters, requestBody }]) => ({
    method: method.toUpperCase(),
    path,
    parameters,
    ...(requestBody === undefined ? {} : { body: schemaOf(requestBody.content) })
  }))
)

const pages = [
  "/docs",
  "/docs/reference/invoices",
  "/docs/errors",
  "/docs/errors/malformed_json",
  "/v1/openapi.json",
  "/metrics",
  "/",
  "*",
  "/v1"
]
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "M-SEARCH", "get", "X"]

const rightBody = (path: string, known: Known) => {
  if (path.startsWith("/v1/customers")) return customerBody()
  if (path.endsWith("-notes")) return noteBody(known.invoice)
  if (path.endsWith("/annul")) return { reason: "Error" }
  if (path.startsWith("/v1/invoices")) return invoiceBody(known.customer)
  return path.endsWith("webhook-endpoints") ? endpointBody(known.hook) : { is_active: true }
}

const asText = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

const inUrl = (text: string, chance: Chance) =>
  chance.once(4) ? text.replaceAll(/[\s\u0000-\u001f\u0080-\uffff#?]/g, "") : encodeURIComponent(text.toWellFormed())

const ids = ({ endpoint, invoice }: Known) => [invoice, endpoint, "tributos"]

const pathOf = (operation: Operation, known: Known, chance: Chance) => {
  const own = operation.path.includes("catalog")
    ? "tributos"
    : operation.path.includes("customers")
      ? // The customer of the invoices must stay.
        operation.method === "DELETE"
        ? "cust_1"
        : known.customer
      : operation.path.includes("invoices")
        ? known.invoice
        : known.endpoint
  const path = operation.path.replaceAll(/\{\w+\}/g, () =>
    chance.once(2) ? own : inUrl(chance.once(3) ? chance.oneOf(ids(known)) : anyText(chance), chance)
  )
  const query = operation.parameters
    .filter((parameter) => parameter.in === "query" && chance.once(2))
    .map(
      ({ name, schema }) => [name, chance.once(3) ? chance.oneOf(ids(known)) : asText(like(schema, chance))] as const
    )
  const odd = chance.once(12) ? [[anyText(chance), anyText(chance)] as const] : []
  const pairs = [...query, ...odd].map(([name, value]) => `${inUrl(name, chance)}=${inUrl(value, chance)}`)
  return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`
}

/** A header of one line, with line breaks removed. */
const line = (text: string) => text.replaceAll(/[\r\n]/g, "").slice(0, 20_000)

const headersOf = (operation: Operation, known: Known, chance: Chance): ReadonlyArray<string> => {
  const sent = operation.parameters
    .filter((parameter) => parameter.in === "header" && !chance.once(3))
    .map(({ name, schema }) => `${name}: ${line(asText(chance.once(6) ? anyText(chance) : like(schema, chance)))}`)
  const key = chance.once(12) ? anyText(chance) : known.apiKey
  return [
    "Host: folio.test",
    ...(chance.once(30) ? [] : [`Authorization: ${chance.once(40) ? "Basic" : "Bearer"} ${line(key)}`]),
    ...(operation.method === "POST" && !chance.once(10) ? [`Idempotency-Key: fuzz ${chance.below(60)}`] : []),
    ...sent,
    ...(chance.once(6) ? [`Accept: ${chance.oneOf(["*/*", "application/problem+json", "text/html;q=x", ",;"])}`] : []),
    ...(chance.once(12) ? [`X-Odd: ${line(anyText(chance))}`] : [])
  ]
}

const mediaTypes = ["text/plain", "application/json; charset=utf-16", "application/x-www-form-urlencoded", "json", ""]

const bodyOf = (operation: Operation, known: Known, chance: Chance): Buffer | undefined => {
  if (operation.body === undefined && !chance.once(15)) return undefined
  if (chance.once(20)) return Buffer.from(chance.oneOf(oddBodies)[1])
  const kind = chance.below(10)
  if (kind < 3) return Buffer.from(JSON.stringify(rightBody(operation.path, known)))
  if (kind < 6) return Buffer.from(JSON.stringify(changed(rightBody(operation.path, known), chance)) ?? "")
  if (kind < 8) return Buffer.from(JSON.stringify(like(operation.body ?? {}, chance)) ?? "")
  if (kind === 8) return Buffer.from(JSON.stringify(anything(chance, 40)) ?? "")
  return spoiled(Buffer.from(JSON.stringify(rightBody(operation.path, known))), chance)
}

/** Bytes with some of them changed, removed, repeated or inserted. */
const spoiled = (bytes: Buffer, chance: Chance): Buffer => {
  let now = bytes
  for (let left = 1 + chance.below(4); left > 0; left -= 1) {
    const [from, length] = [chance.below(now.length + 1), chance.below(chance.once(4) ? 200 : 4)]
    const [before, part, after] = [
      now.subarray(0, from),
      now.subarray(from, from + length),
      now.subarray(from + length)
    ]
    const noise = Buffer.from(Array.from({ length: 1 + chance.below(6) }, () => chance.below(256)))
    now = Buffer.concat(
      chance.oneOf([
        [before, after],
        [before, noise, after],
        [before, noise, part, after],
        [before, part, part, after],
        [before]
      ])
    )
  }
  return now
}

const inChunks = (body: Buffer, chance: Chance): Buffer => {
  const parts: Array<Buffer | string> = []
  for (let at = 0; at < body.length;) {
    const part = body.subarray(at, at + 1 + chance.below(chance.once(2) ? 5 : 5_000))
    parts.push(`${part.length.toString(16)}${chance.once(20) ? ";x=1" : ""}\r\n`, part, "\r\n")
    at += part.length
  }
  return Buffer.concat(
    [...parts, chance.once(10) ? "0\r\nX-Trailer: 1\r\n\r\n" : "0\r\n\r\n"].map((part) => Buffer.from(part))
  )
}

/** A request that matches the OpenAPI document, or nearly. */
const requested = (known: Known, chance: Chance, last = true): Buffer => {
  const operation = chance.oneOf(operations)
  const method = chance.once(25) ? chance.oneOf(methods) : operation.method
  const path = chance.once(25) ? chance.oneOf(pages) : pathOf(operation, known, chance)
  const body = bodyOf(operation, known, chance)
  const chunked = chance.once(8)
  const headers = [
    ...headersOf(operation, known, chance),
    ...(last ? ["Connection: close"] : []),
    ...(body === undefined ? [] : [`Content-Type: ${chance.once(12) ? chance.oneOf(mediaTypes) : "application/json"}`]),
    ...(body === undefined ? [] : [chunked ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length}`])
  ]
  const head = [`${method} ${path} HTTP/1.${chance.once(20) ? 0 : 1}`, ...headers, "", ""].join("\r\n")
  return Buffer.concat([
    Buffer.from(head),
    body === undefined ? Buffer.alloc(0) : chunked ? inChunks(body, chance) : body
  ])
}

/** A valid creation request, whose idempotency key may belong to another request. */
const making = (known: Known, chance: Chance): Buffer => {
  const path = chance.oneOf(["/v1/customers", "/v1/invoices", "/v1/invoices/validate", "/v1/webhook-endpoints"])
  const body = JSON.stringify(rightBody(path, known))
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: folio.test",
    `Authorization: Bearer ${known.apiKey}`,
    `Idempotency-Key: made ${chance.below(60)}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close"
  ]
  return Buffer.from([...head, "", body].join("\r\n"))
}

/** Invalid header lines about a message's framing. */
const framings = [
  ["Content-Length: -1", "Content-Length: 1e3", "Content-Length: 99999999999999999999", "Content-Length: 5, 5"],
  ["Content-Length: 5", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: x"],
  ["Transfer-Encoding: chunked, identity", "Content-Encoding: gzip", "Expect: 100-continue", "Expect: x"],
  ["Upgrade: websocket\r\nConnection: Upgrade", "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings", "Trailer: x"],
  ["Connection: keep-alive, close, x", "Connection: close", "Host: a\r\nHost: b", "TE: trailers", "Range: bytes=0-1"],
  ["If-None-Match: *", 'If-None-Match: W/"', "Svc-Version: 2026-01-01\r\nSvc-Version: x", " folded: x", "X\u0000: 1"],
  ["Cookie: a=b", `X-Much: ${"y".repeat(17_000)}`, `X-More: ${"y".repeat(40_000)}`, "X: 1\r\n".repeat(300).trim()]
].flat()

const bodies = [
  "",
  "{}",
  "5\r\nhello\r\n0\r\n\r\n",
  "0\r\n\r\n",
  "fffffffffffffffff\r\n",
  "-1\r\n\r\n",
  "5\nhello\n0\n\n",
  "x".repeat(300_000)
]

const misframed = (known: Known, chance: Chance): Buffer => {
  const operation = chance.oneOf(operations)
  const path = chance.oneOf([
    pathOf(operation, known, chance),
    "http://folio.test/v1/account",
    `/v1/account?${"x".repeat(9_000)}`,
    `/${"y".repeat(40_000)}`,
    "//v1/account",
    "/v1/account#x",
    "/v1/../v1/account"
  ])
  const lines = Array.from({ length: 1 + chance.below(3) }, () => chance.oneOf(framings))
  const ending = chance.once(15) ? "\n" : "\r\n"
  const head = [
    `${chance.once(3) ? chance.oneOf(methods) : operation.method} ${path} HTTP/1.1`,
    ...headersOf(operation, known, chance),
    ...lines,
    "",
    ""
  ]
  return Buffer.from(head.join(ending) + chance.oneOf(bodies), "latin1")
}

const noise = (chance: Chance) => {
  const greetings = [
    "",
    "GET ",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "\u0016\u0003\u0001",
    "\r\n\r\n",
    "GET / HTTP/1.1\r\n"
  ]
  const bytes = Array.from({ length: chance.below(chance.once(4) ? 3_000 : 40) }, () => chance.below(256))
  return Buffer.concat([Buffer.from(chance.oneOf(greetings), "latin1"), Buffer.from(bytes)])
}

export interface Message {
  readonly bytes: Buffer
  /** Whether the message is complete and asks the server to close the connection, so that only the response remains. */
  readonly whole: boolean
  /** Violations in the response to an attack. */
  readonly wrongWith?: (answer: Answer) => string | undefined
  /** Maximum length of one event-loop turn on this message, in milliseconds, if it is lower than for other messages. */
  readonly turnMax?: number
}

const attacking = (known: Known, chance: Chance, id: string): Message => {
  const { isRight, name, right, turnMax, ...request } = attack(known, chance, id)
  return {
    bytes: bytesOf(request, known),
    whole: true,
    wrongWith: (answer) =>
      // A rate limit proves nothing about the request.
      answer.status === 429 || isRight(answer)
        ? undefined
        : `${name} is answered with ${answer.status} ${JSON.stringify(answer.json)}, not with ${right}`,
    ...(turnMax === undefined ? {} : { turnMax })
  }
}

/** Bytes for one connection. The `index`-th message of a seed is always the same, except for the known ids. */
export const message = (seed: string, index: number, known: Known): Message => {
  const chance = chanceOf(`${seed}/${index}`)
  // The attacks leave the other messages of a seed unchanged.
  if (index % 10 === 9) return attacking(known, chance, `${seed}/${index}`)
  const kind = chance.below(20)
  if (kind === 0) return { bytes: making(known, chance), whole: true }
  if (kind < 11) return { bytes: requested(known, chance), whole: true }
  if (kind < 13) {
    const first = Array.from({ length: 1 + chance.below(6) }, () => requested(known, chance, false))
    return { bytes: Buffer.concat([...first, requested(known, chance)]), whole: true }
  }
  const bytes =
    kind < 16 ? spoiled(requested(known, chance), chance) : kind < 19 ? misframed(known, chance) : noise(chance)
  return { bytes, whole: false }
}
