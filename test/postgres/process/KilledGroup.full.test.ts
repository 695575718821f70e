import { assert } from "@effect/vitest"
import { Array, Context, Effect, Layer } from "effect"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import type { FaultPoint } from "../../../src/runtime/Fault.ts"
import { until } from "../../support/apps/Until.ts"
import type { Call } from "../../support/authority/StandInEnvelope.ts"
import { accepted, rejectedBy } from "../../support/authority/StandInAnswers.ts"
import { type Answer, type StandIn, standInAuthority } from "../../support/authority/StandInAuthority.ts"
import { signedBytes } from "../../support/database/Reconcile.ts"
import { Crashing, post, settleAndReconcile } from "../../support/processes/Crashing.ts"
import { never } from "../../support/processes/ServiceProcess.ts"
import { describeLive } from "../../support/Tests.ts"
import { readCufe } from "../authority/LiveService.ts"

/** The authority, which outlives the service. */
class Outside extends Context.Service<Outside, StandIn>()("test/Outside") {}

const world = Layer.unwrap(
  Effect.map(standInAuthority({ readCufe }), (authority) =>
    Layer.merge(Crashing.layer([undefined], { TEST_AUTHORITY_URL: authority.url }), Layer.succeed(Outside, authority))
  )
)

const size = 6
const rejections = ["Regla: FAD06, Rechazo: El CUFE no corresponde."]
const silent: Answer = { _tag: "Hang" }

/** The authority's reaction to each document of a group, in order of arrival. It never answers the last two. */
const answers: ReadonlyArray<Answer | undefined> = [
  undefined,
  undefined,
  undefined,
  { _tag: "Reset", after: "work" },
  silent,
  silent
]
const rejectsThird = ({ documents, judgeBy }: StandIn) => {
  const before = documents.size
  judgeBy(({ cufe }) => (documents.size - before === 2 ? rejectedBy(rejections, cufe) : accepted("", cufe)))
}

/** Holds the account's numbering at its next group, and waits until the group is there. */
const holdNumbering = Effect.fnUntraced(function* (meanwhile: Effect.Effect<unknown, unknown, Crashing>) {
  const { service } = yield* Crashing
  const held = Effect.map(service.log, (text) => text.split("held at before-number").length)
  const before = yield* held
  yield* service.arm({ point: "before-number", hit: 1, action: "hold" })
  yield* meanwhile
  yield* until(held, (count) => count > before)
})

/** Documents about to be numbered together. They waited behind one document, which now has its outcome. */
const group = Effect.fnUntraced(function* (name: string) {
  const { receiver: hooks, service } = yield* Crashing
  const keys = Array.makeBy(size, (index) => `${name} ${index + 1}`)
  yield* holdNumbering(post(`${name} 0`))
  yield* Effect.forEach(keys, post, { concurrency: "unbounded" })
  const posts = hooks.received.length
  yield* holdNumbering(Effect.void)
  yield* until(
    Effect.sync(() => hooks.received.length),
    (count) => count > posts
  )
  const states = service.rows<{ state: string }>(
    `select state from invoices where metadata->>'key' in (${keys.map((key) => `'${key}'`).join()})`
  )
  return Effect.map(states, (rows) => rows.map(({ state }) => state).toSorted())
})

const times = (count: number, state: string) => Array.makeBy(count, () => state)

/** The states when the authority has answered for three documents of the group only. */
const outcomes = [...times(2, "accepted_by_authority"), "rejected_by_authority", ...times(3, "submitted")]

interface Case {
  readonly point: FaultPoint
  /**
   * Number of the pass that kills. The group passes the points of numbering once, each document the other points once.
   */
  readonly hit: number
  /** The states of the group after the kill. Undefined: outcomes may be on their way to the database. */
  readonly left: ReadonlyArray<string> | undefined
}

const cases: ReadonlyArray<Case> = [
  { point: "before-number", hit: 1, left: times(size, "queued") },
  { point: "after-number", hit: 1, left: times(size, "numbered") },
  { point: "before-sign", hit: 3, left: times(size, "numbered") },
  { point: "after-sign", hit: 3, left: times(size, "numbered") },
  { point: "after-submit", hit: 3, left: times(size, "submitted") },
  { point: "after-verdict", hit: 3, left: undefined },
  { point: "after-outcome", hit: 3, left: outcomes },
  { point: "before-send", hit: 3, left: outcomes }
]

describeLive(world)("A group of documents", (it) => {
  it.effect.each(cases)("survives kill -9 at $point, and each document reaches the authority once", function* (one) {
    const { journal, service } = yield* Crashing
    const authority = yield* Outside
    const states = yield* group(one.point)
    rejectsThird(authority)
    let sent = 0
    authority.answerWith(({ operation }: Call) => (operation === "SendBillSync" ? answers[sent++] : undefined))
    // The numbering is already held at this point.
    yield* one.point === "before-number" ? service.signal("SIGKILL") : service.arm(one)
    assert.deepStrictEqual(yield* service.ended, { code: null, signal: "SIGKILL" })
    const left = yield* states
    assert.lengthOf(left, size)
    if (one.left !== undefined) assert.deepStrictEqual(left, one.left)
    else assert.isAtLeast(left.filter((state) => state === "submitted").length, 4)

    authority.answerWith(() => undefined)
    const before = yield* signedBytes(service)
    yield* service.start(never)
    const { doubled, invoices } = yield* settleAndReconcile(before)
    assert.strictEqual(invoices, journal.size)
    // At most the deliveries that the endpoint had in flight, at each of the kills so far.
    assert.isAtMost(doubled, 8 * (cases.indexOf(one) + 1))
    const documents = [...authority.documents.values()]
    assert.lengthOf(documents, invoices)
    assert.deepStrictEqual(
      documents.filter(({ times: sendings }) => sendings !== 1),
      []
    )
    const numbers = documents.map(({ bytes }) => readSignedDocument(bytes)?.full_number)
    assert.strictEqual(new Set(numbers).size, invoices)
    assert.deepStrictEqual(authority.refusals, [])
  })
})
