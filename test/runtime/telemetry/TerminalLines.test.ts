import { assert, describe } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { redactor } from "../../../src/runtime/telemetry/Redaction.ts"
import { make } from "../../../src/runtime/process/TerminalLines.ts"
import { type AnsweredRequest, type EndedDocument, Onlooker } from "../../../src/runtime/Onlooker.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { FakeAuthority, rejected } from "../../support/apps/Fakes.ts"
import { keys, startOfTest } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { addCustomer } from "../../support/apps/MemoryRows.ts"
import { get, post } from "../../support/apps/Requests.ts"
import { describeOn, it } from "../../support/Tests.ts"

const request: AnsweredRequest = {
  method: "GET",
  path: "/v1/account",
  status: 200,
  milliseconds: 1.4,
  code: undefined
}
const document: EndedDocument = {
  name: "SETP1",
  kind: "credit_note",
  outcome: "rejected_by_authority",
  reason: "CBF03a",
  milliseconds: 1_240
}

const terminal = Effect.fnUntraced(function* (hasColour = false) {
  yield* TestClock.setTime(startOfTest)
  const lines: Array<string> = []
  const clock = yield* Clock.Clock
  return { lines, ...make({ write: (line) => void lines.push(line), hasColour, redact: redactor([]), clock }) }
})

describe("The terminal output", () => {
  it.effect("has a line for each request and each outcome", function* () {
    const { endSecond, lines, onlooker } = yield* terminal()
    onlooker.answered(request)
    onlooker.answered({ ...request, method: "POST", path: "/v1/invoices", status: 400, code: "parameter_missing" })
    onlooker.ended(document)
    endSecond()
    assert.deepStrictEqual(lines, [
      `15:00:00 GET    /v1/account${" ".repeat(33)} 200 1 ms`,
      `15:00:00 POST   /v1/invoices${" ".repeat(32)} 400 1 ms parameter_missing`,
      "15:00:00 credit note SETP1 rejected_by_authority 1.2 s CBF03a"
    ])
  })

  it.effect("has the same words with and without colour", function* () {
    const [plain, painted] = [yield* terminal(), yield* terminal(true)]
    for (const { onlooker } of [plain, painted]) {
      onlooker.answered(request)
      onlooker.ended(document)
    }
    assert.isTrue(painted.lines.every((line) => line.includes("\u001b[")))
    // oxlint-disable-next-line no-control-regex -- the expression looks for a control character
    const words = painted.lines.map((line) => line.replaceAll(/\u001b\[\d+m/g, ""))
    assert.deepStrictEqual(words, plain.lines)
  })

  it.effect("contains no health check, secret, personal address or number, or control character", function* () {
    const { endSecond, lines, onlooker } = yield* terminal()
    for (const path of ["/health/ready", "/metrics"]) onlooker.answered({ ...request, path })
    assert.deepStrictEqual(lines, [])
    for (const path of [
      `/v1/${keys.test}`,
      "/v1/customers/ana@tienda.co",
      "/v1/customers/1020304050",
      "/v1/customers/900.123.456-7",
      "/v1/customers/CC52123456",
      "/v1/\u009b2J"
    ]) {
      onlooker.answered({ ...request, path })
      endSecond()
    }
    assert.lengthOf(lines, 6)
    assert.notMatch(lines.join("\n"), new RegExp(`${keys.test}|ana|tienda|1020304050|900|52123456|\u009b`))
    const id = `inv_01m83gq5nzxfqshe${"1".repeat(10)}`
    onlooker.answered({ ...request, path: `/v1/invoices/${id}` })
    assert.include(lines.at(-1), id)
    onlooker.answered({ ...request, path: `/${"a".repeat(500)}` })
    assert.isBelow(lines.at(-1)?.length ?? 0, 100)
  })

  it.effect("has one line a second under load, until a second with few requests has passed", function* () {
    const { endSecond, lines, onlooker } = yield* terminal()
    const load = (count: number) => {
      const before = lines.length
      for (let index = 0; index < count; index++) {
        onlooker.answered(index % 100 === 99 ? { ...request, status: 500 } : request)
        onlooker.ended({ ...document, outcome: index % 50 === 49 ? "failed" : "accepted_by_authority" })
      }
      endSecond()
      return lines.slice(before).map((line) => line.slice("15:00:00 ".length))
    }
    const [last, ...shown] = load(1_000).toReversed()
    assert.lengthOf(shown, 5)
    assert.strictEqual(last, "… 997 more requests, 10 failed; 998 more documents, 20 not accepted")
    assert.deepStrictEqual(load(1_000), ["… 1000 more requests, 10 failed; 1000 more documents, 20 not accepted"])
    assert.deepStrictEqual(load(1), ["… 1 more request; 1 more document"])
    assert.lengthOf(load(1), 2)
    assert.deepStrictEqual(load(0), [])
  })
})

const requests: Array<AnsweredRequest> = []
const firstEnded = Promise.withResolvers<EndedDocument>()
const watched = Layer.succeed(Onlooker, {
  answered: (one) => void requests.push(one),
  ended: firstEnded.resolve
})

describeOn(Layer.provide(app, watched))("An onlooker", (own) => {
  own.effect("receives responses without their query, with the error code, and outcomes", function* () {
    const authority = yield* FakeAuthority
    authority.onSubmit = () => Effect.succeed(rejected)
    yield* get("/v1/invoices/inv_1?expand=secret")
    yield* post("/v1/invoices", invoiceBody(yield* addCustomer()))
    const { milliseconds, name, ...ended } = yield* Effect.promise(() => firstEnded.promise)
    const [unknown, created] = requests
    assert.deepInclude(unknown, { method: "GET", path: "/v1/invoices/inv_1", status: 400, code: "parameter_unknown" })
    assert.deepInclude(created, { method: "POST", path: "/v1/invoices", status: 202, code: undefined })
    assert.match(name, /^SETP\d+$/)
    assert.isAtLeast(milliseconds, 0)
    assert.deepStrictEqual(ended, { kind: "invoice", outcome: "rejected_by_authority", reason: "FAD06" })
  })
})
