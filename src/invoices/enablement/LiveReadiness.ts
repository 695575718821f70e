import { Data, Effect, Option } from "effect"
import type { AccountMode, Issuer } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { AccountId } from "../../../schemas/Id.ts"
import { type Software, softwareLack } from "../../documents/rules/parties/SoftwareRules.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import type { Certificate, SigningUnavailable } from "../../documents/signature/Certificate.ts"
import { Authority, type TestSet } from "../authority/Authority.ts"
import { Accounts } from "../../accounts/store/Accounts.ts"
import { Certificates } from "../../accounts/store/Certificates.ts"
import { Softwares } from "../../accounts/store/Softwares.ts"
import { Signing } from "../Signing.ts"
import { lacksToIssue, offeredBy } from "./LiveSteps.ts"

/** The lacks that keep an account from passing a test set: phrases for one sentence. */
export class NotReady extends Data.TaggedError("NotReady")<{ readonly lacks: ReadonlyArray<string> }> {
  get sentence(): string {
    return `The account cannot be enabled yet: ${this.lacks.join("; ")}.`
  }
}

/** The parties of a test set: the live issuer with its certificate and software, and the authority's test service. */
export interface TestIssuer {
  readonly issuer: Issuer
  readonly certificate: Certificate
  readonly software: Software
  readonly testSet: TestSet
}

const noTestSet =
  "the service has no address of the authority's test environment (the operator must set AUTHORITY_TEST_URL)"

/**
 * Checks whether an account may issue live documents or pass a test set. The account needs a complete issuer, a
 * certificate and a software, and Folio needs an authority.
 */
export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const authority = yield* Authority
  const certificates = yield* Certificates
  const profile = yield* NationalProfile
  const signing = yield* Signing
  const softwares = yield* Softwares
  const live = offeredBy(profile, authority)
  const { testSet } = authority
  const test = {
    profile: { lackOfSoftware: softwareLack, ...profile, lacks: [] },
    noAuthority: testSet === undefined ? noTestSet : null
  }

  return {
    /** Fails with `account_not_live` and all lacks that keep the account from issuing documents. */
    check: Effect.fnUntraced(function* (account: AccountMode) {
      if (!account.livemode) return
      const { issuer, software } = yield* accounts.get(account)
      const certificate = yield* certificates.current(account.account_id)
      const lacks = lacksToIssue(live, { issuer, certificate, has_software: software !== null })
      if (lacks.length === 0) return
      return yield* new ApiError({
        code: "account_not_live",
        message: `A live key cannot issue documents yet: ${lacks.map(({ phrase }) => phrase).join("; ")}.`
      })
    }),
    /** The issuer of an account's test sets, or all lacks of the account. */
    testIssuer: Effect.fnUntraced(function* (
      account_id: AccountId
    ): Effect.fn.Return<TestIssuer, NotReady | SigningUnavailable> {
      const { issuer } = yield* accounts.get({ account_id, livemode: true })
      const own = yield* softwares.current(account_id)
      const software = Option.getOrUndefined(own) ?? testSet?.software
      const certificate = yield* certificates.current(account_id)
      const lacks = lacksToIssue(test, { issuer, certificate, has_software: software !== undefined })
      if (lacks.length > 0 || issuer === null || software === undefined || testSet === undefined) {
        return yield* new NotReady({ lacks: lacks.map(({ phrase }) => phrase) })
      }
      const signs = yield* Effect.catchTag(signing.liveCertificate(account_id), "NoCertificate", ({ message }) =>
        Effect.fail(new NotReady({ lacks: [message] }))
      )
      return { issuer, certificate: signs, software, testSet }
    }),
    /** Whether Folio has an address of the authority's environment for enablement. */
    hasTestSet: testSet !== undefined
  }
})
