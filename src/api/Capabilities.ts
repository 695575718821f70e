import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Capability } from "../../schemas/PortalSession.ts"

/** The capability that a portal session needs to make changes in each group. Other groups allow it no changes. */
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

/** The operations that need another capability than their group. */
const ofOperation: Readonly<Record<string, Capability>> = { endPortalSession: "keys" }

/** The capability that a portal session needs for an operation; null if no session may execute it. */
export const capabilityOf = (group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top): Capability | null =>
  endpoint.method === "GET" ? "view" : (ofOperation[endpoint.identifier] ?? ofGroup[group.identifier] ?? null)
