import { Duration, Effect, Result, Schema } from "effect"
import type { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import type { AuthorityError } from "../../../schemas/FiscalDocument.ts"
import { authorityTroubles } from "../rules/AuthorityTroubles.ts"
import { storableText } from "../../runtime/json/Storable.ts"
import { callerOf, type DocumentName, isAuthorityFailure as isFailure, troubleOf } from "../authority/Authority.ts"
import { hintOf } from "../authority/RuleHints.ts"
import { GivenVerdict, storableErrors, type Unanswered } from "../AuthorityCalls.ts"
import { Fault } from "../../runtime/Fault.ts"
import { callPort, PortBroken } from "../../runtime/PortCall.ts"
import { Enablements } from "../store/Enablements.ts"
import type { LoadedTestDocument, StoredTestDocument, TestDocumentChange } from "../store/TestDocuments.ts"
import { Workers } from "../../database/Workers.ts"
import type { TestIssuer } from "./LiveReadiness.ts"
import { askDelayMs, TestSetPace } from "./TestSetPace.ts"
import type { TestSetTrouble } from "./TestSetWords.ts"

/** The meaning of a document's step for its test set. */
export type StepOutcome =
  | { readonly _tag: "answered" }
  /** Folio made no call: another process was faster, or this process may no longer be alive. */
  | { readonly _tag: "idle" }
  /** A trouble of the authority, or of the connection to it. */
  | { readonly _tag: "trouble"; readonly trouble: TestSetTrouble; readonly message: string }
  /** The authority rejects every document of this sender. */
  | { readonly _tag: "refused"; readonly message: string }
  /** The authority has accepted the whole test set. */
  | { readonly _tag: "accepted" }

const answered: StepOutcome = { _tag: "answered" }
const idle: StepOutcome = { _tag: "idle" }

// Longer than the live authority's own time-out.
const within = Duration.seconds(75)

// The longest authority text that a document stores.
const textMax = 500
const most = { errorsMax: 50, textMax }

const isKey = (answer: unknown) => answer === null || (typeof answer === "string" && answer !== "")
const isVerdict = Schema.is(GivenVerdict)

// Rejections that may end without a change of the test set. The authority read nothing, so the same call may succeed
// later.
const passing: ReadonlySet<AuthorityTrouble> = new Set(["certificate_refused", "clock_off"])

const wordsOf = (error: Unanswered) => (error instanceof PortBroken ? "" : storableText(error.message, textMax))

/** The meaning of a call without a response for the test set; none if only this document gets no response. */
const outcomeOf = (error: Unanswered): StepOutcome => {
  const message = wordsOf(error)
  if (error instanceof PortBroken) return { _tag: "trouble", trouble: error.isLate ? "no_answer" : "internal", message }
  const trouble = troubleOf(error)
  const { is_refusal, of } = authorityTroubles[trouble]
  if (of === "document") return answered
  return is_refusal && !passing.has(trouble) ? { _tag: "refused", message } : { _tag: "trouble", trouble, message }
}

const mayHaveLeft = (error: Unanswered) =>
  error instanceof PortBroken || authorityTroubles[troubleOf(error)].may_have_left

/** Whether the authority has processed a document with this number, which may be this document. */
const isProcessed = (error: Unanswered) => error._tag === "AuthorityUnavailable" && error.number_processed !== undefined

const numberUsed: AuthorityError = {
  rule: "90",
  severity: "rejection",
  message: "Documento procesado anteriormente.",
  path: null,
  hint: hintOf("test set 90")
}

const noMore = "The authority has accepted the test set, and did not accept this document any more."

// Number of verdict look-ups by the upload. After these, every second look-up uses the document's code, because the
// authority reports an upload that was never queued as in process forever.
const askedByUpload = 3

const nameOf = (document: StoredTestDocument, { certificate }: TestIssuer): DocumentName => ({
  account_id: document.account_id,
  cufe: document.cufe,
  kind: document.kind,
  full_number: document.full_number,
  issue_date: document.issue_date,
  // The authority's test environment, although the issuer is the live one.
  livemode: false,
  in_contingency: false,
  issuer_nit: document.issuer_nit,
  certificate: callerOf(certificate)
})

/** Sends a document. Returns the key of its upload, or null if the authority has accepted the test set. */
const upload = (document: StoredTestDocument, signed: Uint8Array, issuer: TestIssuer) =>
  Effect.result(
    callPort({ name: "Authority.testSet.send", isAnswer: isKey, isFailure, within }, () =>
      issuer.testSet.send({ ...nameOf(document, issuer), signed }, document.enablement_id)
    )
  )

/** Looks up the verdict on a sent document, by the key of its upload, or by its code (null). */
const verdictOf = (document: StoredTestDocument, key: string | null, issuer: TestIssuer) =>
  Effect.result(
    callPort({ name: "Authority.testSet.verdict", isAnswer: isVerdict, isFailure, within }, () =>
      issuer.testSet.verdict(nameOf(document, issuer), key)
    )
  )

/**
 * The steps of a test set's document. Folio sends it once, then looks up its verdict. Before a document leaves, its row
 * records that it may have left. Afterwards, Folio resends it only if the call certainly did not reach the authority.
 */
export const make = Effect.gen(function* () {
  const { documents } = yield* Enablements
  const workers = yield* Workers
  const pace = yield* TestSetPace

  const nextMs = (asked: number) => askDelayMs(pace, asked)

  /** Stores the result of a call; `outcome` is its meaning for the test set. */
  const stored = (document: StoredTestDocument, change: TestDocumentChange, outcome: StepOutcome = answered) =>
    Effect.as(documents.move(document, change), outcome)

  const unsent = (document: StoredTestDocument, error: Unanswered) => {
    const outcome = outcomeOf(error)
    const message = wordsOf(error)
    if (outcome._tag === "refused") return stored(document, { state: "refused", message }, outcome)
    const state = outcome._tag === "answered" || mayHaveLeft(error) ? "sent" : "signed"
    return stored(document, { state, nextMs: nextMs(0), ...(message === "" ? {} : { message }) }, outcome)
  }

  const send = Effect.fnUntraced(function* (document: StoredTestDocument, issuer: TestIssuer) {
    const signed = yield* documents.signed(document)
    // A process that takes over the test set during the call finds a sent document, and looks up its verdict.
    if (!(yield* documents.move(document, { state: "sent", attempt: true, nextMs: nextMs(0) }))) return idle
    const leaving = { ...document, version: document.version + 1 }
    yield* Fault.at("after-submit")
    if (!(yield* workers.isAlive)) return idle
    const result = yield* upload(leaving, signed, issuer)
    yield* Fault.at("after-verdict")
    if (Result.isFailure(result)) return yield* unsent(leaving, result.failure)
    if (result.success === null) {
      return yield* stored(leaving, { state: "refused", message: noMore }, { _tag: "accepted" })
    }
    return yield* stored(leaving, { state: "sent", zip_key: result.success, nextMs: nextMs(0) })
  })

  const ask = Effect.fnUntraced(function* (document: LoadedTestDocument, issuer: TestIssuer) {
    if (!(yield* workers.isAlive)) return idle
    const { asked, waited_ms, zip_key } = document
    const isLate = (waited_ms ?? 0) > Duration.toMillis(pace.patience)
    const isByCode = zip_key === null || isLate || (asked >= askedByUpload && asked % 2 === 1)
    const first = yield* verdictOf(document, isByCode ? null : zip_key, issuer)
    // "Number already processed" may refer to this document. Its code shows whether it does.
    const isUsed = Result.isFailure(first) && isProcessed(first.failure)
    const result = isUsed && !isByCode ? yield* verdictOf(document, null, issuer) : first
    if (Result.isFailure(result)) return yield* unanswered(document, result.failure, isUsed, isLate)
    const { accepted, errors, notifications } = result.success
    return yield* stored(document, {
      state: accepted ? "accepted" : "rejected",
      asked: true,
      errors: storableErrors(errors, most),
      notifications: storableErrors(notifications, most)
    })
  })

  const unanswered = (document: StoredTestDocument, error: Unanswered, isUsed: boolean, isLate: boolean) => {
    const outcome = outcomeOf(error)
    const message = wordsOf(error)
    if (outcome._tag === "refused") return stored(document, { state: "refused", message }, outcome)
    if (outcome._tag !== "answered") return stored(document, { state: "sent", nextMs: nextMs(document.asked) }, outcome)
    if (isUsed) return stored(document, { state: "number_used", asked: true, errors: [numberUsed] })
    return stored(
      document,
      isLate
        ? {
            state: "unanswered",
            asked: true,
            message: `No outcome in time: another document replaces this one. ${message}`
          }
        : { state: "sent", asked: true, message, nextMs: nextMs(document.asked + 1) }
    )
  }

  /** Carries out the next step of an open document. */
  return (document: LoadedTestDocument, issuer: TestIssuer): Effect.Effect<StepOutcome> =>
    document.state === "signed" ? send(document, issuer) : ask(document, issuer)
})
