import type { KeyCapability } from "../../../schemas/ApiKey.ts"
import type { Capability } from "../../../schemas/PortalSession.ts"
import { rows } from "./routeRows.ts"

/** The capability that a session needs for each change, written by hand: a new operation needs its row here. */
export const needed: Readonly<Record<string, Capability | null>> = {
  "PATCH /v1/account": "setup",
  "POST /v1/account": "setup",
  "POST /v1/account/certificate": "setup",
  "POST /v1/account/enablement": "setup",
  "PUT /v1/account/logo": "setup",
  "DELETE /v1/account/logo": "setup",
  "PUT /v1/account/software": "setup",
  "DELETE /v1/account/software": "setup",
  "POST /v1/resolutions": "setup",
  "PATCH /v1/resolutions/:id": "setup",
  "POST /v1/resolutions/:id": "setup",
  "POST /v1/resolutions/import": "setup",
  "POST /v1/test-helpers/authority": "setup",
  "POST /v1/test-helpers/advance": "setup",
  "POST /v1/api-keys": "keys",
  "POST /v1/api-keys/:id/roll": "keys",
  "DELETE /v1/api-keys/:id": "keys",
  "DELETE /v1/portal-sessions/:id": "keys",
  // Otherwise a session could renew itself for ever, and admit others.
  "POST /v1/portal-sessions": null,
  "POST /v1/customers": "documents",
  "POST /v1/customers/validate": "documents",
  "PUT /v1/customers/:id": "documents",
  "PATCH /v1/customers/:id": "documents",
  "POST /v1/customers/:id": "documents",
  "DELETE /v1/customers/:id": "documents",
  // Only of a platform.
  "POST /v1/accounts": "setup",
  "PATCH /v1/accounts/:id": "setup",
  "POST /v1/accounts/:id/suspend": "setup",
  "POST /v1/accounts/:id/resume": "setup",
  "POST /v1/accounts/:id/close": "setup",
  "POST /v1/accounts/:id/api-keys": "keys",
  "POST /v1/webhook-endpoints": "endpoints",
  "PATCH /v1/webhook-endpoints/:id": "endpoints",
  "POST /v1/webhook-endpoints/:id": "endpoints",
  "DELETE /v1/webhook-endpoints/:id": "endpoints",
  "POST /v1/webhook-endpoints/:id/rotate-secret": "endpoints",
  "POST /v1/webhook-endpoints/:id/test": "deliver",
  "POST /v1/webhook-endpoints/:id/recover": "deliver",
  "POST /v1/webhook-deliveries/:id/redeliver": "deliver",
  // The mail provider signs it, and no session is involved.
  "POST /v1/email-notices": null,
  ...Object.fromEntries(
    Object.keys(rows)
      .filter((route) => /^(?:POST|PUT) \/v1\/(?:invoices|credit-notes|debit-notes)/u.test(route))
      .map((route) => [route, "documents" as const])
  )
}

/** The changes that an API key can make with `create` alone, written by hand. */
const creations: ReadonlySet<string> = new Set([
  "POST /v1/customers",
  "POST /v1/customers/validate",
  "PUT /v1/customers/:id",
  "POST /v1/invoices",
  "POST /v1/invoices/validate",
  "POST /v1/credit-notes",
  "POST /v1/credit-notes/validate",
  "POST /v1/debit-notes",
  "POST /v1/debit-notes/validate"
])

/** The capabilities of an API key with each of which it can send a request to this route. */
export const keyCapabilitiesFor = (route: string): ReadonlyArray<KeyCapability> => {
  if (route.startsWith("GET ")) return ["view", "read"]
  if (creations.has(route)) return ["documents", "create"]
  if (route === "POST /v1/portal-sessions") return ["keys"]
  const capability = needed[route]
  return capability === null || capability === undefined ? [] : [capability]
}
