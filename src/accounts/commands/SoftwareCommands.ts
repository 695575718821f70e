import { Clock, Effect, Redacted } from "effect"
import { numberOfNit } from "../../documents/rules/parties/SoftwareRules.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import * as ShownAccounts from "../ShownAccounts.ts"
import { Accounts } from "../store/Accounts.ts"
import { Softwares, type StoredSoftware } from "../store/Softwares.ts"
import { Ids } from "../../database/Ids.ts"
import { liveKeyNeeded } from "./CertificateCommands.ts"
import * as Command from "../Command.ts"

const liveOnly = liveKeyNeeded("Test documents name a software of the sandbox.")

/** The number of the provider's NIT; null for the issuer itself. */
const providerNumber = Effect.fnUntraced(function* (nit: string | undefined) {
  if (nit === undefined) return null
  const read = numberOfNit(nit, "provider_nit")
  if ("number" in read) return read.number
  yield* Command.refuse([violation("provider_nit", read.code, read.fault, "identification_number")])
  return null
})

/** The commands that set and remove an account's own software at the authority. */
export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const ids = yield* Ids
  const shown = yield* ShownAccounts.make
  const softwares = yield* Softwares

  const PutSoftware = Command.alone("PutSoftware", {
    before: function* (account, { request }) {
      if (!account.livemode) return yield* liveOnly
      const provider_number = yield* providerNumber(request.provider_nit)
      const beside = yield* shown.beside(account)
      const { facts } = beside
      const isKnown =
        facts.software !== null &&
        facts.software_id === request.id &&
        facts.provider_number === provider_number &&
        Redacted.value(yield* softwares.pin(account.account_id, facts.software)) === request.pin
      return { beside, provider_number, known: isKnown ? facts.software : null }
    },
    run: function* (account, { request }, { beside, known, provider_number }) {
      const software: StoredSoftware = {
        account_id: account.account_id,
        id: yield* ids.software,
        software_id: request.id,
        provider_number,
        created_at: new Date(yield* Clock.currentTimeMillis)
      }
      // If the software is unchanged, makes no new software and no new version of the issuer.
      if (known === null) yield* softwares.insert(software, Redacted.make(request.pin))
      const updated = yield* accounts.update(account, (before) =>
        Effect.succeed({ ...before, software: known ?? software.id })
      )
      return {
        answer: Command.ok(shown.view(updated, known === null ? ShownAccounts.withSoftware(beside, software) : beside)),
        audit: [["software.set", account.account_id, { software_id: request.id }]],
        after: accounts.forget(account)
      }
    }
  })

  const DeleteSoftware = Command.alone("DeleteSoftware", {
    before: (account) => (account.livemode ? shown.beside(account) : Effect.fail(liveOnly)),
    run: function* (account, _payload, beside) {
      const updated = yield* accounts.update(account, (before) => Effect.succeed({ ...before, software: null }))
      return {
        answer: Command.ok(shown.view(updated, beside)),
        audit: [["software.removed", account.account_id]],
        after: accounts.forget(account)
      }
    }
  })

  return { PutSoftware, DeleteSoftware }
})
