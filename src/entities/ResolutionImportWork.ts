import { Clock, Context, Duration, Effect, Layer, Option, Result, Schema } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import { type Resolution, type ResolutionImport, ResolutionRequest } from "../../schemas/Resolution.ts"
import { localDate } from "../domain/AuthorityTime.ts"
import { resolutionViolations } from "../domain/ResolutionRules.ts"
import { Authority, type AuthorityRange } from "../outbound/Authority.ts"
import type { RequestContext } from "../protocol/AccountEntity.ts"
import { Accounts } from "../store/Accounts.ts"
import { AuditLog } from "../store/AuditLog.ts"
import { IdempotencyKeys, type Outcome } from "../store/IdempotencyKeys.ts"
import { Ids } from "../store/Ids.ts"
import { Resolutions, resolutionView, type StoredResolution } from "../store/Resolutions.ts"
import { claimOf } from "./AccountWork.ts"
import { liveKeyNeeded } from "./CertificateWork.ts"
import { CommandTurns } from "./CommandTurns.ts"
import { DocumentSigning } from "./DocumentSigning.ts"
import { issuerLack } from "./LiveReadiness.ts"

// Less than a request waits for its actor.
const patience = Duration.seconds(9)

const notLive = (message: string) => new ApiError({ code: "account_not_live", message })

/** Registers what the authority has granted, as the authority says it. */
export class ResolutionImportWork extends Context.Service<
  ResolutionImportWork,
  {
    readonly import: (of: AccountMode, context: RequestContext) => Effect.Effect<Outcome, ApiError>
  }
>()("folio/entities/ResolutionImportWork") {
  static readonly layer = Layer.effect(
    ResolutionImportWork,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const audit = yield* AuditLog
      const authority = yield* Authority
      const ids = yield* Ids
      const keys = yield* IdempotencyKeys
      const resolutions = yield* Resolutions
      const signing = yield* DocumentSigning
      const turns = yield* CommandTurns

      const granted = Effect.fnUntraced(function* (of: AccountMode) {
        if (authority.ranges === undefined) {
          return yield* notLive(
            "There is no live authority to ask for ranges: the service's operator sets AUTHORITY_URL."
          )
        }
        const { issuer } = yield* accounts.get(of)
        if (issuer === null) return yield* notLive(`Nobody can be asked for ranges yet: ${issuerLack}.`)
        const certificate = yield* Effect.mapError(signing.liveCertificate(of.account_id), ({ message }) =>
          notLive(message)
        )
        return yield* authority.ranges({ issuer_nit: issuer.identification.number, certificate }).pipe(
          Effect.timeout(patience),
          Effect.mapError((error) =>
            error._tag === "AuthorityRefusal"
              ? notLive(`The authority gives no ranges: ${error.message}`)
              : new ApiError({
                  code: "service_unavailable",
                  message: `The authority could not be asked (${error._tag === "TimeoutError" ? "no answer in time" : error.message}). Retry with the same Idempotency-Key.`,
                  headers: { "Retry-After": "30", "Svc-Should-Retry": "true" }
                })
          )
        )
      })

      /** The range as it is registered after this; fails with why it is not. Part of the caller's transaction. */
      const register = Effect.fnUntraced(function* (
        of: AccountMode,
        range: AuthorityRange,
        known: ReadonlyArray<StoredResolution>,
        now: number
      ) {
        const { from_number, to_number, ...grant } = yield* Effect.fromResult(requestOf(range))
        const bounds = { from_number: BigInt(from_number), to_number: BigInt(to_number) }
        const same = known.find(
          (one) =>
            one.number === grant.number &&
            one.prefix === grant.prefix &&
            one.from_number === bounds.from_number &&
            one.to_number === bounds.to_number
        )
        if (same !== undefined) return { row: same, isNew: false }
        const row: StoredResolution = {
          ...of,
          id: yield* ids.resolution,
          ...grant,
          ...bounds,
          document_type: "invoice",
          next_number: bounds.from_number,
          is_active: true,
          created_at: new Date(now)
        }
        yield* Effect.mapError(resolutions.register(row), ({ message }) => message)
        return { row, isNew: true }
      })

      const importAll: ResolutionImportWork["Service"]["import"] = Effect.fn("ResolutionImportWork.import")(
        function* (of, context) {
          if (!of.livemode) return yield* liveKeyNeeded("The sandbox's range is there from the start.")
          const claim = yield* claimOf(context)
          const stored = yield* keys.lookup(claim)
          if (Option.isSome(stored)) return { answer: stored.value, replayed: true }
          // Before the transaction and its turn, which must not wait for anybody else.
          const ranges = yield* granted(of)
          const registerAll = Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const known = yield* resolutions.locked(of)
            const data: Array<Resolution> = []
            const skipped: Array<ResolutionImport["skipped"][number]> = []
            for (const range of ranges) {
              const result = yield* Effect.result(register(of, range, known, now))
              if (Result.isFailure(result)) {
                skipped.push({ number: range.number, prefix: range.prefix, message: result.failure })
                continue
              }
              const { isNew, row } = result.success
              if (isNew) yield* audit.record(of, context, "resolution.imported", row.id)
              data.push(resolutionView(row, localDate(now)))
            }
            const body: ResolutionImport = { object: "list", url: "/v1/resolutions", has_more: false, data, skipped }
            return { status: 200, location: null, body: JSON.stringify(body) }
          })
          return yield* turns.inTurn(of, context, keys.once(of, claim, registerAll))
        }
      )

      return ResolutionImportWork.of({ import: importAll })
    })
  )
}

const decode = Schema.decodeUnknownResult(ResolutionRequest)

// The shown key of a fresh resolution is often another, shorter one: only 40 hex digits make a CUFE.
const isTechnicalKey = (key: string) => /^[0-9a-f]{40}$/.test(key)

/** The range as a request would register it; fails with what is wrong with it. */
const requestOf = (range: AuthorityRange): Result.Result<ResolutionRequest, string> => {
  if (!isTechnicalKey(range.technical_key)) {
    return Result.fail(
      "The authority gave no technical_key of 40 hex digits with it. Ask the authority, and import again."
    )
  }
  return Result.flatMap(
    Result.mapError(
      decode({ ...range, from_number: Number(range.from_number), to_number: Number(range.to_number) }),
      (error) => `The authority's own record of it cannot be used: ${error.message.replaceAll(/\s+/g, " ")}`
    ),
    (request) => {
      const [first] = resolutionViolations(request)
      return first === undefined ? Result.succeed(request) : Result.fail(first.message)
    }
  )
}
