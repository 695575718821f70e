import { Context, Duration, Effect, Layer, type Option } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { accountAddress } from "../runtime/Address.ts"
import * as Turns from "../runtime/turns/Turns.ts"
import { Limits } from "../runtime/Limits.ts"

// Shorter than the alarm of a document in progress. After this time the document waits for its row's alarm, and its
// actor is free.
const maxWait = Duration.seconds(3)

/**
 * Turns for calls to the authority, separate for test and live mode. They limit the number of calls to a slow
 * authority, and leave turns for other accounts.
 */
export class AuthorityTurns extends Context.Service<AuthorityTurns>()("folio/invoices/AuthorityTurns", {
  make: Effect.map(Limits, ({ authority }) => {
    const [test, live] = [Turns.make(authority), Turns.make(authority)]
    const turnsOf = ({ livemode }: AccountMode) => (livemode ? live : test)
    return {
      /** Runs a call in its turn; none if no turn comes within 3 s. After its start, a call has no time-out here. */
      inTurn: <A, E, R>(account: AccountMode, call: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
        turnsOf(account).inTurn(Turns.askerOf(account), Effect.asSome(call), {
          maxWait,
          late: () => Effect.succeedNone
        }),
      /** Runs at most `most` calls, in turns that are free now. Each call returns its own turn. */
      withFree: <A, E, R>(
        account: AccountMode,
        most: number,
        use: (free: number, giveBack: Effect.Effect<void>) => Effect.Effect<A, E, R>
      ): Effect.Effect<A, E, R> =>
        Effect.suspend(() => {
          const owner = accountAddress(account)
          const turns = turnsOf(account)
          let left = 0
          const end = (count: number) => {
            left -= count
            turns.end(owner, count)
          }
          const take = Effect.sync(() => (left = turns.takeFree(owner, most)))
          const giveBack = Effect.sync(() => end(Math.min(left, 1)))
          return Effect.acquireUseRelease(
            take,
            (free) => use(free, giveBack),
            () => Effect.sync(() => end(left))
          )
        })
    }
  })
}) {
  static readonly layer = Layer.effect(AuthorityTurns, AuthorityTurns.make)
}
