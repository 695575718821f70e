import { Clock, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { AccountMode } from "../../../schemas/Account.ts"
import { makeApiKey } from "../rules/ApiKeyFormat.ts"
import type { RequestContext } from "../AccountEntity.ts"
import { ApiKeys, apiKeyView, asked, type KeyMaker, type NewApiKey, type StoredApiKey } from "../store/ApiKeys.ts"
import { Ids } from "../../database/Ids.ts"
import * as Command from "../Command.ts"

/** The commands that create, roll and revoke API keys. */
export const make = Effect.gen(function* () {
  const apiKeys = yield* ApiKeys
  const ids = yield* Ids
  const random = yield* SecureRandom.SecureRandom

  const newKey = Effect.fnUntraced(function* ({ account_id, livemode }: AccountMode) {
    const mode = livemode ? "live" : "test"
    const key = makeApiKey(mode, yield* random.randomBytes(32))
    const created_at = new Date(yield* Clock.currentTimeMillis)
    return { id: yield* ids.apiKey, account_id, mode, key, created_at } satisfies NewApiKey
  })

  const CreateApiKey = Command.alone("CreateApiKey", {
    isSecret: true,
    run: function* (account, { context, request }) {
      const made = yield* newKey(account)
      const row = yield* apiKeys.create({ ...made, ...asked(request) }, makerOf(context))
      return { answer: shown(row, made.key), audit: [["api_key.created", row.id]] }
    }
  })

  const RollApiKey = Command.alone("RollApiKey", {
    isSecret: true,
    run: function* (account, { context, id, request: { expires_in } }) {
      const key = yield* newKey(account)
      const row = yield* apiKeys.roll({ ...account, id }, expires_in, key, makerOf(context))
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

const makerOf = ({ api_key_id, capabilities }: RequestContext): KeyMaker => ({
  id: api_key_id,
  capabilities: capabilities ?? null
})

const shown = (row: StoredApiKey, key: string) => Command.created(`/v1/api-keys/${row.id}`, { ...apiKeyView(row), key })
