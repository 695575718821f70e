import { Context, Effect, Layer } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import type { ApiError } from "../../schemas/ApiError.ts"
import type { RequestContext } from "../protocol/AccountEntity.ts"
import * as AccountTurns from "../protocol/AccountTurns.ts"
import { accountAddress } from "../protocol/Address.ts"

/** How many commands this process carries out at a time, and how many may wait for it. */
export class CommandTurnLimits extends Context.Reference<Omit<AccountTurns.TurnOptions, "what">>(
  "folio/entities/CommandTurnLimits",
  {
    defaultValue: () => ({
      // Fewer than there are connections, and fewer than a few accounts can take: reads and creation go on beside them.
      atOnce: 6,
      // So that one which takes long leaves another its turn.
      ofOwnerAtOnce: 2,
      // A key's burst may wait.
      waiting: { ofAsker: 512, ofOwner: 1_024, inAll: 8_192 },
      // A request waits twelve seconds for its actor, and the row of a command may take three of them.
      patience: "8 seconds"
    })
  }
) {}

/**
 * The turns of commands that have a transaction, and so a connection, each for itself: all but the creation of invoices and
 * customers, which share theirs. An account's commands often wait for the same row: they do it without a connection here, and
 * leave those of the process to others.
 */
export class CommandTurns extends Context.Service<
  CommandTurns,
  {
    /** Carries out a command when its turn comes: to be asked for before its transaction begins. */
    readonly inTurn: <A, E, R>(
      of: AccountMode,
      context: RequestContext,
      command: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | ApiError, R>
  }
>()("folio/entities/CommandTurns") {
  static readonly layer = Layer.effect(
    CommandTurns,
    Effect.map(CommandTurnLimits, (limits) => {
      const inTurn = AccountTurns.make({ what: "command", ...limits })
      return CommandTurns.of({
        inTurn: (of, { api_key_id }, command) => inTurn({ owner: accountAddress(of), asker: api_key_id }, command)
      })
    })
  )
}
