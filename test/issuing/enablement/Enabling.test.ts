import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { AuthorityUnavailable } from "../../../src/outbound/authority/Authority.ts"
import { FakeAuthority } from "../../support/apps/Fakes.ts"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { bearer, send } from "../../support/apps/Requests.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { itOn } from "../../support/Tests.ts"

const it = itOn(app)

const path = "/v1/account/enablement"
const headers = bearer(keys.live)
const begin = send({
  method: "POST",
  path,
  headers,
  body: { test_set_id: "b7d1c2a4-93cf", invoices: 1, credit_notes: 1, debit_notes: 0 }
})

/** Lets time go by until the test set is as described. */
const when = Effect.fnUntraced(function* (holds: (json: Record<string, unknown>) => boolean) {
  for (let second = 0; second < 900; second++) {
    const { json } = yield* send({ path, headers })
    if (holds(json)) return json
    yield* TestClock.adjust("1 second")
  }
  return assert.fail("did not come to hold")
})
const ended = when(({ status }) => status !== "running")

describe("A test set", () => {
  it.effect("survives an authority's port that breaks, and sends no document twice", function* () {
    const authority = yield* FakeAuthority
    const accepts = authority.onTestDocument
    authority.onTestDocument = () => Effect.die("broken")
    yield* begin
    const waits = yield* when(({ waiting }) => waiting !== null)
    assert.strictEqual(waits.waiting.code, "internal")
    authority.onTestDocument = accepts
    assert.strictEqual((yield* ended).status, "passed")
    const codes = authority.testDocuments.map(({ cufe }) => cufe)
    assert.strictEqual(new Set(codes).size, codes.length)
  })

  it.effect("sends the same document again when nothing has left", function* () {
    const authority = yield* FakeAuthority
    const judges = authority.onTestVerdict
    const took = new Set<string>()
    authority.onTestVerdict = (cufe) =>
      took.has(cufe)
        ? judges(cufe)
        : Effect.fail(new AuthorityUnavailable({ message: "TrackId no existe.", trouble: "in_process" }))
    authority.onTestDocument = () =>
      Effect.fail(new AuthorityUnavailable({ message: "DNS", trouble: "name_not_found" }))
    yield* begin
    const waits = yield* when(({ waiting }) => waiting !== null)
    assert.strictEqual(waits.waiting.code, "name_not_found")
    assert.include(waits.waiting.message, "AUTHORITY_TEST_URL")
    authority.onTestDocument = ({ cufe }) => {
      took.add(cufe)
      return Effect.succeed(cufe)
    }
    const json = yield* ended
    assert.deepStrictEqual([json.status, json.documents.length], ["passed", 2])
  })

  it.effect("gives a document up after five minutes without a verdict, and three of them end it", function* () {
    const authority = yield* FakeAuthority
    authority.onTestVerdict = () =>
      Effect.fail(new AuthorityUnavailable({ message: "Batch en proceso de validación.", trouble: "in_process" }))
    yield* begin
    const early = yield* when(({ documents }) => (documents as ReadonlyArray<object>).length === 2)
    const [first] = early.documents
    const [made, judged] = [Date.parse(first.sent_at), Date.parse(first.judged_at)]
    assert.strictEqual(first.status, "unanswered")
    assert.isTrue(judged - made > 300_000 && judged - made < 330_000, `${judged - made}`)
    const failed = yield* when(({ status }) => status !== "running")
    assert.deepStrictEqual([failed.failure.code, failed.documents.length], ["documents_unanswered", 3])
  })

  it.effect("ends with what is missing when the certificate is gone", function* () {
    const { tables } = yield* MemoryTables
    yield* begin
    tables.certificates.clear()
    const json = yield* ended
    assert.strictEqual(json.failure.code, "account_not_ready")
    assert.match(json.failure.message, /no signing certificate .*again/)
  })
})
