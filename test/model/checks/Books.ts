import { Effect } from "effect"
import { AccountId, ResolutionId } from "../../../schemas/Id.ts"
import { makeApiKey } from "../../../src/domain/accounts/ApiKeyFormat.ts"
import { Accounts } from "../../../src/store/accounts/Accounts.ts"
import { ApiKeys } from "../../../src/store/accounts/ApiKeys.ts"
import { Ids } from "../../../src/store/sql/Ids.ts"
import { newRange, Resolutions } from "../../../src/store/accounts/Resolutions.ts"
import { colombianSandbox } from "../../../src/domain/accounts/Sandbox.ts"
import { giveCertificate } from "../../support/authority/LiveAccounts.ts"
import type { Book } from "../worlds/World.ts"

const body = (letter: string) => letter.repeat(26)
const account = AccountId.make(`ten_${body("a")}`)
const otherAccount = AccountId.make(`ten_${body("b")}`)
const key = (mode: "test" | "live", byte: number) => makeApiKey(mode, new Uint8Array(32).fill(byte))

const from = 990_000_000n

/**
 * Two accounts, one of them with both modes and with two test keys; the other one's numbers come to an end after three.
 *
 * @example
 * import { books } from "@folio-einvoicing/service/testing"
 *
 * const authorization = books.map(({ apiKeys }) => `Bearer ${apiKeys[0]}`)
 */
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

/**
 * Makes the books' accounts, ranges and keys, in an empty store. Asks for the store's services of accounts.
 *
 * @param created_at  when they were made
 * @param pem         the key and certificate that live documents are signed with, in PEM
 * @example
 * import { Effect } from "effect"
 * import { seedBooks } from "@folio-einvoicing/service/testing"
 *
 * const seed = (pem: string) => Effect.asVoid(seedBooks(new Date(), pem))
 */
export const seedBooks = Effect.fnUntraced(function* (created_at: Date, pem: string) {
  const accounts = yield* Accounts
  const apiKeys = yield* ApiKeys
  const ids = yield* Ids
  const resolutions = yield* Resolutions
  const insert = { name: "Cuenta", default_version: "2026-01-01", created_at, live: true } as const
  // A live account must say so before it issues anything.
  const issuer = { ...colombianSandbox.issuer, vat_responsible: true }
  yield* accounts.insert({ ...insert, id: account, issuer })
  const identification = { type: "31", number: "800197268", check_digit: "4" } as const
  yield* accounts.insert({ ...insert, id: otherAccount, issuer: { ...issuer, identification } })
  yield* giveCertificate(account, pem)
  for (const book of books) {
    const { account_id, livemode, prefix } = book
    const id = ResolutionId.make(`res_${account_id.slice(4, 29)}${livemode ? 1 : 0}`)
    const range = newRange({ account_id, livemode, id }, colombianSandbox.range, created_at.getTime())
    const numbers = { from_number: book.from, to_number: book.to, next_number: book.from }
    yield* resolutions.insert({ ...range, prefix, ...numbers })
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
