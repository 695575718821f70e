import { Effect, Option } from "effect"
import type { Account, AccountMode } from "../../schemas/Account.ts"
import type { AccountId } from "../../schemas/Id.ts"
import { ServiceInfo } from "../runtime/ServiceInfo.ts"
import { describeCertificate, SandboxCertificate } from "../documents/signature/Certificate.ts"
import { NationalProfile } from "../documents/NationalProfile.ts"
import { Authority } from "../invoices/authority/Authority.ts"
import { Accounts, accountView, type StoredAccount } from "./store/Accounts.ts"
import { Certificates, certificateView, type CurrentCertificate } from "./store/Certificates.ts"
import { type LiveFacts, softwareView } from "./store/LiveMode.ts"
import type { StoredSoftware } from "./store/Softwares.ts"
import { liveState, offeredBy } from "../invoices/enablement/LiveSteps.ts"

/**
 * The stored data that the API shows with an account. A command that changes a part of this data returns its own
 * change.
 */
export interface Beside {
  readonly certificate: Option.Option<CurrentCertificate>
  readonly facts: LiveFacts
}

/**
 * Accounts in the form of the API, each with its certificate, its software and its remaining steps to live documents.
 */
export const make = Effect.gen(function* () {
  const certificates = yield* Certificates
  const accounts = yield* Accounts
  const { baseUrl } = yield* ServiceInfo
  const offered = offeredBy(yield* NationalProfile, yield* Authority)
  const sandbox = certificateView(describeCertificate(yield* SandboxCertificate))

  const view = (account: StoredAccount, { certificate, facts }: Beside): Account => {
    const now = account.livemode ? { ...facts, issuer: account.issuer, software: account.software } : facts
    const shown = accountView(account, {
      certificate: account.livemode ? certificateView(Option.getOrNull(certificate)) : sandbox,
      software: account.livemode ? softwareView(now) : null
    })
    return { ...shown, live: liveState(offered, now, certificate, baseUrl) }
  }
  return {
    /** Many accounts in the form for a key of the mode, in the order of their ids, with three statements in all. */
    many: Effect.fn("ShownAccounts.many")(function* (ids: ReadonlyArray<AccountId>, livemode: boolean) {
      const stored = new Map((yield* accounts.readAll(ids, livemode)).map((account) => [account.account_id, account]))
      const facts = yield* accounts.liveFactsOf(ids)
      const current = new Map((yield* certificates.currentOf(ids)).map((one) => [one.account_id, one]))
      return ids.flatMap((id) => {
        const [account, known] = [stored.get(id), facts.get(id)]
        const certificate = Option.fromUndefinedOr(current.get(id))
        return account === undefined || known === undefined ? [] : [view(account, { certificate, facts: known })]
      })
    }),
    /** Reads the data that the API shows with an account, before the command that changes the account. */
    beside: Effect.fn("ShownAccounts.beside")(function* ({ account_id }: AccountMode) {
      const beside: Beside = {
        certificate: yield* certificates.current(account_id),
        facts: yield* accounts.liveFacts(account_id)
      }
      return beside
    }),
    /** The account in the form for a key of its mode. */
    view
  }
})

/** The data that the API shows with an account after a change of its software. */
export const withSoftware = (beside: Beside, software: StoredSoftware): Beside => ({
  ...beside,
  facts: {
    ...beside.facts,
    software: software.id,
    software_id: software.software_id,
    provider_number: software.provider_number,
    software_set_at: software.created_at
  }
})
