import type { CustomerRequest } from "../../schemas/Customer.ts"

/** The text that a started service prints. With a new test key, the text includes two commands that work as printed. */
export const welcome = (
  settings: { readonly baseUrl: string; readonly dataDir: string },
  newKey: string | undefined,
  customer: CustomerRequest
): string => {
  const ready = `Folio is ready at ${settings.baseUrl}  (API reference: ${settings.baseUrl}/docs)`
  if (newKey === undefined) return ready
  return [
    ready,
    "",
    `A sandbox account was made. Its test key, shown once and kept in ${settings.dataDir}/test-key:`,
    "",
    `  ${newKey}`,
    "",
    "Try it:",
    "",
    `  curl ${settings.baseUrl}/v1/account -H 'Authorization: Bearer ${newKey}'`,
    "",
    `  curl ${settings.baseUrl}/v1/customers -H 'Authorization: Bearer ${newKey}' -H 'Content-Type: application/json' -H 'Idempotency-Key: first-customer' -d '${JSON.stringify(customer)}'`,
    ""
  ].join("\n")
}
