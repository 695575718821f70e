import { assert, describe, it } from "@effect/vitest"
import { Cause } from "effect"
import { AuthorityTrouble } from "../../schemas/AuthorityTrouble.ts"
import { authorityTroubles } from "../../src/invoices/rules/AuthorityTroubles.ts"
import { type InvoiceState, isIssued, states, transition } from "../../src/invoices/rules/InvoiceLifecycle.ts"
import {
  afterCall,
  afterDefect,
  answering,
  type AuthorityState,
  brokenCallsMax,
  type Called,
  type Facts,
  type Next,
  nextStep,
  type Phase
} from "../../src/invoices/NextStep.ts"
import { AuthorityRefusal, AuthorityUnavailable } from "../../src/invoices/authority/Authority.ts"
import { PortBroken } from "../../src/runtime/PortCall.ts"
import type { Vitals } from "../../src/invoices/store/Vitals.ts"

const today = "2026-11-27"

const row = (state: InvoiceState, changes: Partial<Facts> = {}): Facts => ({
  state,
  cufe: "c0de",
  issue_date: today,
  attempts: 1,
  submitted_at: state === "submitted" ? new Date(0) : null,
  contingency_since: state === "accepted_contingency" ? new Date(0) : null,
  waiting: null,
  waiting_ms: null,
  ...changes
})

const openAfterMs = 300_000

/** The authority whose calls have failed for a time, because of a trouble. */
const away = (phase: Phase, changes: Partial<AuthorityState> = {}): AuthorityState => ({
  ...answering,
  openAfterMs,
  phase,
  leftMs: phase === "closed" ? null : 0,
  isTried: false,
  trouble: "connection_refused",
  message: "no way",
  ...changes
})

/** The next step in one word, with its call. */
const inWords = (next: Next): string => {
  if (next.do === "Try") return `Try ${next.call}`
  if (next.do === "EnterContingency") return `EnterContingency ${next.cause}`
  return next.do
}

const returned = { submitted_at: new Date(0) }

const commandOf = {
  SignAndSend: "Sign",
  Sign: "Sign",
  Send: "Submit",
  Redate: "Redate",
  EnterContingency: "EnterContingency"
} as const

describe("The next step of a document", () => {
  it.each<readonly [string, Facts, Partial<AuthorityState>, string]>([
    ["a draft waits for its number", row("queued"), {}, "Rest"],
    ["a numbered document is signed and sent", row("numbered"), {}, "SignAndSend"],
    ["a numbered document without a code gets a code", row("numbered", { cufe: null }), {}, "Redate"],
    ["a numbered document of yesterday gets today's date", row("numbered", { issue_date: "2026-11-26" }), {}, "Redate"],
    ["a signed document of yesterday gets today's date", row("signed", { issue_date: "2026-11-26" }), {}, "Redate"],
    ["an issued document keeps its date", row("signed", { issue_date: "2026-11-26", ...returned }), {}, "Send"],
    ["a signed document is sent", row("signed"), {}, "Send"],
    ["a submitted document asks for its verdict", row("submitted"), {}, "Ask"],
    ["a document in contingency asks for its verdict", row("accepted_contingency"), {}, "Ask"],
    ["an accepted document is done", row("accepted_by_authority"), {}, "Rest"],
    ["a rejected document waits for its client", row("rejected_by_authority"), {}, "Rest"],
    ["a failed document waits for its client", row("failed"), {}, "Rest"],
    ["a canceled document is done", row("canceled"), {}, "Rest"]
  ])("%s", (_, of, authority, expected) => {
    assert.strictEqual(inWords(nextStep(of, { ...answering, openAfterMs, ...authority }, today)), expected)
  })

  it.each<readonly [Phase, Partial<AuthorityState>, Record<"numbered" | "signed" | "issued" | "submitted", string>]>([
    ["closed", {}, { numbered: "SignAndSend", signed: "Send", issued: "Send", submitted: "Ask" }],
    // Calls have failed for less than a fifth of the time to contingency.
    ["closed", { leftMs: 241_000 }, { numbered: "SignAndSend", signed: "Send", issued: "Send", submitted: "Ask" }],
    // Calls have failed for longer: an unsent document tries at most, and waits if a document just tried may have left.
    ["closed", { leftMs: 239_000 }, { numbered: "Sign", signed: "Try Send", issued: "Send", submitted: "Ask" }],
    [
      "closed",
      { leftMs: 239_000, isTried: true, trouble: "no_answer" },
      { numbered: "Sign", signed: "Wait", issued: "Send", submitted: "Ask" }
    ],
    [
      "closed",
      { leftMs: 239_000, isTried: false, trouble: "no_answer" },
      { numbered: "Sign", signed: "Try Send", issued: "Send", submitted: "Ask" }
    ],
    ["doubtful", {}, { numbered: "Sign", signed: "Try Send", issued: "Try Send", submitted: "Try Ask" }],
    ["blocked", {}, { numbered: "Sign", signed: "Try Send", issued: "Try Send", submitted: "Try Ask" }],
    [
      "open",
      {},
      {
        numbered: "EnterContingency outage",
        signed: "EnterContingency outage",
        issued: "Try Send",
        submitted: "Try Ask"
      }
    ]
  ])("fits an authority whose circuit is %s, %o", (phase, changes, expected) => {
    const authority = away(phase, changes)
    const rows = { numbered: row("numbered"), signed: row("signed"), issued: row("signed", returned) }
    const found = { ...rows, submitted: row("submitted") }
    for (const [name, of] of Object.entries(found))
      assert.strictEqual(inWords(nextStep(of, authority, today)), expected[name as keyof typeof expected], name)
  })

  it("suits the document's state, whatever the state of the authority", () => {
    for (const state of states) {
      for (const phase of ["closed", "doubtful", "blocked", "open"] as const) {
        for (const leftMs of [null, 0, 239_000, 300_000]) {
          for (const changes of [{}, returned, { cufe: null }, { issue_date: "2026-11-26" }]) {
            const of = row(state, changes)
            // The database has no row like this.
            if (state === "numbered" && isIssued(of)) continue
            const next = nextStep(of, away(phase, { leftMs }), today)
            const command =
              next.do === "Try"
                ? next.call === "Send"
                  ? "Submit"
                  : undefined
                : commandOf[next.do as keyof typeof commandOf]
            if (command === undefined) continue
            const facts = { hasNumber: true, isIssued: isIssued(of) }
            assert.strictEqual(transition(state, command, facts)._tag, "Success", `${state} ${phase} ${next.do}`)
          }
        }
      }
    }
  })
})

