import { Effect, Schema } from "effect"
import { freePort } from "./Listeners.ts"
import { Settings, type SettingValues } from "../process/Settings.ts"

/** The server cannot listen on its address. The message is one line with the fix. */
export class ListenError extends Schema.TaggedError<ListenError>()("ListenError", { message: Schema.String }) {}

/** The error of a server that cannot listen on this address, with the reason; `other` suggests another port. */
export const cannotListen = ({ host, port }: SettingValues["listen"], why: string, other = "PORT=3001") =>
  new ListenError({
    message: `Folio cannot listen on ${host}:${port} (${why}). If the port is in use, stop the program that uses it, or choose another: ${other}.`
  })

/**
 * Checks that no other program listens on the address, and returns the port: with 0, a free one. Fails with
 * `ListenError`.
 *
 * @internal
 */
export const portToUse = Effect.gen(function* () {
  const address = (yield* Settings).listen
  return yield* Effect.mapError(freePort(address.host, address.port), ({ message }) => cannotListen(address, message))
})
