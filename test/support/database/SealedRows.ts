import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { ApiKeyId } from "../../../schemas/Id.ts"
import { Idempotency } from "../../../src/accounts/store/Idempotency.ts"
import { replaceCertificate } from "../../../src/accounts/store/sandbox/StoredCertificate.ts"
import { Softwares } from "../../../src/accounts/store/Softwares.ts"
import { rangeContext } from "../../../src/accounts/store/Resolutions.ts"
import { testRangeContext } from "../../../src/invoices/store/Enablements.ts"
import * as AccountView from "../../../src/database/AccountView.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { Secrets } from "../../../src/database/Secrets.ts"
import { storedSecrets } from "../../../src/operations/store/Inspection.ts"
import { isKeyOfDatabase } from "../../../src/operations/store/KeyCanary.ts"
import { giveCertificate } from "../authority/LiveAccounts.ts"
import { layerOwner, seedAccount, seedEndpoint } from "./Owners.ts"
import { layerAdmin, query } from "./Postgres.ts"

type Key = Redacted.Redacted<Uint8Array>

export const newSecretKey = (): Key => Redacted.make(new Uint8Array(randomBytes(32)))
export const base64Of = (key: Key) => Buffer.from(Redacted.value(key)).toString("base64")

/** The range whose technical key is sealed. */
export const sealedRange = `res_${"0".repeat(26)}`

/** Seals a value in each column for secrets, with the key of `layerOwner`. Returns the account. */
export const seedSecrets = Effect.fnUntraced(function* (url: string) {
  return yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { seal } = yield* Secrets
    const { account } = yield* seedAccount
    assert.isTrue(yield* isKeyOfDatabase)
    const { account_id } = account
    const live = { account_id, livemode: true }
    for (const secret of ["whsec_one", "whsec_two", "whsec_three"]) yield* seedEndpoint(account, {}, secret)
    yield* giveCertificate(account_id, "certificate")
    const software = {
      account_id,
      id: yield* (yield* Ids).software,
      software_id: "software",
      provider_number: null,
      created_at: new Date()
    }
    yield* AccountView.within(sql, live)((yield* Softwares).insert(software, Redacted.make("pin")))
    yield* replaceCertificate(undefined, "sandbox certificate")
    const keys = yield* query(url, "select id from api_keys")
    const claim = { api_key_id: ApiKeyId.make(String(keys.rows[0]?.["id"])), value: "a key|with", fingerprint: "f" }
    const answer = { status: 200, location: null, body: '{"secret":"whsec_two"}' }
    yield* (yield* Idempotency).once(account, claim, Effect.succeed(answer), { secret: true })
    const range = { id: sealedRange, prefix: "SEALED", is_active: false, technical_key: "" }
    const technical_key_sealed = yield* seal("technical key", rangeContext({ id: sealedRange }))
    yield* query(
      url,
      `insert into resolutions select c.* from resolutions r,
         jsonb_populate_record(r, '${JSON.stringify({ ...range, technical_key_sealed })}') c`
    )
    const set = yield* seal("key of the test set", testRangeContext({ account_id, id: "a'set" }))
    yield* query(
      url,
      `insert into enablements (account_id, livemode, id, status, run, wanted, range, technical_key_sealed, started_at,
         resumed_at, answering_since, finished_at)
       values ('${account_id}', true, 'a''set', 'passed', 1, '{}', '{}', '${set}', now(), now(), now(), now())`
    )
    return account
  }).pipe(Effect.provide(layerOwner(url)))
})

const inDatabase = (url: string, key: Key) =>
  Layer.mergeAll(layerAdmin(url), Layer.provide(Secrets.layerOf(key), NodeCrypto.layer))

/** The plain text of each stored secret, by its place; null if the key does not open it. */
export const plainSecrets = Effect.fnUntraced(function* (url: string, key: Key) {
  return yield* Effect.gen(function* () {
    const secrets = yield* Secrets
    const rows = yield* storedSecrets
    const plain = yield* Effect.forEach(rows, ({ place, secret }) =>
      Effect.map(Effect.exit(secrets.open(secret, place)), (exit) => Option.getOrNull(Exit.getSuccess(exit)))
    )
    return Object.fromEntries(rows.map(({ place }, index) => [place, plain[index] ?? null] as const))
  }).pipe(Effect.provide(inDatabase(url, key)))
})

/** Seals a text as a process with this key would. */
export const sealWith = (url: string, key: Key, plain: string, place: string) =>
  Effect.provide(
    Effect.flatMap(Secrets, (secrets) => secrets.seal(plain, place)),
    inDatabase(url, key)
  )
