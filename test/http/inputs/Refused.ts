import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type ErrorCode, errorCodes } from "../../../schemas/ErrorCode.ts"
import { type Reply, send, type Sent } from "../../support/apps/Requests.ts"
import { baseUrl } from "../../support/apps/TestSettings.ts"

/** A request that Folio must reject, with what its response must contain. */
export interface BadRequest {
  readonly name: string
  readonly code: ErrorCode
  readonly sent: Sent
  readonly message: RegExp
  readonly param: string | undefined
}

type Row = readonly [name: string, sent: Sent, message: RegExp, param?: string]

export const refused = (code: ErrorCode, rows: ReadonlyArray<Row>): ReadonlyArray<BadRequest> =>
  rows.map(([name, sent, message, param]) => ({ name, code, sent, message, param }))

export const get = (path: string, headers: Sent["headers"] = {}): Sent => ({ path, headers })

export const post = (path: string, body?: unknown, headers: Sent["headers"] = {}): Sent => ({
  method: "POST",
  path,
  body,
  headers
})

export const patch = (path: string, body: unknown): Sent => ({ method: "PATCH", path, body })

export const remove = (path: string): Sent => ({ method: "DELETE", path })

export const customer = (body: unknown, headers: Sent["headers"] = {}): Sent => post("/v1/customers", body, headers)

const headersOf: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  invalid_api_key: { "www-authenticate": "Bearer" },
  idempotency_conflict: { "svc-should-retry": "false", "stripe-should-retry": "false" },
  service_unavailable: { "retry-after": "1" }
}

/** Checks all members of an error, and that its page exists. */
export const assertRefused = Effect.fnUntraced(function* (reply: Reply, { code, message, param }: BadRequest) {
  const { status, type } = errorCodes[code]
  const { error, ...rest } = reply.json
  assert.strictEqual(error.code, code, reply.text)
  assert.strictEqual(reply.status, status)
  assert.strictEqual(error.type, type)
  assert.match(error.message, message)
  assert.strictEqual(error.param, param)
  assert.deepStrictEqual(rest, {})

  assert.match(reply.headers["content-type"] ?? "", /^application\/json/)
  assert.match(error.request_id, /^req_[0-9a-hjkmnp-tv-z]{26}$/)
  assert.strictEqual(reply.headers["request-id"], error.request_id)
  assert.strictEqual(reply.headers["cache-control"], "no-store")
  assert.strictEqual(reply.headers["svc-version"], "2026-01-01")
  assert.strictEqual(reply.headers["x-content-type-options"], "nosniff")
  assert.deepInclude(reply.headers, headersOf[code] ?? {})
  if (code === "method_not_allowed") {
    assert.strictEqual(reply.headers.allow, /use (.*)\.$/.exec(error.message)?.[1])
  }

  if (code === "unsupported_media_type") {
    const { accept, "accept-encoding": coding } = reply.headers
    const isCoding = error.message.includes("Content-Encoding")
    assert.deepStrictEqual([accept !== undefined, coding], isCoding ? [false, "identity"] : [true, undefined])
  }

  // If a response lists several faults, the first of them is the error itself.
  if (error.errors !== undefined) {
    const { rule: _, ...mirrored } = error.errors[0]
    assert.deepStrictEqual(mirrored, { param, code, message: error.message })
  }

  assert.strictEqual(error.doc_url, `${baseUrl}/docs/errors/${code}`)
  const page = yield* send({ path: `/docs/errors/${code}`, headers: { authorization: undefined } })
  assert.strictEqual(page.status, 200)
  assert.include(page.text, code)
})
