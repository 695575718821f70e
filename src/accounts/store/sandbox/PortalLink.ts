import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { Capability } from "../../../../schemas/PortalSession.ts"
import { ServiceInfo } from "../../../runtime/ServiceInfo.ts"
import { makePortalToken } from "../../rules/PortalTokens.ts"
import { ApiKeys } from "../ApiKeys.ts"
import { AuditLog, operator } from "../AuditLog.ts"
import { PortalSessions } from "../PortalSessions.ts"
import { Ids } from "../../../database/Ids.ts"

const hour = 3600

/** A link to the portal of a test key's account, for a session of an hour. The link works once, within 60 seconds. */
export const portalLink = Effect.fn("portalLink")(function* (key: string) {
  const audit = yield* AuditLog
  const keys = yield* ApiKeys
  const ids = yield* Ids
  const random = yield* SecureRandom.SecureRandom
  const sessions = yield* PortalSessions
  const { baseUrl } = yield* ServiceInfo
  const { account_id, api_key_id, livemode } = yield* Effect.orDie(
    Effect.flatMap(keys.authenticate(key), Effect.fromOption)
  )
  const account = { account_id, livemode }
  const id = yield* ids.portalSession
  const token = makePortalToken(yield* random.randomBytes(32))
  yield* sessions.insert({ ...account, id, api_key_id, capabilities: Capability.literals, token, expires_in: hour })
  yield* audit.record(account, operator, "portal_session.created", id)
  return `${baseUrl}/portal/enter/${token}`
}, Effect.orDie)
