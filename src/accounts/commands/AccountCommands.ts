import { Effect, SchemaAST, Struct } from "effect"
import { type AccountUpdate, Issuer } from "../../../schemas/Account.ts"
import type { ApiError, Violation } from "../../../schemas/ApiError.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import { withoutNulls } from "../../runtime/json/Removal.ts"
import { NationalProfile, type Rules } from "../../documents/NationalProfile.ts"
import * as ShownAccounts from "../ShownAccounts.ts"
import { Accounts } from "../store/Accounts.ts"
import { Resolutions } from "../store/Resolutions.ts"
import * as Command from "../Command.ts"

/** The command that changes an account's data and its issuer in one mode. */
export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const { rules } = yield* NationalProfile
  const resolutions = yield* Resolutions
  const shown = yield* ShownAccounts.make

  const UpdateAccount = Command.alone("UpdateAccount", {
    before: (account) => shown.beside(account),
    run: function* (account, { patch }, beside) {
      const { default_version, name, request_log, ...issuer } = patch
      const updated = yield* accounts.update(
        account,
        Effect.fnUntraced(function* (before) {
          const after = yield* changedIssuer(rules, before.issuer, issuer)
          if (after !== null && isAnotherIssuer(before.issuer, after)) {
            yield* resolutions.checkIssuer(account, after.identification)
          }
          return {
            ...before,
            name: name ?? before.name,
            default_version: default_version ?? before.default_version,
            request_log: request_log ?? before.request_log,
            issuer: after
          }
        })
      )
      return {
        answer: Command.ok(shown.view(updated, beside)),
        audit: [["account.updated", account.account_id, { changed: Object.keys(patch) }]],
        // Drops the cached account, so that the account's next draft gets the new issuer.
        after: accounts.forget(account)
      }
    }
  })

  return { UpdateAccount }
})

const isAnotherIssuer = (before: Issuer | null, { identification: { number, type } }: Issuer) =>
  before?.identification.number !== number || before.identification.type !== type

const issuerFields = Struct.keys(Issuer.fields).filter((name) => !SchemaAST.isOptional(Issuer.fields[name].ast))

type Sent = Omit<AccountUpdate, "name" | "default_version" | "request_log">

/** The issuer after a change. The first live issuer needs all fields, because a live mode starts without an issuer. */
const changedIssuer = Effect.fnUntraced(function* (
  rules: Rules,
  before: Issuer | null,
  sent: Sent
): Effect.fn.Return<Issuer | null, ApiError> {
  if (before === null && Object.keys(sent).length === 0) return null
  const after = withoutNulls<Partial<Issuer>>({ ...before, ...sent })
  yield* Command.refuse(
    isWhole(after) ? rules.issuer(after) : issuerFields.filter((field) => after[field] === undefined).map(lackOf)
  )
  return after as Issuer
})

const isWhole = (issuer: Partial<Issuer>): issuer is Issuer =>
  issuerFields.every((field) => issuer[field] !== undefined)

const lackOf = (field: keyof Issuer): Violation =>
  violation(
    field,
    "parameter_missing",
    `${field} is missing: the live mode has no issuer yet, and the first one needs all required fields.`,
    "issuer_whole"
  )
