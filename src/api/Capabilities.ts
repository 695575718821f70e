import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Capability } from "../../schemas/PortalSession.ts"

/** The capability that the changes of each group need of a session of the portal. Groups that are not named have no changes for it. */
const ofGroup: Readonly<Record<string, Capability>> = {
  account: "setup",
  apiKeys: "keys",
  creditNotes: "documents",
  customers: "documents",
  debitNotes: "documents",
  invoices: "documents",
  resolutions: "setup",
  testHelpers: "setup",
  webhookDeliveries: "deliver",
  webhookEndpoints: "endpoints"
}

/** Operations whose capability is not that of their group. */
const ofOperation: Readonly<Record<string, Capability>> = { endPortalSession: "keys" }

/** The capability that a session of the portal needs for an operation; null for an operation that no session may carry out. */
export const capabilityOf = (group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top): Capability | null =>
  endpoint.method === "GET" ? "view" : (ofOperation[endpoint.identifier] ?? ofGroup[group.identifier] ?? null)
