import { Schema } from "effect"
import { field } from "./Field.ts"
import { ApiKeyId, PortalSessionId } from "./Id.ts"
import { atMost, notEmpty, wholeNumber } from "./Limits.ts"
import { Timestamp } from "./Money.ts"
import { Page } from "./Page.ts"

const capabilities = ["view", "deliver", "endpoints", "documents", "keys", "setup"] as const

/** A capability of a portal session. `view` gives access to every page; each other capability allows changes. */
export const Capability = Schema.Literals(capabilities).annotate({
  message: `must be one of ${capabilities.join(", ")}`
})
export type Capability = typeof Capability.Type

/** A choice of capabilities: at least one, each once. */
export const someOf = <const C extends ReadonlyArray<string>>(capability: Schema.Literals<C>) => {
  const { length } = capability.literals
  return Schema.Array(capability).check(
    notEmpty("must name at least one capability"),
    atMost(length, `must name at most ${length} capabilities`),
    Schema.isUnique({ message: "must name each capability once" })
  )
}
const capabilitiesExample = ["view", "documents"] as const
const returnExample = "https://app.example.com/companies/1001"

const expiresIn = { min: 60, max: 7 * 86_400 }

const returnMessage =
  "must be an https URL such as https://app.example.com/done, in ASCII and without a user name, port, backslash or fragment"

/** The URL of a platform's page. Its characters are ASCII, and its host is the same as the URL parser reads. */
const ReturnUrl = Schema.String.check(
  atMost(2_000),
  Schema.makeFilter(
    (url) => {
      const [, host] = /^https:\/\/([A-Za-z0-9.-]+)(?:[/?][!-[\]-~]*)?$/u.exec(url) ?? []
      const isWhole = host !== undefined && !url.includes("#") && URL.canParse(url)
      return isWhole && new URL(url).host === host.toLowerCase()
    },
    { message: returnMessage }
  )
)

/** The request to create a portal session. */
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
      "Lifetime of the session in seconds, from its creation. By default 3600.",
      3600
    ),
    capabilities: field(
      Schema.optionalKey(someOf(Capability)),
      'Capabilities of the session, by default `["view"]`. `view`: read every page. `deliver`: redeliver webhooks, recover an endpoint, and send test events. `endpoints`: create and change webhook endpoints, and rotate their secrets. `documents`: create, correct, retry, cancel, annul and email documents, and create and change customers. `keys`: create, roll and revoke API keys, and end sessions. `setup`: change the account, its issuer, logo, certificate, software and ranges, run the test set, and control the sandbox and its clock; for a platform, create, change, suspend and close accounts.',
      capabilitiesExample
    ),
    return_url: field(
      Schema.optionalKey(ReturnUrl),
      "Page of your platform to which the portal returns: an https URL of at most 2,000 characters on one of the platform's registered hosts. Every page of the portal then has a button with this host. Only for a platform's key with the header `Svc-Account`. By default no button.",
      returnExample
    )
  }).annotate({ identifier: "PortalSessionRequest", description: "A portal session to create." })
) {}

export const PortalSessionStatus = Schema.Literals(["waiting", "active", "expired", "ended"])

export class PortalSession extends Schema.Opaque<PortalSession>()(
  Schema.Struct({
    id: PortalSessionId,
    object: Schema.Literal("portal_session"),
    livemode: field(Schema.Boolean, "Mode of the session: `true` for live data, `false` for the sandbox."),
    api_key_id: field(ApiKeyId, "API key that created the session. The session ends with this key."),
    capabilities: field(Schema.Array(Capability), "Capabilities of the session.", capabilitiesExample),
    status: field(
      PortalSessionStatus,
      "Status of the session. `waiting`: the link is unused and still works. `active`: a browser has used the link. `expired`: the link was not used in time, or the lifetime of the session is over. `ended`: the session was ended, or its API key was revoked or has expired.",
      "waiting"
    ),
    created_at: Timestamp,
    expires_at: field(Timestamp, "Time at which the session expires, at the latest when its API key expires."),
    return_url: field(
      Schema.NullOr(Schema.String),
      "Page of the platform to which the portal returns. Null without a page.",
      returnExample
    ),
    used_at: field(
      Schema.NullOr(Timestamp),
      "Time at which a browser used the link. Null if the link is unused.",
      null
    ),
    ended_at: field(
      Schema.NullOr(Timestamp),
      "Time at which the session was ended, directly or with its API key. Null if the session was not ended.",
      null
    )
  }).annotate({
    identifier: "PortalSession",
    description: "A portal session with its capabilities and expiry, without its link."
  })
) {}

/** The response to the creation of a session. */
export class PortalSessionWithUrl extends Schema.Opaque<PortalSessionWithUrl>()(
  Schema.Struct({
    ...PortalSession.fields,
    url: field(
      Schema.String,
      "Link that opens the portal in a browser, once, within 60 seconds.",
      "https://folio.example.com/portal/enter/3mJr7AoUXx2Wqd9sQpO1LzT5vKcYb8EfGhNi4RtVwZk"
    ),
    url_expires_at: field(Timestamp, "Time at which the link expires.")
  }).annotate({
    identifier: "PortalSessionWithUrl",
    description: "The new portal session. Only this response shows its link."
  })
) {}

export class DeletedPortalSession extends Schema.Opaque<DeletedPortalSession>()(
  Schema.Struct({
    id: PortalSessionId,
    object: Schema.Literal("portal_session"),
    deleted: Schema.Literal(true)
  }).annotate({ identifier: "DeletedPortalSession", description: "Confirmation that the portal session was ended." })
) {}

export const PortalSessionPage = Page(PortalSession, "PortalSessionPage")
