import type { Settings } from "./Settings.ts"

/** The text that a started service prints. With a new test key, the text includes two commands that work as printed. */
export const welcome = (settings: Settings["Service"], newKey: string | undefined): string => {
  const ready = `Folio is ready at ${settings.baseUrl}  (API reference: ${settings.baseUrl}/docs)`
  if (newKey === undefined) return ready
  const customer = {
    identification: { type: "31", number: "900000001", check_digit: "1" },
    legal_name: "Cliente de Prueba S.A.S.",
    organization_type: "1"
  }
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
