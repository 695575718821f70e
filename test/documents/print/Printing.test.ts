import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { Limits } from "../../../src/runtime/Limits.ts"
import { makePrinting } from "../../../src/documents/print/Printing.ts"
import { answered } from "../../support/database/Refusals.ts"
import { itOn } from "../../support/Tests.ts"

const bytes = (size: number) => new Uint8Array(size)
const me = { owner: "ten_1/test", asker: "key" }

/** Printing that ends when the test ends it, and the number of its starts. */
const press = Effect.gen(function* () {
  const printing = yield* makePrinting
  const done = yield* Deferred.make<Uint8Array>()
  let begun = 0
  const make = Effect.suspend(() => {
    begun += 1
    return Deferred.await(done)
  })
  return { printing, done, make, begun: () => begun }
})

const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

const it = itOn(
  Limits.layer({ printing: { atOnce: 1, ofOwnerAtOnce: 1, waiting: { ofAsker: 2, ofOwner: 4, inAll: 8 } } })
)

it.effect("prints once for a hundred concurrent requests, and keeps the file", function* () {
  const { begun, done, make, printing } = yield* press
  const all = yield* Effect.forEach(Array.from({ length: 100 }), () => Effect.forkChild(printing.once(me, "tag", make)))
  yield* settle
  const printed = bytes(10)
  yield* Deferred.succeed(done, printed)
  for (const fiber of all) assert.strictEqual(yield* answered(Fiber.join(fiber)), printed)
  assert.strictEqual(yield* printing.once(me, "tag", make), printed)
  assert.strictEqual(begun(), 1)
})

it.effect("gives requests from another address their own turn, and the file that was printed meanwhile", function* () {
  const { begun, done, make, printing } = yield* press
  const first = yield* Effect.forkChild(printing.once(me, "tag", make))
  const other = yield* Effect.forkChild(printing.once({ ...me, asker: "192.0.2.1" }, "tag", make))
  yield* settle
  yield* Deferred.succeed(done, bytes(10))
  yield* Fiber.join(first)
  assert.lengthOf(yield* Fiber.join(other), 10)
  assert.strictEqual(begun(), 1)
})

it.effect("does not print for interrupted requests, and keeps the turns of the other requests", function* () {
  const { begun, done, make, printing } = yield* press
  const busy = yield* Effect.forkChild(printing.once(me, "first", make))
  yield* settle
  const [left, stays, gone] = yield* Effect.forEach(["second", "second", "third"], (tag) =>
    Effect.forkChild(printing.once(me, tag, make))
  )
  yield* settle
  yield* Fiber.interrupt(left!)
  yield* Fiber.interrupt(gone!)
  yield* settle
  yield* Deferred.succeed(done, bytes(10))
  yield* Fiber.join(busy)
  assert.lengthOf(yield* Fiber.join(stays!), 10)
  yield* settle
  assert.strictEqual(begun(), 2)
})

it.effect("keeps the latest files up to a number of bytes", function* () {
  const printing = yield* makePrinting
  let begun = 0
  const print = (tag: string) =>
    printing.once(
      me,
      tag,
      Effect.sync(() => {
        begun += 1
        return bytes(6 * 1024 * 1024)
      })
    )
  for (const tag of ["a", "b", "a", "c", "a"]) yield* print(tag)
  assert.strictEqual(begun, 3)
  yield* print("b")
  assert.strictEqual(begun, 4, "the third file replaced it")
})
