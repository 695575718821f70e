import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { Capability } from "../../../schemas/PortalSession.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import { ServiceInfo } from "../../runtime/ServiceInfo.ts"
import { isActingKey } from "../rules/ApiKeyFormat.ts"
import { capabilityBeyond } from "../rules/KeyRights.ts"
import { makePortalToken } from "../rules/PortalTokens.ts"
import { Accounts } from "../store/Accounts.ts"
import { Platforms } from "../store/Platforms.ts"
import { PortalSessions, portalSessionWithUrl } from "../store/PortalSessions.ts"
import { Ids } from "../../database/Ids.ts"
import * as Command from "../Command.ts"

const hour = 3600
const viewOnly: ReadonlyArray<Capability> = ["view"]

const param = "return_url"
const returnOfPlatform = new ApiError({
  code: "account_required",
  message:
    "A portal session of the platform itself has no return_url. Omit return_url, or send the header Svc-Account: ten_… for a session of one of the platform's accounts.",
  param
})
const returnOfAccount = new ApiError({
  code: "platform_key_required",
  message:
    "Only a platform's key sets return_url, and this key belongs to an account. Omit return_url, or send the platform's key with the header Svc-Account.",
  param
})
const unregisteredHost = (host: string, registered: ReadonlyArray<string>) =>
  ApiError.fromViolations([
    violation(
      param,
      "parameter_invalid",
      `return_url must have one of the platform's registered hosts (${registered.length === 0 ? "none yet" : registered.join(", ")}), and ${host} is not one of them. The operator replaces the list of hosts: folio platforms update plat_… --return-host ${[...registered, host].join(" --return-host ")}`,
      "return_host"
    )
  ])

/** The commands that create and end portal sessions. */
export const make = Effect.gen(function* () {
  const { baseUrl } = yield* ServiceInfo
  const ids = yield* Ids
  const random = yield* SecureRandom.SecureRandom
  const accounts = yield* Accounts
  const platforms = yield* Platforms
  const sessions = yield* PortalSessions

  const CreatePortalSession = Command.alone("CreatePortalSession", {
    isSecret: true,
    before: function* (account, { context, request: { return_url } }) {
      if (return_url === undefined) return
      if (!isActingKey(context.api_key_id)) {
        return yield* (yield* accounts.get(account)).is_platform ? returnOfPlatform : returnOfAccount
      }
      const { host } = new URL(return_url)
      const registered = yield* platforms.returnHosts(account.account_id)
      if (!registered.includes(host)) return yield* unregisteredHost(host, registered)
    },
    run: function* (account, { context, request }) {
      const { capabilities = viewOnly, expires_in = hour, return_url } = request
      const { api_key_id } = context
      const beyond = capabilityBeyond(capabilities, context.capabilities ?? null)
      if (beyond !== undefined) return yield* beyond
      const token = makePortalToken(yield* random.randomBytes(32))
      const id = yield* ids.portalSession
      const row = yield* sessions.insert({ ...account, id, api_key_id, capabilities, expires_in, return_url, token })
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
