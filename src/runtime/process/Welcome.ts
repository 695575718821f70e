import * as Path from "node:path"
import type { CustomerRequest } from "../../../schemas/Customer.ts"

/**
 * The line that a service prints at a terminal before it loads anything; undefined if its log is JSON. `env`: the
 * settings, not checked yet.
 */
export const starting = (env: Readonly<Record<string, string | undefined>>, version: string, isTerminal: boolean) => {
  // The supervisor has already printed it.
  if (env["FOLIO_SUPERVISED"] !== undefined) return undefined
  if ((env["LOG_FORMAT"] ?? (isTerminal ? "pretty" : "json")) !== "pretty") return undefined
  const address = `http://${env["HOST"] ?? "127.0.0.1"}:${env["PORT"] ?? 3000}`
  const database = env["DATABASE_URL"] === undefined ? "PostgreSQL and its data" : "its files"
  const dataDir = Path.resolve(env["DATA_DIR"] ?? "data")
  return `Starting Folio ${version} at ${address}, with ${database} in ${dataDir}. The first start takes longer, up to a minute.`
}

/**
 * The fields of the JSON log line when the service is ready. For a new test key, it has only the path of the key's
 * file.
 */
export const readiness = (settings: { readonly baseUrl: string; readonly dataDir: string }, hasNewKey: boolean) => ({
  base_url: settings.baseUrl,
  ...(hasNewKey ? { test_key_file: Path.join(settings.dataDir, "test-key") } : {})
})

/**
 * The text that a started service prints. With a new test key, it includes commands that work as printed, and
 * `portalUrl`, a link that opens the portal once.
 */
export const welcome = (
  settings: { readonly baseUrl: string; readonly dataDir: string },
  newKey: string | undefined,
  portalUrl: string | undefined,
  customer: CustomerRequest
): string => {
  // With the default address and directory, the `folio` command finds service and key itself.
  const isUsual = settings.baseUrl === "http://127.0.0.1:3000" && settings.dataDir === Path.resolve("data")
  const ready = `Folio is ready at ${settings.baseUrl}  (API reference: ${settings.baseUrl}/docs; portal: npx folio portal)`
  if (newKey === undefined) return ready
  return [
    ready,
    "",
    `Created a sandbox account. Its test key, shown once and saved in ${settings.dataDir}/test-key:`,
    "",
    `  ${newKey}`,
    "",
    ...(portalUrl === undefined
      ? []
      : [
          "To open the portal in a browser, use this link. It works once, within a minute; npx folio portal makes another:",
          "",
          `  ${portalUrl}`,
          ""
        ]),
    "Your first webhook, in another terminal in this folder (:9099/hook is your own program):",
    "",
    ...(isUsual ? [] : [`  export FOLIO_URL=${settings.baseUrl} FOLIO_API_KEY=${newKey}`]),
    "  npx folio trigger invoice.accepted_by_authority",
    "  npx folio listen --forward-to :9099/hook --since 5m -e .env",
    "",
    "Or by hand:",
    "",
    `  curl ${settings.baseUrl}/v1/account -H 'Authorization: Bearer ${newKey}'`,
    "",
    `  curl ${settings.baseUrl}/v1/customers -H 'Authorization: Bearer ${newKey}' -H 'Content-Type: application/json' -H 'Idempotency-Key: first-customer' -d '${JSON.stringify(customer)}'`,
    ""
  ].join("\n")
}
