import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { brokenCallsMax } from "../../src/entities/BrokenCalls.ts"
import { AuthorityUnavailable } from "../../src/outbound/Authority.ts"
import type { InvoiceKey } from "../../src/store/Invoices.ts"
import { invoiceOf, alone, invoiceOwner } from "../support/ActorsAlone.ts"
import { FakeAuthority } from "../support/Fakes.ts"
import { addCustomer, addNumbered } from "../support/MemoryRows.ts"

const unavailable = Effect.fail(new AuthorityUnavailable({ message: "503" }))

/** Milliseconds until the document's alarm rings. */
const waitOf = Effect.fnUntraced(function* (key: InvoiceKey) {
  const { next_action_at } = yield* invoiceOf(key)
  return (next_action_at ?? Infinity) - (yield* Clock.currentTimeMillis)
})

const about = (millis: number, expected: number) =>
  assert.isTrue(millis >= 0.9 * expected && millis <= 1.1 * expected, `${millis} ms is not about ${expected} ms`)

describe("An invoice", () => {
  it.effect.each([
    ["dies", () => Effect.die("a bug of ours")],
    [
      "throws",
      () => {
        throw new Error("a bug of ours")
      }
    ],
    ["fails as it may not", () => Effect.fail(new Error("not in the signature") as never)],
    ["answers what is no verdict", () => Effect.succeed(undefined as never)]
  ] as const)("whose authority %s ends as failed after twelve attempts", ([, broken]) =>
    Effect.gen(function* () {
      const authority = yield* FakeAuthority
      const proceed = yield* invoiceOwner
      const key = yield* addNumbered(yield* addCustomer())
      authority.onSubmit = broken
      authority.onVerdict = broken
      for (const attempt of Array.from({ length: brokenCallsMax - 1 }, (_, index) => index)) {
        yield* proceed(key)
        assert.strictEqual((yield* invoiceOf(key)).state, "submitted")
        about(yield* waitOf(key), Math.min(2 ** attempt, 300) * 1000)
      }
      yield* proceed(key)
      const row = yield* invoiceOf(key)
      assert.deepInclude(row, { state: "failed", next_action_at: null, full_number: "SETP990000000" })
      assert.deepInclude(Object(row.failure), { code: "internal_error", retryable: true })
      assert.isBelow(row.version, 30)
      assert.lengthOf(authority.calls, brokenCallsMax)
    }).pipe(Effect.provide(alone))
  )

  it.effect("does not fail for one call that breaks after a long silence", () =>
    Effect.gen(function* () {
      const authority = yield* FakeAuthority
      const proceed = yield* invoiceOwner
      const key = yield* addNumbered(yield* addCustomer())
      authority.onSubmit = () => unavailable
      authority.onVerdict = () => unavailable
      for (const _ of Array.from({ length: 2 * brokenCallsMax })) yield* proceed(key)
      authority.onVerdict = () => Effect.die("a bug of ours")
      yield* proceed(key)
      assert.strictEqual((yield* invoiceOf(key)).state, "submitted")
    }).pipe(Effect.provide(alone))
  )
})
