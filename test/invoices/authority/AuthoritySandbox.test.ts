import { assert, describe } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { AccountId } from "../../../schemas/Id.ts"
import type { AuthorityMode, AuthorityScript } from "../../../schemas/TestHelper.ts"
import { checkDigit } from "../../../src/documents/rules/parties/CheckDigit.ts"
import { Authority, type Submission } from "../../../src/invoices/authority/Authority.ts"
import * as AuthoritySandbox from "../../../src/invoices/authority/AuthoritySandbox.ts"
import { it } from "../../support/Tests.ts"

const [mine, others] = [AccountId.make(`ten_${"a".repeat(26)}`), AccountId.make(`ten_${"b".repeat(26)}`)]

/** A document whose bytes are its acquirer's NIT. */
const document = (number: string, change: Partial<Submission> = {}): Submission => ({
  account_id: mine,
  cufe: `cufe of ${number}`,
  kind: "invoice",
  full_number: "SETP1",
  issue_date: "2026-11-21",
  livemode: false,
  in_contingency: false,
  issuer_nit: "900373115",
  certificate: { certificate: "", sign: Effect.succeed },
  signed: new TextEncoder().encode(number),
  ...change
})
const read = (signed: Uint8Array): AuthoritySandbox.SubmittedDocument => {
  const number = new TextDecoder().decode(signed)
  const identification = { type: "31", number, check_digit: checkDigit(number) } as const
  return {
    cufe: `cufe of ${number}`,
    full_number: "SETP1",
    acquirer: { identification }
  }
}

const modes = new Map<AccountId, AuthorityMode>()
/** Scripts by full number. */
const scripts = new Map<string, AuthorityScript>()
/** The simulator as a process has it right after its start, with an empty memory. */
const started = Effect.provide(
  Effect.map(Authority, (authority) => authority),
  AuthoritySandbox.layer({
    read,
    latency: 0,
    modeOf: (id) => Effect.sync(() => modes.get(id) ?? "up"),
    scriptOf: ({ full_number }) => Effect.sync(() => scripts.get(full_number) ?? null)
  })
)

const outcome = (authority: Authority["Service"], submission: Submission) =>
  Effect.map(
    Effect.result(authority.submit(submission)),
    Result.match({ onSuccess: ({ accepted }) => (accepted ? "accepted" : "rejected"), onFailure: ({ _tag }) => _tag })
  )