const called = (outcome: Called["outcome"], changes: Partial<Called> = {}): Called => ({
  outcome,
  isFresh: true,
  brokenInARow: 1,
  random: 0.5,
  ...changes
})

const unavailable = (trouble: AuthorityTrouble, changes: { of_document?: boolean; lasts?: boolean } = {}) =>
  new AuthorityUnavailable({ message: "words", trouble, ...changes })

const broken = new PortBroken({
  port: "Authority.submit",
  isLate: false,
  cause: Cause.die("broken") as Cause.Cause<never>
})

const verdict = { accepted: true, errors: [], notifications: [], answer: null }

const alarm = (attempts: number, phase: Phase, leftMs: number | null = null) => {
  const next = afterCall(row("submitted", { attempts }), called(unavailable("no_answer")), away(phase, { leftMs }))
  return next.do === "Wait" ? next.alarmMs : next.do
}

const codeAfter = (changes: Partial<Facts>) => {
  const next = afterCall(
    row("submitted", changes),
    called(unavailable("no_answer"), { isFresh: false }),
    away("closed")
  )
  return next.do === "Wait" ? next.waiting?.code : next.do
}

const refusal = (trouble?: AuthorityTrouble) => new AuthorityRefusal({ message: "no", ...(trouble && { trouble }) })
const codeOf = (error: AuthorityRefusal) => {
  const next = afterCall(row("submitted"), called(error), answering)
  return next.do === "End" ? [next.failure.code, next.failure.retryable] : next.do
}

const after = (state: InvoiceState, brokenInARow: number) =>
  afterCall(row(state), called(broken, { brokenInARow }), answering).do

