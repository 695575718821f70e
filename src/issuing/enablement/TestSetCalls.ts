import { Context, Duration, Effect, Layer, Schema } from "effect"
import type { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { authorityTroubles } from "../../domain/authority/AuthorityTroubles.ts"
import { storableText } from "../../domain/requests/Storable.ts"
import {
  Authority,
  type AuthorityRefusal,
  type AuthorityUnavailable,
  type DocumentName,
  isAuthorityFailure as isFailure,
  type TestSetAnswer,
  troubleOf
} from "../../outbound/authority/Authority.ts"
import { GivenVerdict, storableErrors } from "../../outbound/authority/Verdicts.ts"
import { callPort, PortBroken } from "../../protocol/PortCall.ts"
import type { StoredTestDocument } from "../../store/enablement/TestDocuments.ts"
import type { TestSetTrouble } from "./EnablementWords.ts"
import type { TestIssuer } from "./TestDocumentMaking.ts"

/** Longer than the live authority takes by itself to give up. */
const within = Duration.seconds(75)

/** What a call without an answer that counts means for what was sent. */
export type Unanswered =
  /** The authority, or the way to it, is in trouble; `nothingLeft`: what was to be sent has certainly not been processed. */
  | {
      readonly _tag: "trouble"
      readonly trouble: TestSetTrouble
      readonly message: string
      readonly nothingLeft: boolean
    }
  /** This document alone gets no verdict for now. */
  | { readonly _tag: "of document"; readonly message: string }
  /** The authority takes no document of this sender. */
  | { readonly _tag: "refused"; readonly message: string }

// Refusals that may end without a change of the test set: nothing was read, and the same call may succeed later.
const passing: ReadonlySet<AuthorityTrouble> = new Set(["certificate_refused", "clock_off"])

// The most of the authority's words that a document keeps.
const textMax = 500
const most = { errorsMax: 50, textMax }

const unansweredOf = (error: AuthorityUnavailable | AuthorityRefusal | PortBroken): Unanswered => {
  if (error instanceof PortBroken) {
    return error.isLate
      ? { _tag: "trouble", trouble: "no_answer", message: "", nothingLeft: false }
      : { _tag: "trouble", trouble: "internal", message: "", nothingLeft: false }
  }
  const message = storableText(error.message, textMax)
  const trouble = troubleOf(error)
  const { is_refusal, may_have_left, of } = authorityTroubles[trouble]
  if (error.trouble !== undefined && of === "document") return { _tag: "of document", message }
  if (!is_refusal || passing.has(trouble)) return { _tag: "trouble", trouble, message, nothingLeft: !may_have_left }
  return { _tag: "refused", message }
}

const isKey = (answer: unknown) => answer === null || (typeof answer === "string" && answer !== "")

const isAnswer = Schema.is(
  Schema.Union([
    Schema.TaggedStruct("judged", { verdict: GivenVerdict }),
    Schema.TaggedStruct("number_processed", {}),
    Schema.TaggedStruct("pending", { message: Schema.String })
  ])
)

const kept = (answer: TestSetAnswer): TestSetAnswer => {
  if (answer._tag === "pending") return { ...answer, message: storableText(answer.message, textMax) }
  if (answer._tag === "number_processed") return answer
  const { errors, notifications } = answer.verdict
  return {
    _tag: "judged",
    verdict: {
      ...answer.verdict,
      errors: storableErrors(errors, most),
      notifications: storableErrors(notifications, most)
    }
  }
}

const nameOf = (document: StoredTestDocument, { certificate }: TestIssuer): DocumentName => ({
  account_id: document.account_id,
  cufe: document.cufe,
  kind: document.kind,
  full_number: document.full_number,
  issue_date: document.issue_date,
  // The authority's environment for tests, although the issuer is the live one.
  livemode: false,
  in_contingency: false,
  issuer_nit: document.issuer_nit,
  certificate
})

/** Calls the authority's environment for enablement about the documents of test sets. */
export class TestSetCalls extends Context.Service<TestSetCalls>()("folio/issuing/TestSetCalls", {
  make: Effect.gen(function* () {
    const { testSet } = yield* Authority

    const none = { _tag: "trouble", trouble: "no_test_service", message: "", nothingLeft: true } as const

    return {
      /** Sends a document; gives the key of its upload, or null when the authority has accepted the test set. */
      send: (document: StoredTestDocument, signed: Uint8Array, issuer: TestIssuer) => {
        if (testSet === undefined) return Effect.fail<Unanswered>(none)
        const submission = { ...nameOf(document, issuer), signed }
        return callPort({ name: "Authority.testSet.send", isAnswer: isKey, isFailure, within }, () =>
          testSet.send(submission, document.enablement_id)
        ).pipe(Effect.mapError(unansweredOf))
      },
      /** Asks for the verdict on a document that was sent: by its upload, or by its code. */
      verdict: (document: StoredTestDocument, by: "upload" | "code", issuer: TestIssuer) => {
        if (testSet === undefined) return Effect.fail<Unanswered>(none)
        const key = by === "upload" ? document.zip_key : null
        return callPort({ name: "Authority.testSet.verdict", isAnswer, isFailure, within }, () =>
          testSet.verdict(nameOf(document, issuer), key)
        ).pipe(Effect.mapBoth({ onSuccess: kept, onFailure: unansweredOf }))
      }
    }
  })
}) {
  static readonly layer = Layer.effect(TestSetCalls, TestSetCalls.make)
}
