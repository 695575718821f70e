import { Effect } from "effect"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { checkDigit } from "../../../src/documents/rules/parties/CheckDigit.ts"
import { type Client, makeClient } from "../../support/apps/Client.ts"
import { customerBody, invoiceBody, resolutionBody } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { keyFile, softwareSettings } from "../../support/authority/LiveAccounts.ts"
import { folioCommand } from "../../support/processes/FolioCommand.ts"
import { type ArmedFault, serviceProcess } from "../../support/processes/ServiceProcess.ts"

export const readCufe = (signed: Uint8Array) => readSignedDocument(signed)?.cufe ?? null

const issuer =
  "--nit|900373115|--legal-name|Tienda S.A.S.|--email|facturas@example.com|--address|Calle 1|--city-code|11001|--vat-responsible|yes|--mode|live"

const buyer = {
  ...customerBody(),
  identification: { type: "31", number: "800197268", check_digit: checkDigit("800197268") }
}

let keys = 0
const newKey = () => ({ key: `live ${keys++}` })

/**
 * The service as a separate process, with its authority at this address, and one account that can issue live documents.
 */
export const liveService = Effect.fnUntraced(function* (
  authorityUrl: string,
  settings: Readonly<Record<string, string>> = {},
  fault?: ArmedFault
) {
  const env = { AUTHORITY_URL: authorityUrl, ...softwareSettings, ...settings }
  const service = yield* serviceProcess({ webhookAllow: "", env })
  yield* service.start(fault)
  const folio = (...words: ReadonlyArray<string>) =>
    folioCommand([...words, "--json"], { DATA_DIR: service.dataDir, ...env })
  const { json } = yield* folio("accounts", "create", ...issuer.split("|"))
  const client: Client = makeClient(service.url, json.api_key.key)
  const { password, pkcs12 } = keyFile()
  yield* client.post("/v1/account/certificate", { pkcs12, password })
  yield* client.post("/v1/resolutions", resolutionBody(), newKey())
  const customer = String((yield* client.post("/v1/customers", buyer, newKey())).json.id)

  /** Creates an invoice and returns its path. */
  const issue = Effect.suspend(() => client.post("/v1/invoices", invoiceBody(customer), newKey())).pipe(
    Effect.map(({ json: made }) => `/v1/invoices/${made.id}`)
  )
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads the fields that it expects, and fails on others
  const shown = (path: string, holds: (invoice: any) => boolean) =>
    Effect.map(
      until(client.get(path), (answer) => holds(answer.json)),
      (answer) => answer.json
    )
  const page = (path: string) => Effect.promise(async () => (await fetch(service.url + path)).text())

  return {
    service,
    client,
    folio,
    issue,
    /** Waits until the invoice matches the condition. */
    shown,
    /** Retries a failed document. */
    retry: (path: string) => client.post(`${path}/retry`, undefined, newKey()),
    health: Effect.map(page("/health/ready"), (text) => JSON.parse(text)),
    metrics: page("/metrics"),
    /**
     * Brings forward scheduled work: retries of documents, and probes of the authority. A document with a worker is in
     * a call. Another owner would count the document as sent, and would never issue it in contingency.
     */
    hurry: Effect.andThen(
      service.rows("update authority_circuits set next_probe_at = now()"),
      service.rows(
        "update invoices set next_action_at = now() where next_action_at > now() and next_action_at < 'infinity' and worker is null"
      )
    )
  }
})