describe("The step after a call of the authority", () => {
  it("concludes with a verdict, and looks at nothing that was sent before", () => {
    assert.deepStrictEqual(afterCall(row("submitted"), called({ verdict }), answering), { do: "Conclude", verdict })
    assert.deepStrictEqual(afterCall(row("submitted"), called({ verdict: null }), answering), {
      do: "Wait",
      alarmMs: 1_000
    })
  })

  it("never returns a document that may have left, however the authority fails", () => {
    for (const trouble of AuthorityTrouble.literals) {
      for (const phase of ["closed", "doubtful", "blocked", "open"] as const) {
        for (const isFresh of [true, false]) {
          const next = afterCall(row("submitted"), called(unavailable(trouble), { isFresh }), away(phase))
          const isTakenBack = isFresh && !authorityTroubles[trouble].may_have_left
          assert.strictEqual(next.do, isTakenBack ? "Return" : "Wait", `${trouble} ${phase} ${isFresh}`)
        }
      }
    }
  })

  it.each<readonly [string, Called["outcome"], Phase, Partial<Facts>, "outage" | "document" | null]>([
    ["never while the circuit is closed", unavailable("connection_refused"), "closed", {}, null],
    ["immediately in an outage", unavailable("connection_refused"), "open", {}, "outage"],
    ["never if the cause is ours", unavailable("no_route"), "open", {}, null],
    ["not immediately for one document", unavailable("connection_refused", { of_document: true }), "open", {}, null],
    [
      "for one document that has waited for five minutes",
      unavailable("connection_refused", { of_document: true }),
      "closed",
      { waiting: { code: "connection_refused", message: "" }, waiting_ms: openAfterMs },
      "document"
    ],
    [
      "not for one document that has waited for another reason",
      unavailable("connection_refused", { of_document: true }),
      "closed",
      { waiting: { code: "no_route", message: "" }, waiting_ms: openAfterMs },
      null
    ],
    [
      "immediately for one document whose outage lasts",
      unavailable("connection_refused", { of_document: true, lasts: true }),
      "closed",
      {},
      "document"
    ]
  ])("issues a returned document in contingency: %s", (_, outcome, phase, changes, contingency) => {
    const next = afterCall(row("submitted", changes), called(outcome), away(phase))
    assert.strictEqual(next.do === "Return" ? next.contingency : next.do, contingency)
  })

  it("waits longer each time, until the authority accepts calls again if every document waits for it", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 9, 20].map((attempts) => alarm(attempts, "closed")),
      [1_000, 2_000, 4_000, 256_000, 300_000]
    )
    // Not beyond the time at which documents are issued in contingency, and not all the time until then.
    assert.deepStrictEqual([alarm(9, "closed", 30_000), alarm(9, "closed", 10)], [30_000, 1_000])
    assert.deepStrictEqual([alarm(1, "open", 0), alarm(1, "blocked", 0)], [Infinity, Infinity])
  })

  it("keeps a document as received by the authority, whatever goes wrong afterwards", () => {
    const received = { waiting: { code: "in_process", message: "" }, waiting_ms: 86_400_000 } as const
    assert.strictEqual(codeAfter(received), "in_process")
    assert.strictEqual(codeAfter({ ...received, waiting_ms: 7 * 86_400_000 }), "no_answer")
  })

  it("ends a refused document that was not given to its buyer, and names the reason", () => {
    assert.deepStrictEqual(codeOf(refusal()), ["authority_refused", true])
    assert.deepStrictEqual(codeOf(refusal("certificate_missing")), ["no_certificate", true])
    assert.strictEqual(afterCall(row("accepted_contingency"), called(refusal()), answering).do, "Wait")
  })

  it("ends a document after twelve broken calls in a row, unless it was given to its buyer", () => {
    assert.strictEqual(after("submitted", brokenCallsMax - 1), "Wait")
    assert.strictEqual(after("submitted", brokenCallsMax), "End")
    assert.strictEqual(after("accepted_contingency", 10 * brokenCallsMax), "Wait")
  })
})

const vitals = (state: InvoiceState, changes: Partial<Facts> = {}) => row(state, changes) as Facts as unknown as Vitals

const words = (state: InvoiceState, changes: Partial<Facts>) => {
  const next = afterDefect(vitals(state, changes), false, 0.5)
  return next.do === "End" ? next.failure.code : next.do
}

const attempt = (state: InvoiceState, isUnreadable: boolean) => {
  const next = afterDefect(vitals(state), isUnreadable, 0.5)
  return next.do === "Wait" ? next.attempt : next.do
}

describe("The step after a defect of the service", () => {
  it("ends a document that was never issued at the fifth defect, and never a document that may have left", () => {
    for (const state of ["queued", "numbered", "signed"] as const) {
      assert.strictEqual(words(state, { attempts: 3 }), "Wait", state)
      assert.strictEqual(words(state, { attempts: 4 }), "internal_error", state)
    }
    for (const state of ["submitted", "accepted_contingency"] as const)
      assert.strictEqual(words(state, { attempts: 99 }), "Wait", state)
    assert.strictEqual(words("signed", { attempts: 99, ...returned }), "Wait")
    for (const state of ["accepted_by_authority", "rejected_by_authority", "failed", "canceled"] as const)
      assert.strictEqual(words(state, {}), "Rest", state)
  })

  it("counts an attempt that was not counted before the call", () => {
    assert.deepStrictEqual([attempt("numbered", false), attempt("submitted", false)], [true, false])
    assert.strictEqual(attempt("submitted", true), true)
  })
})
