import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { KeyCapability } from "../../schemas/ApiKey.ts"
import type { AccountStatus } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import type { Capability } from "../../schemas/PortalSession.ts"

/** The capability for changes in each group. Other groups allow no changes to portal sessions and restricted keys. */
const ofGroup: Readonly<Record<string, Capability>> = {
  account: "setup",
  accounts: "setup",
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
const ofOperation: Readonly<Record<string, Capability>> = {
  createAccountApiKey: "keys",
  createPortalSession: "keys",
  endPortalSession: "keys"
}

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

const accountSuspended = new ApiError({
  code: "account_suspended",
  message:
    "This account is suspended, so it cannot create customers or documents. GET /v1/account shows the reason. Its platform can resume it: POST /v1/accounts/{id}/resume."
})
export const accountClosed = new ApiError({
  code: "account_closed",
  message: "This account is closed, so it cannot change anything. Its documents stay readable."
})

const createsDocuments = ({ identifier }: HttpApiEndpoint.Top) =>
  identifier === "annulInvoice" || (creations.has(identifier) && !identifier.startsWith("validate"))

/**
 * The error for an operation that the status of the account does not allow; null if the status allows it. A closed
 * account can still create API keys and portal sessions, which give access to its documents.
 */
export const barredBy = (
  status: AccountStatus,
  group: HttpApiGroup.Top,
  endpoint: HttpApiEndpoint.Top
): ApiError | null => {
  if (status === "active" || endpoint.method === "GET") return null
  if (status === "suspended") return createsDocuments(endpoint) ? accountSuspended : null
  const capability = capabilityOf(group, endpoint)
  return capability === null || capability === "keys" ? null : accountClosed
}
