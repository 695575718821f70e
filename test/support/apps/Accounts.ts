import { Clock, Effect, Layer } from "effect"
import { sign } from "node:crypto"
import type { AccountMode, KeyMode } from "../../../schemas/Account.ts"
import { AccountId, ApiKeyId, ResolutionId } from "../../../schemas/Id.ts"
import { fromPem, makeSelfSigned, SandboxCertificate } from "../../../src/documents/signature/Certificate.ts"
import { makeApiKey } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { colombianSandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import { Accounts } from "../../../src/accounts/store/Accounts.ts"
import { ApiKeys } from "../../../src/accounts/store/ApiKeys.ts"
import { Resolutions } from "../../../src/accounts/store/Resolutions.ts"
import { giveCertificate } from "../authority/LiveAccounts.ts"

/* The two initial accounts of the service in memory and of the service on PostgreSQL. */

/** Start of every test in memory, in milliseconds: ten in the morning in the authority's time zone. */
export const startOfTest = Date.parse("2026-11-21T15:00:00.000Z")

const body = (letter: string) => letter.repeat(26)
export const account = AccountId.make(`ten_${body("a")}`)
export const otherAccount = AccountId.make(`ten_${body("b")}`)
export const testMode: AccountMode = { account_id: account, livemode: false }

const key = (mode: KeyMode, byte: number) => makeApiKey(mode, new Uint8Array(32).fill(byte))
export const keys = {
  test: key("test", 1),
  secondTest: key("test", 2),
  live: key("live", 3),
  revoked: key("test", 4),
  unknown: key("test", 5),
  otherAccount: key("test", 6)
}

export const firstNumber = 990_000_000n

const range = {
  number: "18760000001",
  document_type: "invoice",
  registered: false,
  prefix: "SETP",
  from_number: firstNumber,
  to_number: 995_000_000n,
  valid_from: "2019-01-19",
  valid_to: "2030-01-19",
  technical_key: "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c",
  is_active: true,
  next_number: firstNumber,
  held_since: null
} as const

/** The numbering range of an account's mode. */
export const rangeId = ({ account_id, livemode }: AccountMode) =>
  ResolutionId.make(`res_${account_id.slice(4, 29)}${livemode ? 1 : 0}`)

export const apiKeyIds = {
  test: ApiKeyId.make(`key_${body("a")}`),
  secondTest: ApiKeyId.make(`key_${body("b")}`),
  live: ApiKeyId.make(`key_${body("c")}`),
  revoked: ApiKeyId.make(`key_${body("d")}`),
  otherAccount: ApiKeyId.make(`key_${body("e")}`)
}

// All tests of this process share one key pair: creating one takes longer than most tests.
const pem = Effect.runSync(Effect.cached(makeSelfSigned("Folio test", new Date(startOfTest))))
// Signs in this thread: a signature in another thread takes real time, while the test's clock runs through the
// time-outs of every attempt.
export const certificate = Layer.effect(
  SandboxCertificate,
  Effect.map(pem, (text) => ({
    ...fromPem(text),
    sign: (bytes: Uint8Array) => Effect.sync(() => sign("sha256", bytes, text))
  }))
)

/** Two accounts with keys and numbering ranges, in the tests' store. */
export const seed = Layer.effectDiscard(
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const apiKeys = yield* ApiKeys
    const resolutions = yield* Resolutions
    const created_at = new Date(yield* Clock.currentTimeMillis)

    for (const id of [account, otherAccount]) {
      yield* accounts.insert({
        id,
        name: "Cuenta",
        issuer: colombianSandbox.issuer,
        default_version: "2026-01-01",
        created_at,
        live: true
      })
      yield* accounts.update({ account_id: id, livemode: true }, (row) =>
        Effect.succeed({ ...row, issuer: { ...colombianSandbox.issuer, vat_responsible: true } })
      )
      for (const livemode of [false, true]) {
        const accountMode = { account_id: id, livemode }
        yield* resolutions.insert({ ...accountMode, id: rangeId(accountMode), ...range, created_at })
      }
    }
    yield* giveCertificate(account, yield* pem)
    for (const name of Object.keys(apiKeyIds) as Array<keyof typeof apiKeyIds>) {
      const id = apiKeyIds[name]
      const account_id = name === "otherAccount" ? otherAccount : account
      yield* apiKeys.insert({ id, account_id, mode: name === "live" ? "live" : "test", key: keys[name], created_at })
      if (name === "revoked") yield* apiKeys.revoke({ ...testMode, id }, { evenTheLast: true })
    }
  })
)
