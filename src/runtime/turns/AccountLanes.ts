import { Context, Effect, Scheduler } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { accountAddress } from "../Address.ts"

/**
 * Makes the scheduler of an account's fibers from its address. By default fibers run in the order in which they became
 * ready.
 */
export class AccountLanes extends Context.Reference<((address: string) => Scheduler.Scheduler) | undefined>(
  "folio/runtime/turns/AccountLanes",
  { defaultValue: () => undefined }
) {}

/** Runs an effect, and the fibers that it starts, in the account's lane. Accounts with ready fibers take turns. */
export const inLane =
  (account: AccountMode) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(AccountLanes, (laneOf) =>
      laneOf === undefined
        ? effect
        : Effect.provideService(effect, Scheduler.Scheduler, laneOf(accountAddress(account)))
    )

/** In a busy process, waits until the fibers that are ready now have run. In an idle process, ends immediately. */
export class ReadyFibersRun extends Context.Reference<Effect.Effect<void>>(
  "folio/runtime/turns/AccountLanes/ReadyFibersRun",
  {
    defaultValue: () => Effect.void
  }
) {}
