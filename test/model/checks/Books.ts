import { Effect } from "effect"
import { AccountId, ResolutionId } from "../../../schemas/Id.ts"
import type { NumberForm } from "../../../src/documents/rules/FullNumber.ts"
import { makeApiKey } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { Accounts } from "../../../src/accounts/store/Accounts.ts"
import { ApiKeys } from "../../../src/accounts/store/ApiKeys.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { newRange, Resolutions } from "../../../src/accounts/store/Resolutions.ts"
import { colombianSandbox, type Sandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import { giveCertificate } from "../../support/authority/LiveAccounts.ts"
import type { Book } from "../worlds/World.ts"

const body = (letter: string) => letter.repeat(26)
const account = AccountId.make(`ten_${body("a")}`)
const otherAccount = AccountId.make(`ten_${body("b")}`)
const key = (mode: "test" | "live", byte: number) => makeApiKey(mode, new Uint8Array(32).fill(byte))

/** The books of a country, whose numbers begin where its sandbox's numbers begin. */
export const booksOf = ({ range }: Sandbox, numbering: NumberForm): ReadonlyArray<Book> => {
  const { prefix } = range
  const from = BigInt(range.from_number ?? 1)
  const test = { livemode: false, prefix, from, numbering }
  return [
    { ...test, account_id: account, to: from + 999n, apiKeys: [key("test", 1), key("test", 2)] },
    { account_id: account, livemode: true, prefix: "FE", from: 1n, to: 999n, numbering, apiKeys: [key("live", 3)] },
    { ...test, account_id: otherAccount, to: from + 2n, apiKeys: [key("test", 4)] }
  ]
}

/** Two Colombian accounts. The first has both modes and two test keys. The other one's range has only three numbers. */
export const books = booksOf(colombianSandbox, { separator: "", digits: 0 })

/**
 * Creates the books' accounts, ranges and keys in an empty store. Requires the store's account services.
 *
 * @param created_at their time of creation
 * @param pem the key and certificate that sign live documents, in PEM
 * @param sandbox the national profile's sandbox; the Colombian one if omitted
 */
export const seedBooks = Effect.fnUntraced(function* (
  created_at: Date,
  pem: string,
  sandbox: Sandbox = colombianSandbox
) {
  const accounts = yield* Accounts
  const apiKeys = yield* ApiKeys
  const ids = yield* Ids
  const resolutions = yield* Resolutions
  const insert = { name: "Cuenta", default_version: "2026-01-01", created_at, live: true } as const
  // A live account must state this before it can issue.
  const issuer = { ...sandbox.issuer, vat_responsible: true }
  yield* accounts.insert({ ...insert, id: account, issuer })
  // Two issuers with one identification would produce equal codes.
  const identification =
    sandbox === colombianSandbox
      ? ({ type: "31", number: "800197268", check_digit: "4" } as const)
      : sandbox.customer.identification
  yield* accounts.insert({ ...insert, id: otherAccount, issuer: { ...issuer, identification } })
  yield* giveCertificate(account, pem)
  for (const book of booksOf(sandbox, { separator: "", digits: 0 })) {
    const { account_id, livemode, prefix } = book
    const id = ResolutionId.make(`res_${account_id.slice(4, 29)}${livemode ? 1 : 0}`)
    const range = newRange({ account_id, livemode, id }, sandbox.range, created_at.getTime())
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
