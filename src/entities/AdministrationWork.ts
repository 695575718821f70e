import { Clock, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { type AccountMode, type AccountUpdate, Issuer } from "../../schemas/Account.ts"
import { ApiError, type Violation } from "../../schemas/ApiError.ts"
import type { ApiKeyRequest, ApiKeyRollRequest } from "../../schemas/ApiKey.ts"
import { describeCertificate, SandboxCertificate } from "../documents/Certificate.ts"
import { makeApiKey } from "../domain/ApiKeyFormat.ts"
import { issuerViolations } from "../domain/PartyRules.ts"
import type { RequestContext } from "../protocol/AccountEntity.ts"
import { Accounts, accountView } from "../store/Accounts.ts"
import { type ApiKeyRef, ApiKeys, apiKeyView, type NewApiKey, type StoredApiKey } from "../store/ApiKeys.ts"
import { AuditLog } from "../store/AuditLog.ts"
import { Certificates, shownCertificate } from "../store/Certificates.ts"
import { IdempotencyKeys, type Outcome } from "../store/IdempotencyKeys.ts"
import { Ids } from "../store/Ids.ts"
import { created, optionalClaim } from "./AccountWork.ts"

/** What an account's actor does for those who administer the account: its keys, and who it is. */
export class AdministrationWork extends Context.Service<
  AdministrationWork,
  {
    readonly createKey: (
      of: AccountMode,
      context: RequestContext,
      request: ApiKeyRequest
    ) => Effect.Effect<Outcome, ApiError>
    readonly rollKey: (
      key: ApiKeyRef,
      context: RequestContext,
      request: ApiKeyRollRequest
    ) => Effect.Effect<Outcome, ApiError>
    readonly revokeKey: (key: ApiKeyRef, context: RequestContext) => Effect.Effect<Outcome, ApiError>
    readonly updateAccount: (
      of: AccountMode,
      context: RequestContext,
      patch: AccountUpdate
    ) => Effect.Effect<Outcome, ApiError>
  }
>()("folio/entities/AdministrationWork") {
  static readonly layer = Layer.effect(
    AdministrationWork,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const apiKeys = yield* ApiKeys
      const audit = yield* AuditLog
      const certificates = yield* Certificates
      const ids = yield* Ids
      const keys = yield* IdempotencyKeys
      const random = yield* SecureRandom.SecureRandom
      const sandbox = describeCertificate(yield* SandboxCertificate)

      const newKey = Effect.fnUntraced(function* ({ account_id, livemode }: AccountMode) {
        const mode = livemode ? "live" : "test"
        const key = makeApiKey(mode, yield* random.randomBytes(32))
        const made = { id: yield* ids.apiKey, account_id, mode, key } as const
        return { ...made, created_at: new Date(yield* Clock.currentTimeMillis) } satisfies NewApiKey
      })
      const createKey: AdministrationWork["Service"]["createKey"] = Effect.fn("AdministrationWork.createKey")(
        function* (of, context, request) {
          const create = Effect.gen(function* () {
            const key = { ...(yield* newKey(of)), name: request.name ?? null }
            const row = yield* apiKeys.create(key, context.api_key_id)
            yield* audit.record(of, context, "api_key.created", row.id)
            return shown(row, key.key)
          })
          return yield* keys.once(of, optionalClaim(context), create, { secret: true })
        }
      )

      const rollKey: AdministrationWork["Service"]["rollKey"] = Effect.fn("AdministrationWork.rollKey")(function* (
        old,
        context,
        { expires_in }
      ) {
        const roll = Effect.gen(function* () {
          const key = yield* newKey(old)
          const row = yield* apiKeys.roll(old, expires_in, key, context.api_key_id)
          yield* audit.record(old, context, "api_key.rolled", old.id, { expires_in, next: row.id })
          return shown(row, key.key)
        })
        return yield* keys.once(old, optionalClaim(context), roll, { secret: true })
      })

      const revokeKey: AdministrationWork["Service"]["revokeKey"] = Effect.fn("AdministrationWork.revokeKey")(
        function* (key, context) {
          const revoke = Effect.gen(function* () {
            yield* apiKeys.revoke(key)
            yield* audit.record(key, context, "api_key.revoked", key.id)
            return {
              status: 200,
              location: null,
              body: JSON.stringify({ id: key.id, object: "api_key", deleted: true })
            }
          })
          return yield* keys.once(key, null, revoke)
        }
      )

      const updateAccount: AdministrationWork["Service"]["updateAccount"] = Effect.fn(
        "AdministrationWork.updateAccount"
      )(function* (of, context, patch) {
        const { default_version, name, ...issuer } = patch
        const certificate = yield* shownCertificate(certificates, of, sandbox)
        const update = Effect.gen(function* () {
          const account = yield* accounts.update(
            of,
            Effect.fnUntraced(function* (before) {
              return {
                ...before,
                name: name ?? before.name,
                default_version: default_version ?? before.default_version,
                issuer: yield* changedIssuer(before.issuer, issuer)
              }
            })
          )
          yield* audit.record(of, context, "account.updated", of.account_id, { changed: Object.keys(patch) })
          const body = JSON.stringify(accountView(account, certificate))
          return { status: 200, location: null, body }
        })
        const outcome = yield* keys.once(of, optionalClaim(context), update)
        // The next draft of this account is numbered with the new issuer.
        yield* accounts.forget(of)
        return outcome
      })

      return AdministrationWork.of({ createKey, rollKey, revokeKey, updateAccount })
    })
  )
}

const issuerFields = Object.keys(Issuer.fields) as ReadonlyArray<keyof Issuer>

/** The issuer after a change. The first one of a live mode is sent whole, since it begins as nobody's. */
const changedIssuer = Effect.fnUntraced(function* (
  before: Issuer | null,
  sent: Partial<Issuer>
): Effect.fn.Return<Issuer | null, ApiError> {
  if (before === null && Object.keys(sent).length === 0) return null
  const after = { ...before, ...sent }
  const violations = isWhole(after) ? issuerViolations(after) : issuerFields.flatMap((field) => lackOf(after, field))
  const [first, ...rest] = violations
  if (first !== undefined) return yield* ApiError.fromViolations([first, ...rest])
  return after as Issuer
})

const isWhole = (issuer: Partial<Issuer>): issuer is Issuer =>
  issuerFields.every((field) => issuer[field] !== undefined)

const lackOf = (issuer: Partial<Issuer>, field: keyof Issuer): ReadonlyArray<Violation> =>
  issuer[field] === undefined
    ? [
        {
          param: field,
          code: "parameter_missing",
          message: `${field} is missing: the live mode has no issuer yet, and its first one is sent whole.`
        }
      ]
    : []

const shown = (row: StoredApiKey, key: string) => created(`/v1/api-keys/${row.id}`, { ...apiKeyView(row), key })
