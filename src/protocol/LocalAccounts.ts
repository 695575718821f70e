import { Clock, Context, Duration, Effect, Layer, type Scope } from "effect"
import type { ApiError } from "../../schemas/ApiError.ts"
import type { Answered, CommandTag, Payload } from "./AccountEntity.ts"

/** The commands of one account's actor. */
export type AccountCommands = {
  readonly [Tag in CommandTag]: (payload: Payload<Tag>) => Effect.Effect<Answered, ApiError>
}

// Less than the time after which an actor without messages ends: an actor that is asked here stays alive by a message now and then.
const messageEveryMs = Duration.toMillis("20 seconds")

interface Local {
  readonly commands: AccountCommands
  messageAt: number
}

/**
 * The account actors of this process. A command is handed to such an actor as a value: a message would be encoded, checked again and
 * answered by five more fibers. None by default: then each command is a message.
 */
export class LocalAccounts extends Context.Reference<{
  /** Makes the actor's commands known until the scope closes. Gives what the actor calls for each command that came as a message. */
  readonly offer: (address: string, commands: AccountCommands) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  /** The commands of the account's actor; undefined if it has to be sent a message. */
  readonly find: (address: string) => Effect.Effect<AccountCommands | undefined>
}>("folio/protocol/LocalAccounts", {
  defaultValue: () => ({ offer: () => Effect.succeed(Effect.void), find: () => Effect.undefined })
}) {
  static readonly layer = Layer.sync(LocalAccounts, () => {
    const all = new Map<string, Local>()
    return {
      offer: Effect.fnUntraced(function* (address, commands) {
        const local = { commands, messageAt: yield* Clock.currentTimeMillis }
        yield* Effect.acquireRelease(
          Effect.sync(() => all.set(address, local)),
          // A later actor of the account may have taken over.
          () => Effect.sync(() => all.get(address) === local && all.delete(address))
        )
        return Clock.clockWith((clock) => Effect.sync(() => void (local.messageAt = clock.currentTimeMillisUnsafe())))
      }),
      find: (address) =>
        Clock.clockWith((clock) => {
          const local = all.get(address)
          const isFresh = local !== undefined && clock.currentTimeMillisUnsafe() - local.messageAt < messageEveryMs
          return Effect.succeed(isFresh ? local.commands : undefined)
        })
    }
  })
}
