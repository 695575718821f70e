import { Schema } from "effect"
import { field } from "./Field.ts"
import { ApiKeyId, PortalSessionId } from "./Id.ts"
import { atMost, notEmpty, wholeNumber } from "./Limits.ts"
import { Timestamp } from "./Money.ts"
import { Page } from "./Page.ts"

const capabilities = ["view", "deliver", "endpoints", "documents", "keys", "setup"] as const

/** What a session of the portal may do. Every page is read with `view`; each of the others lets its session change something. */
export const Capability = Schema.Literals(capabilities).annotate({
  message: `must be one of ${capabilities.join(", ")}`
})
export type Capability = typeof Capability.Type

const Capabilities = Schema.Array(Capability).check(
  notEmpty("must name at least one capability"),
  atMost(capabilities.length, `must name at most ${capabilities.length} capabilities`),
  Schema.isUnique({ message: "must name each capability once" })
)
const capabilitiesExample = ["view", "documents"] as const

const expiresIn = { min: 60, max: 7 * 86_400 }

/** The request to let a browser into the portal. */
export class PortalSessionRequest extends Schema.Opaque<PortalSessionRequest>()(
  Schema.Struct({
    expires_in: field(
      Schema.optionalKey(
        wholeNumber(
          expiresIn.min,
          expiresIn.max,
          `must be a whole number of seconds from ${expiresIn.min} to ${expiresIn.max} (seven days)`
        )
      ),
      "The number of seconds for which the session lasts, from its creation; 3600 when left out.",
      3600
    ),
    capabilities: field(
      Schema.optionalKey(Capabilities),
      'What the session may do; `["view"]` when left out. `view`: read every page. `deliver`: deliver webhooks again, recover an endpoint, and send test events. `endpoints`: create and change webhook endpoints, and rotate their secrets. `documents`: create, correct, retry, cancel, annul and e-mail documents, and create and change customers. `keys`: create, roll and revoke API keys, and end sessions. `setup`: change the account, its issuer, logo, certificate, software and ranges, pass the test set, and drive the sandbox and its clock.',
      capabilitiesExample
    )
  }).annotate({ identifier: "PortalSessionRequest", description: "A session of the portal to create." })
) {}

export const PortalSessionStatus = Schema.Literals(["waiting", "active", "expired", "ended"])

export class PortalSession extends Schema.Opaque<PortalSession>()(
  Schema.Struct({
    id: PortalSessionId,
    object: Schema.Literal("portal_session"),
    livemode: field(
      Schema.Boolean,
      "`true` for a session that shows live data, `false` for one that shows the sandbox."
    ),
    api_key_id: field(ApiKeyId, "The API key that created the session. The session ends when this key does."),
    capabilities: field(Schema.Array(Capability), "What the session may do.", capabilitiesExample),
    status: field(
      PortalSessionStatus,
      "`waiting`: the link has not been used, and still works. `active`: a browser is in. `expired`: the link was not used in time, or the session has lasted its time. `ended`: the session was ended, or its API key was revoked or has expired.",
      "waiting"
    ),
    created_at: Timestamp,
    expires_at: field(Timestamp, "The time at which the session ends by itself."),
    used_at: field(Schema.NullOr(Timestamp), "The time at which a browser used the link; null when none has.", null),
    ended_at: field(
      Schema.NullOr(Timestamp),
      "The time at which the session was ended, by itself or with its API key; null for a session that was not ended.",
      null
    )
  }).annotate({
    identifier: "PortalSession",
    description: "A session of the portal as it is listed: what it may do and until when, without its link."
  })
) {}

/** The answer to the creation of a session. */
export class PortalSessionWithUrl extends Schema.Opaque<PortalSessionWithUrl>()(
  Schema.Struct({
    ...PortalSession.fields,
    url: field(
      Schema.String,
      "The address that lets a browser in. It works once, and within 60 seconds.",
      "https://folio.example.com/portal/enter/3mJr7AoUXx2Wqd9sQpO1LzT5vKcYb8EfGhNi4RtVwZk"
    ),
    url_expires_at: field(Timestamp, "The time until which the address works.")
  }).annotate({
    identifier: "PortalSessionWithUrl",
    description: "The new session of the portal. This answer is the only one that shows its address."
  })
) {}

export class DeletedPortalSession extends Schema.Opaque<DeletedPortalSession>()(
  Schema.Struct({
    id: PortalSessionId,
    object: Schema.Literal("portal_session"),
    deleted: Schema.Literal(true)
  }).annotate({ identifier: "DeletedPortalSession", description: "The session of the portal was ended." })
) {}

export const PortalSessionPage = Page(PortalSession, "PortalSessionPage")
