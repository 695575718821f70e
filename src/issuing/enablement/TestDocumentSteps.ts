import { Duration, Effect, Result } from "effect"
import type { AuthorityError } from "../../../schemas/FiscalDocument.ts"
import type { TestSetAnswer } from "../../outbound/authority/Authority.ts"
import { hintOf } from "../../outbound/authority/RuleHints.ts"
import { Fault } from "../../protocol/Fault.ts"
import {
  type LoadedTestDocument,
  type StoredTestDocument,
  type TestDocumentChange,
  TestDocuments
} from "../../store/enablement/TestDocuments.ts"
import { Workers } from "../../store/sql/Workers.ts"
import type { TestSetTrouble } from "./EnablementWords.ts"
import { askDelayMs, EnablementPace } from "./EnablementPace.ts"
import type { TestIssuer } from "./TestDocumentMaking.ts"
import { TestSetCalls, type Unanswered } from "./TestSetCalls.ts"

/** What a step of a document means for its test set. */
export type StepOutcome =
  | { readonly _tag: "answered" }
  /** No call was made: another process was faster, or this one is not certainly alive. */
  | { readonly _tag: "idle" }
  | { readonly _tag: "trouble"; readonly trouble: TestSetTrouble; readonly message: string }
  | { readonly _tag: "refused"; readonly message: string }
  /** The authority has accepted the whole test set. */
  | { readonly _tag: "accepted" }

const answered: StepOutcome = { _tag: "answered" }
const idle: StepOutcome = { _tag: "idle" }

const numberUsed: AuthorityError = {
  rule: "90",
  severity: "rejection",
  message: "Documento procesado anteriormente.",
  path: null,
  hint: hintOf("test set 90")
}

const noMore = "The authority has accepted the test set, and took this document no more."

// Questions by the upload before every second one is by the code of the document: of an upload that was never queued, the authority says
// for ever that it is in process.
const askedByUpload = 3

/**
 * The steps of a document of a test set: it is sent once, and then asked for its verdict. Before a document leaves, its row says that it
 * may have left; from then on it is sent again only when the call certainly did not reach the authority.
 */
export const make = Effect.gen(function* () {
  const calls = yield* TestSetCalls
  const documents = yield* TestDocuments
  const workers = yield* Workers
  const pace = yield* EnablementPace

  const nextMs = (asked: number) => askDelayMs(pace, asked)

  /** Stores what a call came to; `outcome` is what that means for the test set. */
  const stored = (document: StoredTestDocument, change: TestDocumentChange, outcome: StepOutcome = answered) =>
    Effect.as(documents.move(document, change), outcome)

  const unsent = (document: StoredTestDocument, why: Unanswered) => {
    if (why._tag === "refused") {
      return stored(document, { state: "refused", message: why.message }, why)
    }
    const isBack = why._tag === "trouble" && why.nothingLeft
    const change = { state: isBack ? ("signed" as const) : ("sent" as const), nextMs: nextMs(0) }
    const said = why.message === "" ? {} : { message: why.message }
    return stored(document, { ...change, ...said }, why._tag === "trouble" ? why : answered)
  }

  const send = Effect.fnUntraced(function* (document: StoredTestDocument, issuer: TestIssuer) {
    const signed = yield* documents.signed(document)
    // A process that takes the test set over during the call finds a document that was sent, and asks for its verdict.
    if (!(yield* documents.move(document, { state: "sent", attempt: true, nextMs: nextMs(0) }))) return idle
    const leaving = { ...document, version: document.version + 1 }
    yield* Fault.at("after-submit")
    if (!(yield* workers.isAlive)) return idle
    const result = yield* Effect.result(calls.send(leaving, signed, issuer))
    yield* Fault.at("after-verdict")
    if (Result.isFailure(result)) return yield* unsent(leaving, result.failure)
    if (result.success === null) {
      return yield* stored(leaving, { state: "refused", message: noMore }, { _tag: "accepted" })
    }
    return yield* stored(leaving, { state: "sent", zip_key: result.success, nextMs: nextMs(0) })
  })

  const conclude = (document: StoredTestDocument, answer: Exclude<TestSetAnswer, { readonly _tag: "pending" }>) => {
    if (answer._tag === "number_processed") {
      return stored(document, { state: "number_used", asked: true, errors: [numberUsed] })
    }
    const { accepted, errors, notifications } = answer.verdict
    return stored(document, { state: accepted ? "accepted" : "rejected", asked: true, errors, notifications })
  }

  const ask = Effect.fnUntraced(function* (document: LoadedTestDocument, issuer: TestIssuer) {
    if (!(yield* workers.isAlive)) return idle
    const { asked, waited_ms, zip_key } = document
    const isLate = (waited_ms ?? 0) > Duration.toMillis(pace.patience)
    const isByCode = zip_key === null || isLate || (asked >= askedByUpload && asked % 2 === 1)
    const first = yield* Effect.result(calls.verdict(document, isByCode ? "code" : "upload", issuer))
    // That the number was processed may be said of this very document: its code decides.
    const result =
      Result.isSuccess(first) && first.success._tag === "number_processed" && !isByCode
        ? yield* Effect.result(calls.verdict(document, "code", issuer))
        : first
    const isUsed = Result.isSuccess(first) && first.success._tag === "number_processed"
    if (Result.isFailure(result)) {
      const why = result.failure
      if (why._tag === "refused") return yield* stored(document, { state: "refused", message: why.message }, why)
      if (why._tag === "trouble") return yield* stored(document, { state: "sent", nextMs: nextMs(asked) }, why)
      return yield* waiting(document, why.message, isLate)
    }
    if (result.success._tag !== "pending") return yield* conclude(document, result.success)
    if (isUsed) return yield* conclude(document, { _tag: "number_processed" })
    return yield* waiting(document, result.success.message, isLate)
  })

  const waiting = (document: StoredTestDocument, message: string, isLate: boolean) =>
    stored(
      document,
      isLate
        ? {
            state: "unanswered",
            asked: true,
            message: `No verdict in time, and another document takes its place. ${message}`
          }
        : { state: "sent", asked: true, message, nextMs: nextMs(document.asked + 1) }
    )

  /** Carries out the next step of an open document. */
  return (document: LoadedTestDocument, issuer: TestIssuer): Effect.Effect<StepOutcome> =>
    document.state === "signed" ? send(document, issuer) : ask(document, issuer)
})
