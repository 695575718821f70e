import { Context, Data, Effect, Layer, Option } from "effect"
import type { AccountId } from "../../../schemas/Id.ts"
import { softwareLack } from "../../domain/accounts/Software.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import { Authority } from "../../outbound/authority/Authority.ts"
import { Accounts } from "../../store/accounts/Accounts.ts"
import { Certificates } from "../../store/accounts/Certificates.ts"
import { Softwares } from "../../store/accounts/Softwares.ts"
import { certificateLack, issuerLack } from "../accounts/LiveSteps.ts"
import { Signing } from "../Signing.ts"
import type { TestIssuer } from "./TestDocumentMaking.ts"

const serviceLack =
  "the service does not know the authority's environment for enablement (its operator sets AUTHORITY_TEST_URL)"

/** What an account lacks to pass a test set: phrases for one sentence. */
export class NotReady extends Data.TaggedError("NotReady")<{ readonly lacks: ReadonlyArray<string> }> {
  get sentence(): string {
    return `The account cannot be enabled yet: ${this.lacks.join("; ")}.`
  }
}

/** Says who issues the documents of an account's test sets: its live issuer, certificate and software. */
export class EnablementReadiness extends Context.Service<EnablementReadiness>()("folio/issuing/EnablementReadiness", {
  make: Effect.gen(function* () {
    const accounts = yield* Accounts
    const authority = yield* Authority
    const certificates = yield* Certificates
    const signing = yield* Signing
    const softwares = yield* Softwares
    const { lackOfSoftware = softwareLack, lacksOf = () => [] } = yield* NationalProfile

    /** The issuer, or all that the account lacks. */
    const issuerOf = Effect.fnUntraced(function* (account_id: AccountId): Effect.fn.Return<TestIssuer, NotReady> {
      const { issuer } = yield* accounts.get({ account_id, livemode: true })
      const own = yield* softwares.current(account_id)
      const software = Option.getOrUndefined(own) ?? authority.testSet?.software
      const lacks = [
        ...(issuer === null ? [issuerLack] : lacksOf(issuer)),
        certificateLack(yield* certificates.current(account_id)),
        software === undefined ? lackOfSoftware : null,
        authority.testSet === undefined ? serviceLack : null
      ].filter((lack) => lack !== null)
      if (lacks.length > 0 || issuer === null || software === undefined) return yield* new NotReady({ lacks })
      const certificate = yield* Effect.mapError(
        signing.liveCertificate(account_id),
        ({ message }) => new NotReady({ lacks: [message] })
      )
      return { issuer, certificate, software }
    })

    return { issuerOf, hasService: authority.testSet !== undefined }
  })
}) {
  static readonly layer = Layer.effect(EnablementReadiness, EnablementReadiness.make)
}
