import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { brokenCallsMax } from "../../src/invoices/NextStep.ts"
import { alone, invoiceOf, isAbout, issuing, waitOf } from "../support/apps/ActorsAlone.ts"
import { unavailable } from "../support/apps/Fakes.ts"
import { itOn } from "../support/Tests.ts"

const it = itOn(alone)

describe("An invoice", () => {
  it.effect.each([
    ["dies", () => Effect.die("a bug of ours")],
    [
      "throws",
      () => {
        throw new Error("a bug of ours")
      }
    ],
    ["fails with an undeclared error", () => Effect.fail(new Error("not in the signature") as never)],
    ["returns no verdict", () => Effect.succeed(undefined as never)]
  ] as const)("ends as failed after twelve attempts if the authority's port %s", function* ([, broken]) {
    const { authority, key, proceed } = yield* issuing
    authority.onSubmit = broken
    authority.onVerdict = broken
    for (const attempt of Array.from({ length: brokenCallsMax - 1 }, (_, index) => index)) {
      yield* proceed(key)
      assert.strictEqual((yield* invoiceOf(key)).state, "submitted")
      isAbout(yield* waitOf(key), Math.min(2 ** attempt, 300) * 1000)
    }
    yield* proceed(key)
    const row = yield* invoiceOf(key)
    assert.deepInclude(row, { state: "failed", next_action_at: null, full_number: "SETP990000000" })
    assert.deepInclude(Object(row.failure), { code: "internal_error", retryable: true })
    assert.isBelow(row.version, 30)
    assert.lengthOf(authority.calls, brokenCallsMax)
  })

  it.effect("does not fail for one call that breaks after a long silence", function* () {
    const { authority, key, proceed } = yield* issuing
    authority.onSubmit = () => unavailable
    authority.onVerdict = () => unavailable
    for (const _ of Array.from({ length: 2 * brokenCallsMax })) yield* proceed(key)
    authority.onVerdict = () => Effect.die("a bug of ours")
    yield* proceed(key)
    assert.strictEqual((yield* invoiceOf(key)).state, "submitted")
  })
})
