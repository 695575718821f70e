import { Clock, Context, Duration, Effect, Layer, type Scope } from "effect"
import type { ApiError } from "../../schemas/ApiError.ts"
import type { Answered, CommandTag, Payload } from "./AccountEntity.ts"

/** The commands of one account's actor. */
export type AccountCommands = {
  readonly [Tag in CommandTag]: (payload: Payload<Tag>) => Effect.Effect<Answered, ApiError>
}

// An actor without messages ends after a minute. Direct calls are no messages, so that the actor of a busy account needs one in time.
const messageEveryMs = Duration.toMillis("20 seconds")

interface Local {
  readonly commands: AccountCommands
  messageAt: number
}

/**
 * The account actors of this process. A request calls the commands of such an actor directly: a message would be validated again and
 * pass through the client, the mailbox and the server of the cluster. By default every command is a message.
 */
export class LocalAccounts extends Context.Reference<{
  /** Registers the actor's commands until the scope closes. */
  readonly offer: (address: string, commands: AccountCommands) => Effect.Effect<void, never, Scope.Scope>
  /** The commands of the account's actor. Undefined if the caller must send a message: every 20 s, or if the actor is not here. */
  readonly find: (address: string) => Effect.Effect<AccountCommands | undefined>
}>("folio/protocol/LocalAccounts", {
  defaultValue: () => ({ offer: () => Effect.void, find: () => Effect.undefined })
}) {
  static readonly layer = Layer.sync(LocalAccounts, () => {
    const all = new Map<string, Local>()
    return {
      offer: (address, commands) =>
        Clock.clockWith((clock) => {
          const local = { commands, messageAt: clock.currentTimeMillisUnsafe() }
          return Effect.acquireRelease(
            Effect.sync(() => void all.set(address, local)),
            // A later actor of the account may have taken over.
            () => Effect.sync(() => all.get(address) === local && all.delete(address))
          )
        }),
      find: (address) =>
        Clock.clockWith((clock) => {
          const local = all.get(address)
          if (local === undefined) return Effect.undefined
          const now = clock.currentTimeMillisUnsafe()
          if (now - local.messageAt < messageEveryMs) return Effect.succeed(local.commands)
          local.messageAt = now
          return Effect.undefined
        })
    }
  })
}
