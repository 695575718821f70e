import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Capability } from "../../../schemas/PortalSession.ts"
import { ServiceInfo } from "../../api/ServiceInfo.ts"
import { capabilityBeyond } from "../rules/KeyRights.ts"
import { makePortalToken } from "../rules/PortalTokens.ts"
import { PortalSessions, portalSessionWithUrl } from "../store/PortalSessions.ts"
import { Ids } from "../../database/Ids.ts"
import * as Command from "../Command.ts"

const hour = 3600
const viewOnly: ReadonlyArray<Capability> = ["view"]

/** The commands that create and end portal sessions. */
export const make = Effect.gen(function* () {
  const { baseUrl } = yield* ServiceInfo
  const ids = yield* Ids
  const random = yield* SecureRandom.SecureRandom
  const sessions = yield* PortalSessions

  const CreatePortalSession = Command.alone("CreatePortalSession", {
    isSecret: true,
    run: function* (account, { context, request: { capabilities = viewOnly, expires_in = hour } }) {
      const { api_key_id } = context
      const beyond = capabilityBeyond(capabilities, context.capabilities ?? null)
      if (beyond !== undefined) return yield* beyond
      const token = makePortalToken(yield* random.randomBytes(32))
      const id = yield* ids.portalSession
      const row = yield* sessions.insert({ ...account, id, api_key_id, capabilities, expires_in, token })
      const shown = portalSessionWithUrl(row, `${baseUrl}/portal/enter/${token}`)
      return {
        answer: Command.created(`/v1/portal-sessions/${id}`, shown),
        audit: [["portal_session.created", id, { capabilities, expires_in }]]
      }
    }
  })

  const EndPortalSession = Command.alone("EndPortalSession", {
    run: function* (account, { id }) {
      yield* sessions.end({ ...account, id })
      return { answer: Command.deleted("portal_session", id), audit: [["portal_session.ended", id]] }
    }
  })

  return { CreatePortalSession, EndPortalSession }
})
