import { Effect } from "effect"
import { AccountId, ResolutionId } from "../../schemas/Id.ts"
import { makeApiKey } from "../../src/domain/ApiKeyFormat.ts"
import { Accounts } from "../../src/store/Accounts.ts"
import { ApiKeys } from "../../src/store/ApiKeys.ts"
import { Ids } from "../../src/store/Ids.ts"
import { Resolutions } from "../../src/store/Resolutions.ts"
import { giveCertificate } from "../support/LiveAccounts.ts"
import type { Book } from "./World.ts"

const body = (letter: string) => letter.repeat(26)
const account = AccountId.make(`ten_${body("a")}`)
const otherAccount = AccountId.make(`ten_${body("b")}`)
const key = (mode: "test" | "live", byte: number) => makeApiKey(mode, new Uint8Array(32).fill(byte))

const from = 990_000_000n

/** Two accounts, one of them with both modes and with two test keys; the other one's numbers come to an end. */
export const books: ReadonlyArray<Book> = [
  {
    account_id: account,
    livemode: false,
    prefix: "SETP",
    from,
    to: from + 999n,
    apiKeys: [key("test", 1), key("test", 2)]
  },
  { account_id: account, livemode: true, prefix: "FE", from: 1n, to: 999n, apiKeys: [key("live", 3)] },
  { account_id: otherAccount, livemode: false, prefix: "SETP", from, to: from + 2n, apiKeys: [key("test", 4)] }
]

const issuer = (number: string, check_digit: string) =>
  ({
    identification: { type: "31", number, check_digit },
    legal_name: "Folio Sandbox S.A.S.",
    organization_type: "1",
    email: "facturas@folio.test",
    address: "Carrera 7 71-21",
    city_code: "11001",
    department_code: "11",
    country_code: "CO",
    tax_responsibilities: ["R-99-PN"]
  }) as const

/** Makes the books' accounts, ranges and keys, in an empty store. */
export const seedBooks = Effect.fnUntraced(function* (created_at: Date, pem: string) {
  const accounts = yield* Accounts
  const apiKeys = yield* ApiKeys
  const ids = yield* Ids
  const resolutions = yield* Resolutions
  const insert = { name: "Cuenta", default_version: "2026-01-01", created_at, live: true } as const
  yield* accounts.insert({ ...insert, id: account, issuer: issuer("900373115", "3") })
  yield* accounts.insert({ ...insert, id: otherAccount, issuer: issuer("800197268", "4") })
  yield* giveCertificate(account, pem)
  for (const book of books) {
    const { account_id, livemode, prefix } = book
    yield* resolutions.insert({
      account_id,
      livemode,
      id: ResolutionId.make(`res_${account_id.slice(4, 29)}${livemode ? 1 : 0}`),
      number: "18760000001",
      document_type: "invoice",
      prefix,
      from_number: book.from,
      to_number: book.to,
      valid_from: "2019-01-19",
      valid_to: "2030-01-19",
      technical_key: "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c",
      is_active: true,
      next_number: book.from,
      created_at
    })
    for (const apiKey of book.apiKeys) {
      yield* apiKeys.insert({
        id: yield* ids.apiKey,
        account_id,
        mode: livemode ? "live" : "test",
        key: apiKey,
        created_at
      })
    }
  }
})
