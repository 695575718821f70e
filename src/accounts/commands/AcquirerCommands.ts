import { Clock, Effect, Option } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { KnownAcquirer } from "../../../schemas/Acquirer.ts"
import { SandboxCertificate } from "../../documents/signature/Certificate.ts"
import { storableText } from "../../runtime/json/Storable.ts"
import { makeTokenBuckets } from "../../runtime/json/TokenBuckets.ts"
import { issuerLack } from "../../invoices/enablement/LiveSteps.ts"
import { Signing } from "../../invoices/Signing.ts"
import { Authority, callerOf } from "../../invoices/authority/Authority.ts"
import * as AccountTurns from "../../runtime/turns/AccountTurns.ts"
import { accountAddress } from "../../runtime/Address.ts"
import { Accounts } from "../store/Accounts.ts"
import { Acquirers, type KnownAcquirer as Said } from "../store/Acquirers.ts"
import { askedAuthority, askedCaller, notLive, wordsMax } from "../AskedAuthority.ts"
import * as Command from "../Command.ts"

// Shorter than a request's wait for its actor, including the turn before it.
const timeoutMs = 7_000

const asked = { what: "acquirer", timeoutMs, retry: "Retry later." }

/** The limits of look-ups of acquirers in this process. */
const asking: AccountTurns.TurnOptions = {
  what: "acquirer",
  atOnce: 8,
  ofOwnerAtOnce: 2,
  waiting: { ofAsker: 8, ofOwner: 8, inAll: 64 },
  maxWait: "3 seconds"
}

/** Calls of one account: a burst of 60, and one more each second. */
const rate = { perSecond: 1, burst: 60 }
const accountsMax = 10_000

const tooOften = new ApiError({
  code: "rate_limited",
  message: "This account has looked up too many acquirers: the limit is 60, plus one each second. Retry in 1 s.",
  headers: { "Retry-After": "1" }
})

const kept = (text: string | null) => {
  const clean = text === null ? "" : storableText(text, wordsMax).trim()
  return clean === "" ? null : clean
}

/** Makes the command that looks up an acquirer at the authority, unless the acquirer was looked up within a day. */
export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const acquirers = yield* Acquirers
  const authority = yield* Authority
  const signing = yield* Signing
  const sandbox = yield* SandboxCertificate
  const inTurn = AccountTurns.make(asking)
  const buckets = makeTokenBuckets(rate, accountsMax)

  const ask = Effect.fnUntraced(function* (account: AccountMode, identification: Key) {
    const { acquirer } = authority
    if (acquirer === undefined || (account.livemode && authority.servesLive === false)) {
      return yield* notLive(
        "This service has no authority to look up acquirers at: the operator must set AUTHORITY_URL."
      )
    }
    const { issuer } = yield* accounts.get(account)
    if (issuer === null) return yield* notLive(`Folio cannot look up acquirers at the authority yet: ${issuerLack}.`)
    const certificate = account.livemode
      ? yield* askedCaller(signing.liveCaller(account.account_id), asked)
      : callerOf(sandbox)
    if (!buckets.take(accountAddress(account), yield* Clock.currentTimeMillis).allowed) return yield* tooOften
    const question = {
      livemode: account.livemode,
      issuer_nit: issuer.identification.number,
      certificate,
      ...identification
    }
    return yield* askedAuthority(acquirer(question), asked)
  })

  const said = Effect.fnUntraced(function* (account: AccountMode, identification: Key, asker: string) {
    const before = yield* acquirers.find(account, identification)
    if (Option.isSome(before)) return before.value
    const answer = yield* inTurn({ owner: accountAddress(account), asker }, ask(account, identification))
    const [name, email] = [kept(answer?.name ?? null), kept(answer?.email ?? null)]
    const found: Said = { found: name !== null || email !== null, name, email }
    yield* acquirers.keep(account, identification, found)
    return found
  })

  const FindAcquirer = Command.alone("FindAcquirer", {
    isBeforeLong: true,
    before: (account, { context, identification }) => said(account, identification, context.api_key_id),
    run: function* ({ livemode }, { identification }, { email, found, name }) {
      const { number, type } = identification
      if (!found) return yield* unknown(`${type}-${number}`)
      const body: KnownAcquirer = { object: "acquirer", livemode, identification: { type, number }, name, email }
      return { answer: Command.ok(body), audit: [] }
    }
  })

  return { FindAcquirer }
})

type Key = KnownAcquirer["identification"]

const unknown = (id: string) =>
  new ApiError({ code: "resource_missing", message: `The authority has no acquirer ${JSON.stringify(id)}.` })
