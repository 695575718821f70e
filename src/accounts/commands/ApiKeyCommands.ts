import { Clock, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { AccountMode } from "../../../schemas/Account.ts"
import { makeApiKey } from "../rules/ApiKeyFormat.ts"
import type { RequestContext } from "../AccountEntity.ts"
import { ApiKeys, apiKeyView, type NewApiKey, type StoredApiKey } from "../store/ApiKeys.ts"
import { Ids } from "../../database/Ids.ts"
import * as Command from "../Command.ts"

/** The commands that create, roll and revoke API keys. */
export const make = Effect.gen(function* () {
  const apiKeys = yield* ApiKeys
  const ids = yield* Ids
  const random = yield* SecureRandom.SecureRandom

  /** A key with the capabilities of the request that makes it, and no more. */
  const newKey = Effect.fnUntraced(function* ({ account_id, livemode }: AccountMode, { capabilities }: RequestContext) {
    const mode = livemode ? "live" : "test"
    const key = makeApiKey(mode, yield* random.randomBytes(32))
    const made = { id: yield* ids.apiKey, account_id, mode, key, capabilities: capabilities ?? null } as const
    return { ...made, created_at: new Date(yield* Clock.currentTimeMillis) } satisfies NewApiKey
  })

  const CreateApiKey = Command.alone("CreateApiKey", {
    isSecret: true,
    run: function* (account, { context, request }) {
      const key = { ...(yield* newKey(account, context)), name: request.name ?? null }
      const row = yield* apiKeys.create(key, context.api_key_id)
      return { answer: shown(row, key.key), audit: [["api_key.created", row.id]] }
    }
  })

  const RollApiKey = Command.alone("RollApiKey", {
    isSecret: true,
    run: function* (account, { context, id, request: { expires_in } }) {
      const key = yield* newKey(account, context)
      const row = yield* apiKeys.roll({ ...account, id }, expires_in, key, context.api_key_id)
      return { answer: shown(row, key.key), audit: [["api_key.rolled", id, { expires_in, next: row.id }]] }
    }
  })

  const RevokeApiKey = Command.alone("RevokeApiKey", {
    run: function* (account, { id }) {
      yield* apiKeys.revoke({ ...account, id })
      return { answer: Command.deleted("api_key", id), audit: [["api_key.revoked", id]] }
    }
  })

  return { CreateApiKey, RollApiKey, RevokeApiKey }
})

const shown = (row: StoredApiKey, key: string) => Command.created(`/v1/api-keys/${row.id}`, { ...apiKeyView(row), key })
