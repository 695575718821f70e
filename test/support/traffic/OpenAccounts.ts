import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { colombianSandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import { apiKeyHash, makeApiKey } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { makeClient } from "../apps/Client.ts"
import { customerBody, endpointBody } from "../apps/Invoices.ts"
import { SeveralProcesses } from "../processes/SeveralProcesses.ts"
import type { Payer } from "./OpenLoad.ts"

/** SQL for the id of a copied row: the 28th letter differs, so that no copy has its original's id. */
const idOfCopy = (column: string, account: number) =>
  `left(${column}, 27) || case substr(${column}, 28, 1) when '0' then '1' else '0' end || '${String(account).padStart(2, "0")}'`

// Like the account of this id, but with their own numbers: so that each process owns the actors of some of them.
const copies = (of: string, account: number, hash: string) => {
  const [id, accountId] = [idOfCopy("id", account), idOfCopy("account_id", account)]
  const first = `where account_id = '${of}' order by created_at, id limit 1`
  return [
    `insert into accounts select ${id}, created_at from accounts where id = '${of}'`,
    `insert into account_modes (account_id, livemode, name, issuer, issuer_version, default_version)
     select ${accountId}, livemode, name, issuer, issuer_version, default_version
     from account_modes where account_id = '${of}' order by livemode limit 1`,
    `insert into api_keys select ${id}, ${accountId}, livemode, '${hash}', last_four, created_at from api_keys ${first}`,
    `insert into resolutions select ${accountId}, livemode, ${id}, number, document_type, prefix,
       from_number + ${account} * 100000, to_number, valid_from, valid_to, '${colombianSandbox.range.technical_key}', is_active, from_number + ${account} * 100000, created_at
     from resolutions ${first}`
  ]
}

/**
 * Opens accounts, each with a customer and an endpoint of its own; returns the payers, and the path of each endpoint.
 */
export const openAccounts = Effect.fnUntraced(function* (count: number) {
  const { clients, customer, processes, receiver } = yield* SeveralProcesses
  const [service, first] = [processes[0]!, clients[0]!]
  const paths = new Map<string, string>()
  const payers: Array<Payer> = [{ apiKey: first.apiKey, customer }]
  const { json } = yield* first.get("/v1/webhook-endpoints")
  const account = String((yield* first.get("/v1/account")).json.id)
  paths.set(String(json.data[0].id), "/hooks")
  while (payers.length < count) {
    const apiKey = makeApiKey("test", randomBytes(32))
    for (const statement of copies(account, payers.length, apiKeyHash(apiKey))) yield* service.rows(statement)
    const client = makeClient(service.url, apiKey)
    const path = `/hooks/${payers.length}`
    const endpoint = yield* client.post("/v1/webhook-endpoints", endpointBody(receiver.url(path)))
    paths.set(String(endpoint.json.id), path)
    const { json: made } = yield* client.post("/v1/customers", customerBody(), { key: "customer" })
    payers.push({ apiKey, customer: String(made.id) })
  }
  return { payers, paths }
})
