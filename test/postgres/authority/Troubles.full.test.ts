import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { authorityTroubles } from "../../../src/invoices/rules/AuthorityTroubles.ts"
import { until } from "../../support/apps/Until.ts"
import { type StandIn, standInAuthority } from "../../support/authority/StandInAuthority.ts"
import { plays } from "../../support/authority/StandInTroubles.ts"
import { describeLive } from "../../support/Tests.ts"
import { liveService, readCufe } from "./LiveService.ts"

class World extends Context.Service<
  World,
  Effect.Success<ReturnType<typeof liveService>> & { readonly authority: StandIn }
>()("test/World") {}

const world = Layer.effect(
  World,
  Effect.gen(function* () {
    const authority = yield* standInAuthority({ readCufe })
    return { ...(yield* liveService(authority.url)), authority }
  })
)

/** Ends the trouble, and deletes its traces. */
const heal = Effect.gen(function* () {
  const { authority, hurry, service } = yield* World
  authority.answerWith(() => undefined)
  authority.clockOff(0)
  yield* authority.connections("taken")
  yield* service.rows("update authority_circuits set refusal = null, refusal_since = null, refused_at = null")
  yield* hurry
})

const isWell = Effect.gen(function* () {
  const { health } = yield* World
  yield* until(health, ({ authority }) => authority === undefined, "180 seconds", "200 millis")
})

const sent = ({ calls }: StandIn, from: number) =>
  calls.slice(from).filter(({ operation }) => operation === "SendBillSync").length

/** Waits for the document's acceptance, and brings its scheduled work forward. */
const accepted = Effect.fnUntraced(function* (path: string) {
  const { client, hurry } = yield* World
  const { json } = yield* until(
    Effect.tap(client.get(path), ({ json: { status } }) => (status === "accepted_by_authority" ? Effect.void : hurry)),
    ({ json: { status } }) => status === "accepted_by_authority",
    "180 seconds",
    "100 millis"
  )
  return json
})

type Play = (authority: StandIn) => Effect.Effect<void> | void

const played = Effect.fnUntraced(function* (play: Play) {
  const { authority } = yield* World
  const effect = play(authority)
  if (Effect.isEffect(effect)) yield* effect
})

const answers =
  (play: Parameters<StandIn["answerWith"]>[0]): Play =>
  (authority) =>
    authority.answerWith(play)

interface Case {
  readonly what: string
  readonly play: Play
  readonly trouble: AuthorityTrouble
}

const refusals: ReadonlyArray<Case> = [
  { what: "its certificate is not trusted", play: answers(plays.wrongCertificate), trouble: "certificate_refused" },
  { what: "its signature is not trusted", play: answers(plays.invalidSecurity), trouble: "security_refused" },
  { what: "its sender may not send", play: answers(plays.senderRefused), trouble: "sender_refused" },
  { what: "the clock is off", play: (authority) => authority.clockOff(-3_600_000), trouble: "clock_off" }
]

interface WaitingCase extends Case {
  /** Number of submissions of the document, including the one after the trouble. */
  readonly times: number
}

const lost: ReadonlyArray<WaitingCase> = [
  { what: "the answer is lost", play: answers(plays.resetAfterWork), trouble: "no_answer", times: 1 },
  { what: "the request is lost", play: answers(plays.resetAfterRequest), trouble: "no_answer", times: 2 },
  { what: "504 after its work", play: answers(plays.serverErrorAfterWork("504")), trouble: "server_error", times: 1 }
]

const ofDocument: ReadonlyArray<WaitingCase> = [
  { what: "it is still in process", play: answers(plays.inProcessUntilAsked(1)), trouble: "in_process", times: 1 },
  {
    what: "a status query finds it still in process",
    play: answers(plays.inProcessUntilAsked(4)),
    trouble: "in_process",
    times: 1
  },
  {
    what: "it has a verdict that is not visible yet",
    play: answers(plays.inProcessUnseen(3)),
    trouble: "in_process",
    times: 1
  },
  {
    what: "the answer is for another document",
    play: answers(plays.anotherDocument),
    trouble: "another_document",
    times: 1
  }
]