describe("AuthoritySandbox", () => {
  it.effect("simulates an outage, slowness or flakiness only for the account with that mode", function* () {
    const authority = yield* started
    const other = document("900373115", { account_id: others })
    modes.set(mine, "down")
    assert.strictEqual(yield* outcome(authority, document("900000001")), "AuthorityUnavailable")
    assert.isTrue(Result.isFailure(yield* Effect.result(authority.verdict(document("900000001")))))
    assert.strictEqual(yield* outcome(authority, other), "accepted")
    assert.strictEqual(yield* outcome(authority, document("900373115", { livemode: true })), "accepted")
    modes.set(mine, "flaky")
    for (const expected of ["AuthorityUnavailable", "AuthorityUnavailable", "accepted"]) {
      assert.strictEqual(yield* outcome(authority, document("900000001")), expected)
    }
    modes.set(mine, "slow")
    const began = yield* Clock.currentTimeMillis
    const slow = yield* Effect.forkChild(outcome(authority, document("900373115")), { startImmediately: true })
    yield* TestClock.adjust("9999 millis")
    assert.isUndefined(slow.pollUnsafe())
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* Fiber.join(slow), "accepted")
    assert.strictEqual((yield* Clock.currentTimeMillis) - began, 10_000)
    modes.set(mine, "up")
    assert.strictEqual(yield* outcome(authority, document("900000001")), "accepted")
  })

  it.effect("forgets its flakiness with a document after it has answered for the document", function* () {
    modes.clear()
    const authority = yield* started
    modes.set(mine, "flaky")
    assert.strictEqual(yield* outcome(authority, document("900000001")), "AuthorityUnavailable")
    modes.set(mine, "up")
    assert.strictEqual(yield* outcome(authority, document("900000001")), "accepted")
    modes.set(mine, "flaky")
    for (const expected of ["AuthorityUnavailable", "AuthorityUnavailable", "accepted"]) {
      assert.strictEqual(yield* outcome(authority, document("900000001")), expected)
    }
    modes.clear()
  })

  it.effect("knows a document only in one account and mode, even if another account uses its code", function* () {
    modes.clear()
    const authority = yield* started
    assert.strictEqual(yield* outcome(authority, document("900000001")), "accepted")
    assert.isNotNull(yield* authority.verdict(document("900000001")))
    assert.isNull(yield* authority.verdict(document("900000001", { account_id: others })))
    assert.isNull(yield* authority.verdict(document("900000001", { livemode: true })))
    for (const account_id of [mine, others]) {
      for (const expected of ["AuthorityUnavailable", "AuthorityUnavailable", "accepted"]) {
        assert.strictEqual(yield* outcome(authority, document("900000006", { account_id })), expected)
      }
    }
  })

  it.effect("gives the outcomes that need a memory after a restart too", function* () {
    modes.clear()
    const before = yield* started
    assert.strictEqual(yield* outcome(before, document("900000003")), "AuthorityUnavailable")
    assert.strictEqual(yield* outcome(before, document("900000008")), "AuthorityUnavailable")
    assert.isNotNull(yield* before.verdict(document("900000008")))

    const after = yield* started
    assert.isNull(yield* after.verdict(document("900000008")))
    assert.strictEqual(yield* outcome(after, document("900000008")), "AuthorityUnavailable")
    assert.deepInclude(Object(yield* after.verdict(document("900000008"))), { accepted: true })
    // The incident ends only when the document goes to contingency.
    assert.strictEqual(yield* outcome(after, document("900000003")), "AuthorityUnavailable")
    assert.isNull(yield* after.verdict(document("900000003", { in_contingency: true })))
    assert.strictEqual(yield* outcome(after, document("900000003", { in_contingency: true })), "accepted")
    assert.strictEqual(yield* outcome(after, document("900000004")), "AuthorityRefusal")
  })

  it.effect("marks an outage that concerns one document alone", function* () {
    const authority = yield* started
    for (const number of ["900000003", "900000006", "900000008"]) {
      const alone = yield* Effect.flip(authority.submit(document(number)))
      assert.deepInclude({ ...alone }, { of_document: true }, number)
      assert.strictEqual(Object(alone).lasts, number === "900000003" ? true : undefined, number)
    }
    modes.set(mine, "down")
    const all = yield* Effect.flip(authority.submit(document("900000003")))
    assert.notProperty({ ...all }, "of_document")
    modes.clear()
  })

  it.effect("follows the document's script instead of its acquirer", function* () {
    const authority = yield* started
    const rejected = "900000002"
    const scripted = (full_number: string, script: AuthorityScript) => {
      scripts.set(full_number, script)
      return document(rejected, { full_number })
    }
    assert.strictEqual(yield* outcome(authority, scripted("A1", { accept: true })), "accepted")
    assert.strictEqual(yield* outcome(yield* started, scripted("A2", { fail: true })), "AuthorityRefusal")
    const away = scripted("A3", { contingency: true })
    assert.strictEqual(yield* outcome(yield* started, away), "AuthorityUnavailable")
    assert.strictEqual(yield* outcome(yield* started, { ...away, in_contingency: true }), "accepted")
    const losing = yield* started
    assert.strictEqual(yield* outcome(losing, scripted("A4", { lose: true })), "AuthorityUnavailable")
    assert.deepInclude(yield* losing.verdict(document(rejected)), { accepted: true })
    const always = document("900000001", { full_number: "A5" })
    scripts.set("A5", { reject: ["FAD06", "XYZ99"] })
    const verdict = yield* (yield* started).submit(always)
    assert.deepStrictEqual(
      verdict.errors.map(({ hint, message, rule, severity }) => [rule, severity, message, hint !== null]),
      [
        ["FAD06", "rejection", "Valor del CUFE no está calculado correctamente", true],
        ["XYZ99", "rejection", "El documento no cumple la regla XYZ99.", false]
      ]
    )
    assert.strictEqual(yield* outcome(yield* started, { ...always, livemode: true }), "accepted")
    modes.set(mine, "down")
    assert.strictEqual(yield* outcome(authority, scripted("A1", { accept: true })), "AuthorityUnavailable")
    modes.clear()
  })

  it.effect.each([30, 60])(
    "answers after a script's delay, within the time that the service waits: %s s",
    function* (delay) {
      scripts.set("D1", { delay })
      const authority = yield* started
      const submitted = document("900373115", { full_number: "D1" })
      const call = Effect.timeoutOrElse(Effect.exit(authority.submit(submitted)), {
        duration: "60 seconds",
        orElse: () => Effect.die("no answer in time")
      })
      const answer = call.pipe(
        Effect.tap((exit) => (Exit.isFailure(exit) ? Effect.sleep("1 second") : Effect.void)),
        Effect.repeat({ until: Exit.isSuccess })
      )
      const began = yield* Clock.currentTimeMillis
      const answering = yield* Effect.forkChild(answer, { startImmediately: true })
      yield* TestClock.adjust(delay * 1000 - 1)
      assert.isUndefined(answering.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.isTrue(Exit.isSuccess(yield* Fiber.join(answering)))
      assert.strictEqual((yield* Clock.currentTimeMillis) - began, delay * 1000)
    }
  )
})
