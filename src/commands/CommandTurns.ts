import { Context, Effect, Layer } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import type { RequestContext } from "../protocol/AccountEntity.ts"
import * as AccountTurns from "../protocol/AccountTurns.ts"
import { accountAddress } from "../protocol/Address.ts"

/**
 * How many commands this process carries out at a time, in all (`atOnce`) and of one account (`ofOwnerAtOnce`), how many may
 * wait for their turn, and how long.
 */
export class CommandTurnLimits extends Context.Service<CommandTurnLimits, Omit<AccountTurns.TurnOptions, "what">>()(
  "@folio-einvoicing/service/CommandTurnLimits"
) {
  /** The values of `npm start`. */
  static readonly defaults: CommandTurnLimits["Service"] = {
    // Fewer than the database connections, so that reads and creation go on even while a few accounts' commands take all turns.
    atOnce: 6,
    // More than one, so that a slow command of an account does not block the account's other commands.
    ofOwnerAtOnce: 2,
    // Large enough that a burst of one API key waits and is not refused.
    waiting: { ofAsker: 512, ofOwner: 1_024, inAll: 8_192 },
    // A request waits 12 s for its actor, and a command may wait 3 s of them for the lock of its row.
    maxWait: "8 seconds"
  }

  /** The defaults, but for what is given. */
  static layer(change: Partial<CommandTurnLimits["Service"]> = {}) {
    return Layer.succeed(CommandTurnLimits, { ...CommandTurnLimits.defaults, ...change })
  }
}

/**
 * The turns of commands that each have a transaction, and so a connection, of their own: all commands but the creation of invoices
 * and customers, which share statements. An account's commands often wait for the same row: here they wait without a connection,
 * and leave the process's connections to other accounts.
 */
export class CommandTurns extends Context.Service<CommandTurns>()("folio/commands/CommandTurns", {
  make: Effect.map(CommandTurnLimits, (limits) => {
    const inTurn = AccountTurns.make({ what: "command", ...limits })
    return {
      /** Carries out a command when its turn comes. The turn is asked for before the command's transaction begins. */
      inTurn: <A, E, R>(account: AccountMode, { api_key_id }: RequestContext, command: Effect.Effect<A, E, R>) =>
        inTurn({ owner: accountAddress(account), asker: api_key_id }, command)
    }
  })
}) {
  static readonly layer = Layer.effect(CommandTurns, CommandTurns.make)
}
