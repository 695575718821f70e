import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { folioInTerminal, hasTerminals } from "../../cli/user/Spawned.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { rejectedBy } from "../../support/authority/StandInAnswers.ts"
import { folioCommand } from "../../support/processes/FolioCommand.ts"
import { describeLive } from "../../support/Tests.ts"
import { ended, newSet, path, ready, world } from "./Enabling.ts"

const envOf = (apiKey: string) =>
  Effect.map(TestApp.TestApp, ({ url }) => ({ FOLIO_URL: url, FOLIO_API_KEY: apiKey, DATA_DIR: "/nowhere" }))

const wordsOf = (test_set_id: string) => ["enable", "--test-set-id", test_set_id, "--invoices", "2", "--yes"]

describeLive(world)("folio enable", (it) => {
  it.effect("passes a test set, exits with 0, and shows a passed one again", function* () {
    const { live } = yield* ready
    const env = yield* envOf(live.apiKey)
    const { test_set_id } = newSet()
    const passed = yield* folioCommand([...wordsOf(test_set_id), "--credit-notes", "1", "--json"], env)
    assert.strictEqual(passed.code, 0, passed.error)
    assert.deepInclude(passed.json, { object: "enablement", status: "passed", test_set_id })
    assert.deepStrictEqual(passed.json.credit_notes, { wanted: 1, accepted: 1, missing: 0 })
    const again = yield* folioCommand(["enable", "--json"], env)
    assert.deepStrictEqual([again.code, again.json], [0, passed.json])
  })

  it.effect(
    "exits with 1 and the rules of the rejected documents, and continues the same test set later",
    function* () {
      const { live, play } = yield* ready
      const { judge } = play
      const env = yield* envOf(live.apiKey)
      const { test_set_id } = newSet()
      play.judge = ({ cufe }) => rejectedBy(["Regla: FAB24b, Rechazo: Software no autorizado."], cufe)
      const failed = yield* folioCommand([...wordsOf(test_set_id), "--json"], env)
      assert.strictEqual(failed.code, 1, failed.out)
      assert.strictEqual(failed.json.status, "failed")
      assert.include(failed.error, "FAB24b")
      const watched = yield* folioCommand(["enable"], env)
      assert.strictEqual(watched.code, 1)
      play.judge = judge
      const passed = yield* folioCommand([...wordsOf(test_set_id), "--json"], env)
      assert.deepStrictEqual([passed.code, passed.json.status], [0, "passed"])
    }
  )

  it.effect("lists the missing parts", function* () {
    const { client } = yield* TestApp.TestApp
    const { live } = yield* ready
    const [ofLive, ofTest] = [yield* envOf(live.apiKey), yield* envOf(client.apiKey)]
    for (const [words, env, said] of [
      [["enable", "--invoices", "3"], ofLive, /--test-set-id is missing/],
      [["enable", "--test-set-id", "b7d1c2a4-93cf"], ofLive, /--invoices is missing/],
      [["enable", "--test-set-id", "b7d1c2a4-93cf", "--invoices", "1"], ofTest, /LIVE key/]
    ] as const) {
      const refused = yield* folioCommand(words, env)
      assert.strictEqual(refused.code, 2, refused.out)
      assert.match(refused.error, said)
    }
    const wrong = yield* folioCommand([...wordsOf("no set"), "--json"], ofLive)
    assert.deepStrictEqual([wrong.code, JSON.parse(wrong.error).error.param], [1, "test_set_id"])
  })

  it.effect("reports immediately that the service does not respond", function* () {
    const { live } = yield* ready
    const env = { ...(yield* envOf(live.apiKey)), FOLIO_URL: "http://127.0.0.1:1" }
    const { code, error } = yield* folioCommand(["enable"], env)
    assert.strictEqual(code, 3)
    assert.match(error, /127\.0\.0\.1:1/)
  })

  it.effect.skipIf(!hasTerminals)("lists each document that was not accepted, with the reason", function* () {
    const { arrived, live, play } = yield* ready
    const { judge } = play
    const from = arrived.size
    play.judge = (document) =>
      [...arrived.keys()].indexOf(document.cufe) === from + 1
        ? rejectedBy(["Regla: FAJ43b, Rechazo: Nombre informado No corresponde al RUT."], document.cufe)
        : judge(document)
    const env = yield* envOf(live.apiKey)
    const { code, out } = yield* folioInTerminal(wordsOf(newSet().test_set_id), [], { env })
    assert.strictEqual(code, 0, out)
    assert.match(out, /Ctrl-C ends the display/)
    assert.match(out, /invoices 2\/2/)
    assert.match(out, /rejected, to be replaced by another/)
    assert.match(out, /FAJ43b: .*What to do: /)
    assert.match(out, /Passed\./)
    assert.strictEqual((yield* ended(live)).status, "passed")
    assert.strictEqual((yield* live.get(path)).json.invoices.accepted, 2)
  })
})