/** Troubles of every document. `status`: the status in the health response. */
const ofAll: ReadonlyArray<WaitingCase & { readonly stage: string; readonly status: string }> = [
  {
    what: "half of the answer is lost",
    play: answers(plays.halfAnswer),
    trouble: "no_answer",
    times: 1,
    stage: "submitted",
    status: "unreachable"
  },
  {
    what: "503",
    play: answers(plays.serverError("503")),
    trouble: "server_error",
    times: 2,
    stage: "submitted",
    status: "failing"
  },
  {
    what: "connections are refused",
    play: (authority) => authority.connections("refused"),
    trouble: "connection_refused",
    times: 1,
    stage: "signed",
    status: "unreachable"
  }
]

interface Check {
  readonly check: string
  readonly message: string
}

const isWaiting = ({ waiting }: { readonly waiting?: unknown }) => waiting !== undefined

describeLive(world)("a live document", (it) => {
  it.effect.each(refusals)(
    "fails with the remedy in its message, and is accepted after a retry: $what",
    function* ({ play, trouble }) {
      const { authority, folio, health, issue, metrics, retry, service, shown } = yield* World
      const from = authority.calls.length
      yield* played(play)
      const path = yield* issue
      const failed = yield* shown(path, ({ status }) => status !== "draft")
      assert.deepInclude(failed, { status: "failed", contingency: null })
      assert.deepInclude(failed.failure, { code: "authority_refused", retryable: true })
      assert.include(failed.failure.message, authorityTroubles[trouble].what)
      assert.include(failed.failure.message, authorityTroubles[trouble].remedy)
      const doctor = yield* folio("doctor")
      assert.include(doctor.out, authorityTroubles[trouble].what)
      assert.include(yield* service.log, `"trouble":"${trouble}"`)
      // Health shows the kind of trouble without its account.
      const told = yield* until(
        health,
        ({ authority: found }) => found?.trouble === trouble,
        "180 seconds",
        "200 millis"
      )
      assert.deepInclude(told.authority, { status: "refusing" })
      const counted = new RegExp(`^folio_authority_unanswered_total\\{trouble="${trouble}"\\} [1-9]`, "mu")
      yield* until(metrics, (page) => counted.test(page), "180 seconds", "200 millis")
      yield* heal
      assert.strictEqual((yield* retry(path)).status, 202)
      const invoice = yield* accepted(path)
      assert.strictEqual(invoice.full_number, failed.full_number)
      assert.strictEqual(authority.documents.get(invoice.cufe)?.times, 1)
      assert.isAtMost(sent(authority, from), 2)
      yield* isWell
    }
  )

  it.effect.each(ofDocument)(
    "shows the reason for its wait, and is sent once: $what",
    function* ({ play, times, trouble }) {
      const { authority, folio, health, issue, shown } = yield* World
      const from = authority.calls.length
      yield* played(play)
      const path = yield* issue
      const waiting = yield* shown(path, isWaiting)
      assert.deepInclude(waiting, { status: "draft", stage: "submitted", contingency: null, email: null })
      assert.strictEqual(waiting.waiting.code, trouble)
      assert.include(waiting.waiting.message, authorityTroubles[trouble].what)
      // A trouble with one document is no trouble of the authority.
      assert.deepStrictEqual(yield* health, { status: "ok" })
      if (trouble === "another_document") {
        // The other documents may have a verdict before the doctor looks.
        const { checks } = JSON.parse((yield* folio("doctor")).out)
        const told = checks.filter(
          ({ check, message }: Check) => check === "authority" && /document waiting/u.test(message)
        )
        assert.lengthOf(told, 1)
        assert.isTrue(told[0].ok)
        assert.include(told[0].message, authorityTroubles[trouble].what)
      }
      if (trouble !== "in_process") yield* heal
      const invoice = yield* accepted(path)
      assert.notProperty(invoice, "waiting")
      assert.deepStrictEqual([sent(authority, from), authority.documents.get(invoice.cufe)?.times], [times, 1])
      yield* heal
    }
  )

  it.effect.each(lost)(
    "causes a status query, and is sent again only if the authority does not have it: $what",
    function* ({ play, times, trouble }) {
      const { authority, issue, shown } = yield* World
      const from = authority.calls.length
      yield* played(play)
      const path = yield* issue
      const waiting = yield* shown(path, isWaiting)
      assert.deepInclude(waiting, { status: "draft", stage: "submitted", contingency: null, email: null })
      assert.strictEqual(waiting.waiting.code, trouble)
      yield* heal
      const invoice = yield* accepted(path)
      const operations = authority.calls.slice(from).map(({ operation }) => operation)
      assert.deepStrictEqual(operations.slice(0, 2), ["SendBillSync", "GetStatus"])
      assert.deepStrictEqual([sent(authority, from), authority.documents.get(invoice.cufe)?.times], [times, 1])
    }
  )

  it.effect.each(ofAll)(
    "waits, and the reason appears in health, metrics, doctor and log: $what",
    function* ({ play, stage, status, times, trouble }) {
      const { authority, folio, health, issue, metrics, service, shown } = yield* World
      const from = authority.calls.length
      const logged = (yield* service.log).length
      yield* played(play)
      const path = yield* issue
      // During a retry, a document that never left appears as submitted for a moment.
      const waiting = yield* shown(path, (found) => isWaiting(found) && found.stage === stage)
      assert.deepInclude(waiting, { status: "draft", stage, contingency: null, email: null })
      assert.strictEqual(waiting.waiting.code, trouble)
      assert.include(waiting.waiting.message, authorityTroubles[trouble].what)
      const told = yield* until(
        health,
        ({ authority: found }) => found?.trouble === trouble,
        "180 seconds",
        "200 millis"
      )
      assert.deepInclude(told.authority, { status, trouble })
      const gauge = `folio_authority_troubled_circuits{environment="live",trouble="${trouble}"} 1`
      const text = yield* until(metrics, (page) => page.includes(gauge), "180 seconds", "200 millis")
      assert.match(text, new RegExp(`^folio_authority_unanswered_total\\{trouble="${trouble}"\\} [1-9]`, "mu"))
      const doctor = yield* folio("doctor")
      assert.strictEqual(doctor.code, 1)
      assert.match(doctor.out, /Calls to the live authority have failed since/)
      assert.include(doctor.out, authorityTroubles[trouble].what)
      const warned = (yield* service.log)
        .slice(logged)
        .split("\n")
        .filter((line) => line.includes("Calls to the authority fail"))
      assert.lengthOf(warned, 1)
      assert.include(warned[0], `"trouble":"${trouble}"`)
      yield* heal
      const invoice = yield* accepted(path)
      assert.notProperty(invoice, "waiting")
      assert.isNull(invoice.contingency)
      assert.deepStrictEqual([sent(authority, from), authority.documents.get(invoice.cufe)?.times], [times, 1])
      assert.include((yield* service.log).slice(logged), "The authority responds again")
      yield* isWell
    }
  )

  it.effect("stays submitted if it may have left and the status query is rejected", function* () {
    const { authority, issue, retry, shown } = yield* World
    const from = authority.calls.length
    authority.answerWith((call) =>
      call.operation === "GetStatus" ? plays.wrongCertificate(call) : plays.halfAnswer(call)
    )
    const path = yield* issue
    const waiting = yield* shown(path, ({ waiting: found }) => found?.code === "certificate_refused")
    assert.deepInclude(waiting, { status: "draft", stage: "submitted", contingency: null })
    assert.include(waiting.waiting.message, authorityTroubles.certificate_refused.remedy)
    assert.strictEqual((yield* retry(path)).status, 409)
    yield* heal
    yield* accepted(path)
    assert.strictEqual(sent(authority, from), 1)
  })
})
