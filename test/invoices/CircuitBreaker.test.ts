import { assert, describe } from "@effect/vitest"
import { Layer } from "effect"
import { TestClock } from "effect/testing"
import { AccountId } from "../../schemas/Id.ts"
import { CircuitBreaker } from "../../src/invoices/CircuitBreaker.ts"
import { world } from "../support/apps/MemoryApp.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"
import { Limits } from "../../src/runtime/Limits.ts"

const it = itOn(CircuitBreaker.layer.pipe(Layer.provide(Limits.layer()), Layer.provideMerge(world)))

const live = (account_id: AccountId) => ({ account_id, livemode: true })

describe("the circuit of the live authority", () => {
  it.effect(
    "records refused calls of live accounts, each kind once in 10 s, and does not count them as failures",
    function* () {
      const circuits = yield* CircuitBreaker
      const { count, tables } = yield* MemoryTables
      const account = live(AccountId.make(`ten_${"a".repeat(26)}`))
      yield* circuits.refused({ ...account, livemode: false }, "certificate_refused")
      assert.strictEqual(tables.circuits.size, 0)
      for (const trouble of ["certificate_refused", "certificate_refused", "clock_off"] as const) {
        yield* circuits.refused(account, trouble)
      }
      assert.strictEqual(count("AuthorityCircuits.refused"), 2)
      assert.strictEqual(tables.circuits.get("live")?.refusal, "clock_off")
      assert.strictEqual((yield* circuits.look(account)).phase, "closed")
      yield* TestClock.adjust("10 seconds")
      yield* circuits.refused(account, "clock_off")
      assert.strictEqual(count("AuthorityCircuits.refused"), 3)
    }
  )

  it.effect(
    "holds the documents of the one account that gets no response, until a second account gets none",
    function* () {
      const circuits = yield* CircuitBreaker
      const [bad, good, third] = ["a", "b", "c"].map((one) => live(AccountId.make(`ten_${one.repeat(26)}`)))
      yield* circuits.failed(bad!, "server_error", "503")
      yield* TestClock.adjust("301 seconds")
      yield* circuits.failed(bad!, "server_error", "503")
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* circuits.look(bad!)).phase, "open")
      assert.strictEqual((yield* circuits.look(good!)).phase, "closed")
      yield* circuits.failed(good!, "no_answer", "timeout")
      for (const account of [bad!, good!, third!]) assert.strictEqual((yield* circuits.look(account)).phase, "open")
      yield* circuits.succeeded(third!)
      for (const account of [bad!, good!, third!]) assert.strictEqual((yield* circuits.look(account)).phase, "closed")
      // A cause that all accounts share stops all calls: a refused connection, a name that is not found.
      yield* circuits.failed(bad!, "connection_refused", "refused")
      yield* TestClock.adjust("301 seconds")
      assert.strictEqual((yield* circuits.look(good!)).phase, "doubtful")
      yield* circuits.failed(good!, "name_not_found", "no address")
      yield* TestClock.adjust("301 seconds")
      assert.strictEqual((yield* circuits.look(third!)).phase, "blocked")
    }
  )

  it.effect("records a failure's message that contains NUL, which the database does not take", function* () {
    const circuits = yield* CircuitBreaker
    const { tables } = yield* MemoryTables
    const account = live(AccountId.make(`ten_${"a".repeat(26)}`))
    yield* circuits.failed(account, "server_error", `a\u0000b\ud800${"c".repeat(1_000_000)}`)
    const message = tables.circuits.get("live")?.message ?? ""
    assert.match(message, /^ab\ufffdc+$/)
    assert.isBelow(message.length, 1_000)
  })
})
