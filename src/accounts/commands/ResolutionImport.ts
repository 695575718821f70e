import { Clock, Effect, Option, Result, Schema } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { type Resolution, type ResolutionImport, ResolutionRequest } from "../../../schemas/Resolution.ts"
import { NationalProfile, type Rules } from "../../documents/NationalProfile.ts"
import { issuerLack } from "../../invoices/enablement/LiveSteps.ts"
import { Signing } from "../../invoices/Signing.ts"
import { Authority, type AuthorityRange } from "../../invoices/authority/Authority.ts"
import { Accounts } from "../store/Accounts.ts"
import { newRange, Resolutions, resolutionView, type StoredResolution } from "../store/Resolutions.ts"
import { Softwares } from "../store/Softwares.ts"
import { Ids } from "../../database/Ids.ts"
import { askedAuthority, askedCaller, notLive } from "../AskedAuthority.ts"
import { liveKeyNeeded } from "./CertificateCommands.ts"
import * as Command from "../Command.ts"

// Shorter than a request's wait for its actor.
const timeoutMs = 9_000

const asked = { what: "ranges", timeoutMs, retry: "Retry with the same Idempotency-Key." }

const identity = ["number", "prefix", "from_number", "to_number"] as const

/** The command that registers the numbering ranges that the authority has granted, with the authority's data. */
export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const authority = yield* Authority
  const ids = yield* Ids
  const { localDate, rules } = yield* NationalProfile
  const resolutions = yield* Resolutions
  const signing = yield* Signing
  const softwares = yield* Softwares

  const granted = Effect.fnUntraced(function* (account: AccountMode) {
    const { ranges } = authority
    if (ranges === undefined) {
      return yield* notLive(
        "This service has no live authority to import ranges from: the operator must set AUTHORITY_URL."
      )
    }
    const { issuer } = yield* accounts.get(account)
    if (issuer === null) return yield* notLive(`Folio cannot import ranges from the authority yet: ${issuerLack}.`)
    const certificate = yield* askedCaller(signing.liveCaller(account.account_id), asked)
    // Doesn't send the PIN, because the authority doesn't need it.
    const software = Option.match(yield* softwares.current(account.account_id), {
      onNone: () => ({}),
      onSome: ({ id, provider }) => ({ software: { id, provider } })
    })
    const asking = { issuer_nit: issuer.identification.number, certificate, ...software }
    return yield* askedAuthority(ranges(asking), asked)
  })

  /** Registers a range, or finds it registered. Otherwise fails with the reason. Part of the caller's transaction. */
  const register = Effect.fnUntraced(function* (
    account: AccountMode,
    range: AuthorityRange,
    known: ReadonlyArray<StoredResolution>,
    now: number
  ) {
    const request = yield* Effect.fromResult(requestOf(range, rules))
    const row = newRange({ ...account, id: yield* ids.resolution }, request, now)
    const same = known.find((one) => identity.every((field) => one[field] === row[field]))
    if (same !== undefined) return { row: same, isNew: false }
    yield* Effect.mapError(resolutions.register(row), ({ message }) => message)
    return { row, isNew: true }
  })

  const ImportResolutions = Command.alone("ImportResolutions", {
    // The call to the authority comes before the command's turn and transaction, so that neither waits for the
    // authority.
    isBeforeLong: true,
    // The response holds the technical keys of the ranges.
    isSecret: true,
    before: function* (account) {
      if (!account.livemode) return yield* liveKeyNeeded("The sandbox has its range from the start.")
      return yield* granted(account)
    },
    run: function* (account, _payload, ranges) {
      const now = yield* Clock.currentTimeMillis
      const known = yield* resolutions.locked(account)
      const data: Array<Resolution> = []
      const skipped: Array<ResolutionImport["skipped"][number]> = []
      const audit: Array<Command.AuditEntry> = []
      for (const range of ranges) {
        const result = yield* Effect.result(register(account, range, known, now))
        if (Result.isFailure(result)) {
          skipped.push({ number: range.number, prefix: range.prefix, message: result.failure })
          continue
        }
        const { isNew, row } = result.success
        if (isNew) audit.push(["resolution.imported", row.id])
        data.push(resolutionView(row, localDate(now)))
      }
      const body: ResolutionImport = { object: "list", url: "/v1/resolutions", has_more: false, data, skipped }
      return { answer: Command.ok(body), audit, changesRanges: true }
    }
  })

  return { ImportResolutions }
})

const decode = Schema.decodeUnknownResult(ResolutionRequest)

// For a new resolution, the authority often shows another, shorter key. A CUFE needs a key of 40 hex digits.
const isTechnicalKey = (key: string) => /^[0-9a-f]{40}$/.test(key)

/** Converts the authority's range to a registration request. Fails with a message that names the fault of the range. */
const requestOf = (range: AuthorityRange, rules: Rules): Result.Result<ResolutionRequest, string> => {
  if (!isTechnicalKey(range.technical_key)) {
    return Result.fail(
      "The authority gave no technical_key of 40 hex digits for this range. Contact the authority, and import again."
    )
  }
  return Result.flatMap(
    Result.mapError(
      decode({ ...range, from_number: Number(range.from_number), to_number: Number(range.to_number) }),
      (error) => `The authority's data of this range cannot be used: ${error.message.replaceAll(/\s+/g, " ")}`
    ),
    (request) => {
      const [first] = rules.resolution(request)
      return first === undefined ? Result.succeed(request) : Result.fail(first.message)
    }
  )
}
