import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { InvoiceId } from "../../../schemas/Id.ts"
import { portionMax } from "../../../src/store/sandbox/ClockJumps.ts"
import { startOfTest } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { addCustomer, addDraft } from "../../support/apps/MemoryRows.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { post } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"

const later = startOfTest + 86_400_000

const advance = (seconds: number) => post("/v1/test-helpers/advance", { seconds }, { "idempotency-key": "an hour" })

describeOn(app)("the clock of an account that has much waiting", (it) => {
  it.effect("is advanced once for a key, and not at all with the key of another request", function* () {
    const { tables } = yield* MemoryTables
    const { id } = yield* Effect.orDie(Effect.flatMap(addCustomer(), addDraft))
    const draft = tables.invoices.get(id)!
    const ids = Array.from({ length: portionMax + 1 }, (_, index) =>
      InvoiceId.make(`inv_${String(index).padStart(26, "0")}`)
    )
    for (const one of ids) tables.invoices.set(one, { ...draft, id: one, state: "submitted", next_action_at: later })
    const due = () => new Set(ids.map((one) => tables.invoices.get(one)?.next_action_at))
    assert.strictEqual((yield* advance(3_600)).status, 200)
    assert.deepStrictEqual(due(), new Set([later - 3_600_000]))
    const again = yield* advance(3_600)
    assert.deepStrictEqual([again.status, again.headers["svc-idempotency-cached"]], [200, "true"])
    assert.strictEqual((yield* advance(60)).json.error.code, "idempotency_conflict")
    assert.deepStrictEqual(due(), new Set([later - 3_600_000]))
  })
})

const set = (body: object) => Effect.map(post("/v1/test-helpers/authority", body), ({ json }) => json)
const answer = (mode: string, next: ReadonlyArray<object>) => ({ object: "sandbox_authority", mode, next })

describeOn(app)("the scripts of the sandbox", (it) => {
  it.effect("stay as they are, as the mode does, until they are set anew", function* () {
    const [rejection, delay] = [{ reject: ["CBF03a", "FAD06"] }, { delay: 60, accept: true }]
    assert.deepStrictEqual(yield* set({ next: [rejection, delay] }), answer("up", [rejection, delay]))
    assert.deepStrictEqual(yield* set({ mode: "slow" }), answer("slow", [rejection, delay]))
    assert.deepStrictEqual(yield* set({ next: [delay] }), answer("slow", [delay]))
    yield* Effect.orDie(Effect.flatMap(addCustomer(), addDraft))
    assert.deepStrictEqual(yield* set({ mode: "up" }), answer("up", []))
    assert.deepStrictEqual(yield* set({ mode: "down", next: [{ lose: true }] }), answer("down", [{ lose: true }]))
    assert.deepStrictEqual(yield* set({ next: [] }), answer("down", []))
  })
})
