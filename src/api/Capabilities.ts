import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { KeyCapability } from "../../schemas/ApiKey.ts"
import type { Capability } from "../../schemas/PortalSession.ts"

/** The capability for changes in each group. Other groups allow no changes to portal sessions and restricted keys. */
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
const ofOperation: Readonly<Record<string, Capability>> = { createPortalSession: "keys", endPortalSession: "keys" }

/** The creations, which an API key can carry out with the capability `create` alone. */
const creations: ReadonlySet<string> = new Set([
  "createCreditNote",
  "createCustomer",
  "createDebitNote",
  "createInvoice",
  "putCustomer",
  "validateCreditNote",
  "validateCustomer",
  "validateDebitNote",
  "validateInvoice"
])

/** The capability that a portal session needs for an operation; null if no session may execute it. */
export const capabilityOf = (group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top): Capability | null => {
  // Otherwise a session could renew itself forever, and admit others.
  if (endpoint.identifier === "createPortalSession") return null
  return neededFor(group, endpoint)
}

/** The least capability that a restricted API key needs for an operation; null if no restricted key may execute it. */
export const keyCapabilityOf = (group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top): KeyCapability | null => {
  if (endpoint.method === "GET") return "read"
  return creations.has(endpoint.identifier) ? "create" : neededFor(group, endpoint)
}

const neededFor = (group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top): Capability | null =>
  endpoint.method === "GET" ? "view" : (ofOperation[endpoint.identifier] ?? ofGroup[group.identifier] ?? null)
