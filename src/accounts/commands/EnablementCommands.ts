import { Effect, Option } from "effect"
import { ApiError, type Violation } from "../../../schemas/ApiError.ts"
import type { EnablementRequest } from "../../../schemas/Enablement.ts"
import { NationalProfile, type Rules } from "../../documents/NationalProfile.ts"
import { colombianSandbox } from "../../documents/rules/parties/SandboxIds.ts"
import * as LiveReadiness from "../../invoices/enablement/LiveReadiness.ts"
import { Enablements, type NewEnablement } from "../../invoices/store/Enablements.ts"
import { enablementView } from "../../invoices/store/EnablementView.ts"
import { noSignature } from "../../invoices/Signing.ts"
import { liveKeyNeeded } from "./CertificateCommands.ts"
import * as Command from "../Command.ts"

/** The range that the authority grants to all issuers in its test environment. */
const {
  number = "",
  prefix,
  from_number = 1,
  to_number = 1,
  valid_from = "",
  valid_to = "",
  technical_key = ""
} = colombianSandbox.range
const publicRange = { number, prefix, from_number, to_number, valid_from, valid_to, technical_key }

const setOf = ({ credit_notes, debit_notes, invoices, range, test_set_id }: EnablementRequest): NewEnablement => ({
  id: test_set_id,
  wanted: { invoice: invoices, credit_note: credit_notes, debit_note: debit_notes },
  range: range === undefined ? publicRange : { ...range, technical_key: range.technical_key.toLowerCase() }
})

/** The violations of the test range in a request; none for a request without a range. */
export const rangeViolations = ({ resolution }: Rules, { range }: EnablementRequest): ReadonlyArray<Violation> =>
  (range === undefined ? [] : resolution(range)).map(({ param, ...rest }) => ({
    ...rest,
    param: param === null ? "range" : `range.${param}`
  }))

/** The command that starts a test set of the authority, or resumes a failed test set. */
export const make = Effect.gen(function* () {
  const enablements = yield* Enablements
  const readiness = yield* LiveReadiness.make
  const { rules } = yield* NationalProfile

  const StartEnablement = Command.alone("StartEnablement", {
    before: function* ({ account_id, livemode }, { request }) {
      if (!livemode) return yield* liveKeyNeeded("Enablement shows that the live issuer's documents are in order.")
      yield* Command.refuse(rangeViolations(rules, request))
      // Returns a running or passed test set unchanged.
      const known = yield* enablements.find({ account_id, id: request.test_set_id })
      if (Option.isSome(known) && known.value.status !== "failed") return
      yield* Effect.mapError(readiness.testIssuer(account_id), (error) =>
        error._tag === "NotReady"
          ? new ApiError({ code: "account_not_live", message: error.sentence })
          : noSignature(error)
      )
    },
    run: function* ({ account_id }, { request }) {
      const { outcome, row } = yield* enablements.begin(account_id, setOf(request))
      return {
        answer: Command.ok(enablementView(row, yield* enablements.documents.all(row))),
        audit: outcome === "as it is" ? [] : [["enablement.started", account_id, { test_set_id: request.test_set_id }]]
      }
    }
  })

  return { StartEnablement }
})
