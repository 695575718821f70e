import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { issue } from "../../support/apps/Correcting.ts"
import { customerBody, invoiceBody, partialNoteBody } from "../../support/apps/Invoices.ts"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { bearer, post, send } from "../../support/apps/Requests.ts"
import { linkTo, noKey } from "../inputs/links.ts"
import { describeLive } from "../../support/Tests.ts"

const codeOf = (sent: Parameters<typeof send>[0]) => Effect.map(send(sent), ({ json }) => json.error.code)

const note = (body: object, key: string) =>
  codeOf({ method: "POST", path: "/v1/credit-notes", body, headers: { "idempotency-key": key } })

/** Each fault, in the order of the checks, as a change of a right request. */
const faults = [
  { code: "route_not_found", change: { path: "/v1/nothing" } },
  { code: "method_not_allowed", change: { method: "PUT" } },
  { code: "invalid_api_key", headers: bearer(keys.revoked) },
  { code: "unsupported_media_type", headers: { "content-type": "text/plain" } },
  { code: "unsupported_version", headers: { "svc-version": "1999-01-01" } },
  { code: "idempotency_key_missing", headers: { "idempotency-key": undefined } },
  { code: "malformed_json", change: { body: "{" } }
]

describeLive(app)("order of checks", (it) => {
  it.effect.each(faults.map((fault, index) => ({ ...fault, later: faults.slice(index + 1) })))(
    "reports $code before all later faults",
    function* ({ change, code, headers, later }) {
      const right = { method: "POST", path: "/v1/customers", body: customerBody() }
      for (const other of [undefined, ...later]) {
        const sent = {
          ...right,
          ...other?.change,
          ...change,
          headers: { ...other?.headers, ...headers }
        }
        assert.strictEqual(yield* codeOf(sent), code, `against ${other?.code}`)
      }
    }
  )

  it.effect("checks a link in place of the key: after route and method, before all else", function* () {
    const headers = { ...noKey, "svc-version": "1999-01-01" }
    const now = Date.now()
    const [forged, right] = [linkTo("inv_1", { now, key: 8 }), linkTo("inv_1", { now })]
    const old = linkTo("inv_1", { now, lasts: -1 })
    assert.strictEqual(yield* codeOf({ path: forged.replace("/pdf", "/png"), headers }), "route_not_found")
    assert.strictEqual(yield* codeOf({ method: "PUT", path: forged, headers }), "method_not_allowed")
    assert.strictEqual(yield* codeOf({ path: `${forged}&x=1`, headers }), "link_invalid")
    assert.strictEqual(yield* codeOf({ path: `${old}&x=1`, headers }), "link_expired")
    assert.strictEqual(yield* codeOf({ path: `${right}&x=1`, headers }), "unsupported_version")
    assert.strictEqual(yield* codeOf({ path: `${right}&x=1`, headers: noKey }), "parameter_unknown")
    assert.strictEqual(yield* codeOf({ path: right, headers: noKey }), "resource_missing")
  })

  it.effect("checks a body's size after the key, and before its media type", function* () {
    const sent = { method: "POST", path: "/v1/customers", body: "x".repeat(256 * 1024 + 1) }
    assert.strictEqual(yield* codeOf({ ...sent, headers: { authorization: undefined } }), "invalid_api_key")
    assert.strictEqual(yield* codeOf({ ...sent, headers: { "content-type": "text/plain" } }), "request_too_large")
  })

  it.effect("checks the size of URL and headers before all else", function* () {
    const headers = { authorization: undefined }
    assert.strictEqual(yield* codeOf({ path: `/v1/nothing?${"x".repeat(9000)}`, headers }), "uri_too_long")
    const much = { ...headers, "x-much": "y".repeat(17_000) }
    assert.strictEqual(yield* codeOf({ path: "/v1/nothing", headers: much }), "headers_too_large")
  })

  it.effect(
    "checks JSON before the schema, the schema before the idempotency key, and the key before the rules",
    function* () {
      const customer = yield* post("/v1/customers", customerBody(), { "idempotency-key": "k" })
      assert.strictEqual(customer.status, 201)
      const again = (body: unknown) =>
        codeOf({ method: "POST", path: "/v1/customers", body, headers: { "idempotency-key": "k" } })
      assert.strictEqual(yield* again("{"), "malformed_json")
      assert.strictEqual(yield* again({ ...customerBody(), legal_name: 5 }), "parameter_invalid")
      const wrongDigit = { ...customerBody(), identification: { type: "31", number: "900373115", check_digit: "4" } }
      assert.strictEqual(yield* again(wrongDigit), "idempotency_conflict")
      assert.strictEqual(
        yield* codeOf({
          method: "POST",
          path: "/v1/invoices",
          body: invoiceBody("cust_1"),
          headers: { "idempotency-key": "k" }
        }),
        "idempotency_conflict"
      )
    }
  )

  it.effect("looks up a note's idempotency key before its invoice and its amounts", function* () {
    const made = yield* post("/v1/customers", customerBody(), { "idempotency-key": "n" })
    assert.strictEqual(made.status, 201)
    const wrong = partialNoteBody("inv_1", "1.00")
    const [line] = wrong.lines
    const amounts = { ...wrong, lines: [{ ...line, line_extension_amount: "9.00" }] }
    assert.strictEqual(yield* note({ ...amounts, reason: "" }, "n"), "parameter_invalid_empty")
    assert.strictEqual(yield* note(amounts, "n"), "idempotency_conflict")
    assert.strictEqual(yield* note(amounts, "o"), "resource_missing")
    const { id } = yield* issue
    assert.strictEqual(yield* note({ ...amounts, invoice_id: id }, "o"), "amount_mismatch")
    const much = partialNoteBody(id, "999999.00")
    assert.strictEqual(yield* note(much, "o"), "credit_exceeds_invoice")
  })

  it.effect(
    "reports an unknown query parameter after both keys and malformed JSON, and before the body's schema",
    function* () {
      const sent = { method: "POST", path: "/v1/customers?x=1", body: {} }
      assert.strictEqual(yield* codeOf({ ...sent, headers: { authorization: undefined } }), "invalid_api_key")
      assert.strictEqual(
        yield* codeOf({ ...sent, headers: { "idempotency-key": undefined } }),
        "idempotency_key_missing"
      )
      assert.strictEqual(yield* codeOf({ ...sent, body: "{" }), "malformed_json")
      assert.strictEqual(yield* codeOf(sent), "parameter_unknown")
    }
  )
})
