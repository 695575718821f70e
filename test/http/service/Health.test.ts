import { assert } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Latch, Layer, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import type { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { timestamp } from "../../../src/runtime/AuthorityTime.ts"
import { authorityTroubles, troubleMessage } from "../../../src/invoices/rules/AuthorityTroubles.ts"
import { AuthorityCircuits } from "../../../src/invoices/store/AuthorityCircuits.ts"
import { account } from "../../support/apps/Accounts.ts"
import { layer as app, serviceWith } from "../../support/apps/MemoryApp.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { get } from "../../support/apps/Requests.ts"
import { describeOn, itOn } from "../../support/Tests.ts"

const ready = get("/health/ready", { authorization: undefined })

const said: Array<string> = []
const ofDatabase = () => said.filter((line) => line.includes("The database does not respond"))
const logging = Layer.merge(
  Logger.layer([Logger.make(({ logLevel, message }) => void said.push(`${logLevel} ${String(message)}`))]),
  Layer.succeed(References.MinimumLogLevel, "Debug")
)

itOn(serviceWith(logging)).effect(
  "A probe before the process is ready logs at debug level, and a later probe at warn level",
  function* () {
    const memory = yield* MemoryTables
    memory.onCall = (name) => (name === "Database.answers" ? Effect.die("no database") : Effect.void)
    assert.strictEqual((yield* ready).status, 503)
    assert.deepStrictEqual(ofDatabase(), ["Debug The database does not respond."])
    const { onCall } = memory
    memory.onCall = () => Effect.void
    yield* TestClock.adjust("250 millis")
    assert.strictEqual((yield* ready).status, 200)
    memory.onCall = onCall
    yield* TestClock.adjust("250 millis")
    assert.strictEqual((yield* ready).status, 503)
    assert.deepStrictEqual(ofDatabase().slice(1), ["Warn The database does not respond."])
  }
)

describeOn(app)("GET /health/ready", (it) => {
  it.effect("checks the database once for all requests within a quarter of a second", function* () {
    const memory = yield* MemoryTables
    const asked = yield* Deferred.make<void>()
    const answers = Latch.makeUnsafe()
    let probes = 0
    const onProbe = (effect: Effect.Effect<unknown>) => {
      memory.onCall = (name) => {
        if (name !== "Database.answers") return Effect.void
        probes++
        return Effect.asVoid(effect)
      }
    }
    onProbe(Effect.andThen(Deferred.succeed(asked, undefined), answers.await))
    const asking = yield* Effect.forkChild(
      Effect.forEach(Array.from({ length: 10 }), () => ready, { concurrency: "unbounded" })
    )
    yield* Deferred.await(asked)
    yield* answers.open
    for (const { status } of yield* Fiber.join(asking)) assert.strictEqual(status, 200)
    assert.strictEqual(probes, 1)

    onProbe(Effect.die("no database"))
    assert.strictEqual((yield* ready).status, 200)
    yield* TestClock.adjust("250 millis")
    assert.strictEqual((yield* ready).status, 503)
    onProbe(Effect.void)
    assert.strictEqual((yield* ready).status, 503)
    yield* TestClock.adjust("250 millis")
    assert.strictEqual((yield* ready).status, 200)
    assert.strictEqual(probes, 3)
  })

  it.effect("reports the problem with the live authority in general words, and keeps status 200", function* () {
    const memory = yield* MemoryTables
    const circuits = yield* AuthorityCircuits
    let looks = 0
    memory.onCall = (name) => Effect.sync(() => void (looks += Number(name === "AuthorityCircuits.read")))
    const shown = Effect.andThen(TestClock.adjust("5 seconds"), ready)
    assert.deepStrictEqual((yield* shown).json, { status: "ok" })
    const secret = `NIT 900373115 of ${account} is refused`
    const meets = (trouble: AuthorityTrouble) =>
      circuits.failed(
        "live",
        { account_id: account, trouble, message: secret, is_authoritys: true, of_all: true },
        300_000,
        600_000
      )
    for (const [trouble, status] of [
      ["connection_refused", "unreachable"],
      ["name_not_found", "unreachable"],
      ["no_answer", "unreachable"],
      ["server_error", "failing"],
      ["clock_off", "refusing"]
    ] as const) {
      yield* meets(trouble)
      const since = timestamp(yield* Clock.currentTimeMillis)
      const answer = yield* shown
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.json, {
        status: "ok",
        authority: {
          status,
          trouble,
          message: `${troubleMessage(trouble)} ${authorityTroubles[trouble].remedy}`,
          since
        }
      })
    }
    yield* circuits.succeeded("live")
    yield* circuits.refused("live", "certificate_refused")
    assert.deepInclude((yield* shown).json.authority, { status: "refusing", trouble: "certificate_refused" })
    yield* meets("no_answer")
    // A slow read of the circuit delays no response, and a failing read hides a state that is unknown.
    const before = looks
    yield* Effect.all([ready, ready, ready])
    assert.strictEqual(looks, before)
    memory.onCall = (name) => (name === "AuthorityCircuits.read" ? Effect.die("no database") : Effect.void)
    assert.deepStrictEqual((yield* shown).json, { status: "ok" })
    memory.onCall = () => Effect.void
    assert.property((yield* shown).json, "authority")
    // The service has made no call for a quarter of an hour.
    yield* TestClock.adjust("15 minutes")
    assert.deepStrictEqual((yield* ready).json, { status: "ok" })
    yield* meets("no_answer")
    yield* circuits.succeeded("live")
    assert.deepStrictEqual((yield* shown).json, { status: "ok" })
  })
})
