import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { colombianSandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import { apiKeyHash, makeApiKey } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { checkDigit } from "../../../src/documents/rules/parties/CheckDigit.ts"
import { Ids } from "../../../src/database/Ids.ts"
import type { Rows } from "../../support/database/Books.ts"
import type { Client } from "../../support/apps/Client.ts"
import { customerBody } from "../../support/apps/Invoices.ts"
import { keyFile } from "../../support/authority/LiveAccounts.ts"

/** A client of the service: an API key, and a customer for its invoices. */
export interface Shop {
  readonly name: string
  /** Account and mode of its key, as `ten_…/test`. */
  readonly owner: string
  readonly apiKey: string
  readonly customer: string
}

const ids = Layer.provide(Ids.layer, NodeCrypto.layer)
const quoted = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'`

// Copies a row with some changed members, for any columns.
const copy = (table: string, where: string, changes: object) =>
  `insert into ${table} select (jsonb_populate_record(t, ${quoted(changes)}::jsonb)).* from ${table} t where ${where}`

export const hostileName = "hostile"

/**
 * Besides the sandbox account: another key of it, its live mode, and two more accounts. The first has as much weight as
 * all others. The last belongs to the hostile client.
 */
const others = [
  { name: "A2", account: "A", mode: "test" },
  { name: "A live", account: "A", mode: "live" },
  { name: "B", account: "B", mode: "test" },
  { name: "C", account: "C", mode: "test" },
  { name: hostileName, account: "D", mode: "test" }
] as const

/**
 * Creates the accounts and keys, besides the sandbox account with the key `first`. Each has a numbering range of its
 * own.
 */
const open = Effect.fnUntraced(function* (rows: Rows, first: string) {
  const { account: newAccount, apiKey: newApiKey, resolution: newResolution } = yield* Ids
  const [sandbox] = yield* rows<{ id: string; issuer: object }>(
    "select account_id as id, issuer from account_modes where not livemode"
  )
  const [key] = yield* rows<{ id: string }>("select id from api_keys")
  const { id: sandboxId, issuer } = sandbox!
  const accounts = new Map([["A", sandboxId]])
  const owners = new Set([`${sandboxId}/test`])
  const shops = [{ name: "A", owner: `${sandboxId}/test`, apiKey: first }]
  for (const { account, mode, name } of others) {
    let id = accounts.get(account)
    if (id === undefined) {
      id = yield* newAccount
      accounts.set(account, id)
      const nit = `90037312${accounts.size}`
      const identification = { type: "31", number: nit, check_digit: checkDigit(nit) }
      yield* rows(copy("accounts", `id = '${sandboxId}'`, { id }))
      const own = { account_id: id, name: account, issuer: { ...issuer, identification } }
      yield* rows(copy("account_modes", `account_id = '${sandboxId}' and not livemode`, own))
    }
    const livemode = mode === "live"
    if (livemode) {
      yield* rows(`update account_modes l set issuer = t.issuer || '{"vat_responsible": true}' from account_modes t
        where l.account_id = '${id}' and l.livemode and t.account_id = '${id}' and not t.livemode`)
    }
    const accountMode = { account_id: id, livemode }
    const owner = `${id}/${mode}`
    if (!owners.has(owner)) {
      // A sealed key opens only in its own row.
      const { technical_key } = colombianSandbox.range
      const range = { ...accountMode, id: yield* newResolution, technical_key, technical_key_sealed: null }
      yield* rows(copy("resolutions", `account_id = '${sandboxId}' and not livemode`, range))
      owners.add(owner)
    }
    const apiKey = makeApiKey(mode, randomBytes(32))
    const hash = { key_hash: apiKeyHash(apiKey), last_four: apiKey.slice(-4) }
    yield* rows(copy("api_keys", `id = '${key?.id}'`, { ...accountMode, id: yield* newApiKey, ...hash }))
    shops.push({ name, owner, apiKey })
  }
  return shops
}, Effect.provide(ids))

/** The shops, each with a customer. `client` calls the service with a key. */
export const openShops = Effect.fnUntraced(function* (rows: Rows, first: string, client: (apiKey: string) => Client) {
  return yield* Effect.forEach(
    yield* open(rows, first),
    Effect.fnUntraced(function* (shop) {
      const ask = client(shop.apiKey)
      if (shop.owner.endsWith("/live")) {
        const { password, pkcs12 } = keyFile()
        yield* ask.post("/v1/account/certificate", { pkcs12, password })
      }
      const { json } = yield* ask.post("/v1/customers", customerBody("800197268"), { key: "customer" })
      return { ...shop, customer: String(json.id) } satisfies Shop
    })
  )
})
