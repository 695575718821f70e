import { Clock, Effect } from "effect"
import { ApiError } from "../../../schemas/ApiError.ts"
import { accountClosed } from "../../api/Capabilities.ts"
import { currentVersion } from "../../../schemas/Version.ts"
import { Ids } from "../../database/Ids.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import * as Command from "../Command.ts"
import * as ShownAccounts from "../ShownAccounts.ts"
import { Accounts } from "../store/Accounts.ts"
import { AuditLog } from "../store/AuditLog.ts"
import { Platforms } from "../store/Platforms.ts"
import { newRange, Resolutions } from "../store/Resolutions.ts"

const notClosable = new ApiError({
  code: "account_not_closable",
  message:
    "This account has documents, emails, deliveries or a test set in progress. Suspend the account, wait until they end, and close it then."
})

const actions = {
  active: "account.resumed",
  suspended: "account.suspended",
  closed: "account.closed"
} as const

/** The commands of a platform: an account for one more issuer, and the status of an account. */
export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const audit = yield* AuditLog
  const ids = yield* Ids
  const platforms = yield* Platforms
  const { rules, sandbox } = yield* NationalProfile
  const shown = yield* ShownAccounts.make
  const resolutions = yield* Resolutions

  const CreateAccount = Command.alone("CreateAccount", {
    before: (_, { request: { name, tax_responsibilities = ["R-99-PN"], ...sent } }) => {
      const issuer = { ...sent, tax_responsibilities }
      return Effect.as(Command.refuse(rules.issuer(issuer)), { name: name ?? issuer.legal_name, issuer })
    },
    run: function* (platform, { context }, { issuer, name }) {
      const { account_id, livemode } = platform
      const id = yield* ids.account
      const created_at = new Date(yield* Clock.currentTimeMillis)
      const account = { account_id: id, livemode }
      const shownAccount = yield* platforms.asService(
        Effect.gen(function* () {
          yield* platforms.checkLimit(account_id)
          yield* accounts.insert({
            id,
            name,
            issuer,
            default_version: currentVersion,
            created_at,
            live: livemode,
            platform: account_id
          })
          const range = { account_id: id, livemode: false, id: yield* ids.resolution }
          yield* resolutions.insert(newRange(range, sandbox.range, created_at.getTime()))
          const by = { ...context, api_key_id: yield* platforms.addKey(context.api_key_id, id) }
          yield* audit.record(account, by, "account.created", id)
          return shown.view(yield* accounts.find(account), yield* shown.beside(account))
        })
      )
      return {
        answer: Command.created(`/v1/accounts/${id}`, shownAccount),
        audit: [["account.created", id]]
      }
    }
  })

  const SetAccountStatus = Command.alone("SetAccountStatus", {
    before: (account) => shown.beside(account),
    run: function* (account, { context, reason, status }, beside) {
      const before = yield* accounts.lock(account)
      if (before.status === "closed") return yield* accountClosed
      const isBusy = status === "closed" && (yield* platforms.isBusy(account.account_id))
      if (isBusy) return yield* notClosable
      const isChange = status !== before.status || reason !== before.status_reason
      const after = isChange ? yield* accounts.setStatus(account, status, reason) : before
      // A status applies to both modes, and each mode has an audit log of its own.
      if (isChange) {
        const other = { ...account, livemode: !account.livemode }
        yield* platforms.asService(audit.record(other, context, actions[status], account.account_id))
      }
      // A creation that was under way gets no number any more, so that another account can take over the range.
      if (status === "closed") yield* platforms.asService(resolutions.deactivate(account.account_id))
      return {
        answer: Command.ok(shown.view(after, beside)),
        audit: isChange ? [[actions[status], account.account_id]] : [],
        after: accounts.forget(account)
      }
    }
  })

  return { CreateAccount, SetAccountStatus }
})
