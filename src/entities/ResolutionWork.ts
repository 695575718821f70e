import { Clock, Context, Effect, Layer } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import type { ResolutionRequest, ResolutionUpdate } from "../../schemas/Resolution.ts"
import { localDate } from "../domain/AuthorityTime.ts"
import { resolutionViolations } from "../domain/ResolutionRules.ts"
import type { RequestContext } from "../protocol/AccountEntity.ts"
import { AuditLog } from "../store/AuditLog.ts"
import { IdempotencyKeys, type Outcome } from "../store/IdempotencyKeys.ts"
import { Ids } from "../store/Ids.ts"
import { type ResolutionKey, Resolutions, resolutionView, type StoredResolution } from "../store/Resolutions.ts"
import { claimOf, created, optionalClaim } from "./AccountWork.ts"

/** What an account's actor does with its numbering ranges. Drafts that come after a commit are numbered from what it left. */
export class ResolutionWork extends Context.Service<
  ResolutionWork,
  {
    readonly create: (
      of: AccountMode,
      context: RequestContext,
      request: ResolutionRequest
    ) => Effect.Effect<Outcome, ApiError>
    readonly update: (
      key: ResolutionKey,
      context: RequestContext,
      patch: ResolutionUpdate
    ) => Effect.Effect<Outcome, ApiError>
  }
>()("folio/entities/ResolutionWork") {
  static readonly layer = Layer.effect(
    ResolutionWork,
    Effect.gen(function* () {
      const audit = yield* AuditLog
      const ids = yield* Ids
      const keys = yield* IdempotencyKeys
      const resolutions = yield* Resolutions

      const create: ResolutionWork["Service"]["create"] = Effect.fn("ResolutionWork.create")(
        function* (of, context, request) {
          const claim = yield* claimOf(context)
          const register = Effect.gen(function* () {
            const [first, ...rest] = resolutionViolations(request)
            if (first !== undefined) return yield* ApiError.fromViolations([first, ...rest])
            const now = yield* Clock.currentTimeMillis
            const id = yield* ids.resolution
            const { document_type = "invoice", from_number, next_number = from_number, to_number, ...grant } = request
            const resolution: StoredResolution = {
              ...of,
              id,
              ...grant,
              document_type,
              from_number: BigInt(from_number),
              to_number: BigInt(to_number),
              next_number: BigInt(next_number),
              is_active: true,
              created_at: new Date(now)
            }
            yield* resolutions.register(resolution)
            yield* audit.record(of, context, "resolution.created", id)
            return created(`/v1/resolutions/${id}`, resolutionView(resolution, localDate(now)))
          })
          return yield* keys.once(of, claim, register)
        }
      )

      const update: ResolutionWork["Service"]["update"] = Effect.fn("ResolutionWork.update")(
        function* (key, context, patch) {
          const change = Effect.gen(function* () {
            const row = yield* resolutions.update(key, patch)
            yield* audit.record(key, context, "resolution.updated", key.id, { changed: Object.keys(patch) })
            const today = localDate(yield* Clock.currentTimeMillis)
            return { status: 200, location: null, body: JSON.stringify(resolutionView(row, today)) }
          })
          return yield* keys.once(key, optionalClaim(context), change)
        }
      )

      return ResolutionWork.of({ create, update })
    })
  )
}
