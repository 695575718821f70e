import { Context, Effect, Layer, Option } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import type { ApiError } from "../../schemas/ApiError.ts"
import type { AdvanceRequest, AuthorityModeRequest, ClockAdvance, SandboxAuthority } from "../../schemas/TestHelper.ts"
import type { RequestContext } from "../protocol/AccountEntity.ts"
import { IdempotencyKeys, type Outcome } from "../store/IdempotencyKeys.ts"
import { SandboxAuthorities } from "../store/SandboxAuthorities.ts"
import { optionalClaim } from "./AccountWork.ts"

/** What the actor of an account's test mode does for those who try out how trouble looks. */
export class SandboxWork extends Context.Service<
  SandboxWork,
  {
    readonly setMode: (
      of: AccountMode,
      context: RequestContext,
      request: AuthorityModeRequest
    ) => Effect.Effect<Outcome, ApiError>
    readonly advance: (
      of: AccountMode,
      context: RequestContext,
      request: AdvanceRequest
    ) => Effect.Effect<Outcome, ApiError>
  }
>()("folio/entities/SandboxWork") {
  static readonly layer = Layer.effect(
    SandboxWork,
    Effect.gen(function* () {
      const keys = yield* IdempotencyKeys
      const authorities = yield* SandboxAuthorities

      const setMode: SandboxWork["Service"]["setMode"] = Effect.fn("SandboxWork.setMode")((of, context, { mode }) =>
        keys.once(
          of,
          optionalClaim(context),
          Effect.as(
            authorities.setMode(of.account_id, mode),
            answer({ object: "sandbox_authority", mode } satisfies SandboxAuthority)
          )
        )
      )

      // The sweeper finds within a second what is due now.
      const advance: SandboxWork["Service"]["advance"] = Effect.fn("SandboxWork.advance")(function* (
        of,
        context,
        { seconds }
      ) {
        const claim = optionalClaim(context)
        const done = answer({ object: "clock_advance", seconds } satisfies ClockAdvance)
        const move = authorities.advance(of.account_id, seconds)
        if (!(yield* authorities.isMuchToAdvance(of.account_id)))
          return yield* keys.once(of, claim, Effect.as(move, done))
        // In portions before the transaction, which would hold all of their rows until its end. If the process dies among them,
        // the repeated request is carried out anew, and what had been moved moves once more.
        const stored = claim === null ? Option.none() : yield* keys.lookup(claim)
        if (Option.isSome(stored)) return { answer: stored.value, replayed: true }
        yield* move
        return yield* keys.once(of, claim, Effect.succeed(done))
      })

      return SandboxWork.of({ setMode, advance })
    })
  )
}

const answer = (body: object) => ({ status: 200, location: null, body: JSON.stringify(body) })
