import { Context, Effect, Layer } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import type { RequestContext } from "../protocol/AccountEntity.ts"
import * as AccountTurns from "../protocol/AccountTurns.ts"
import { accountAddress } from "../protocol/Address.ts"
import { Limits } from "../settings/Limits.ts"

/**
 * The turns of commands that each have a transaction, and so a connection, of their own: all commands but the creation of invoices
 * and customers, which share statements. An account's commands often wait for the same row: here they wait without a connection,
 * and leave the process's connections to other accounts.
 */
export class CommandTurns extends Context.Service<CommandTurns>()("folio/commands/CommandTurns", {
  make: Effect.map(Limits, ({ commands }) => {
    const inTurn = AccountTurns.make({ what: "command", ...commands })
    return {
      /** Carries out a command when its turn comes. The turn is asked for before the command's transaction begins. */
      inTurn: <A, E, R>(account: AccountMode, { api_key_id }: RequestContext, command: Effect.Effect<A, E, R>) =>
        inTurn({ owner: accountAddress(account), asker: api_key_id }, command)
    }
  })
}) {
  static readonly layer = Layer.effect(CommandTurns, CommandTurns.make)
}
