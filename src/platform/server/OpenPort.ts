import { Effect, Schema } from "effect"
import { freePort } from "./Listeners.ts"
import { Settings, type SettingValues } from "../Settings.ts"

/** The server cannot listen on its address. The message is one line that says what to do. */
export class ListenError extends Schema.TaggedError<ListenError>()("ListenError", { message: Schema.String }) {}

/** The error of a server that cannot listen on this address, for this reason; `other` names another port. */
export const cannotListen = ({ host, port }: SettingValues["listen"], why: string, other = "PORT=3001") =>
  new ListenError({
    message: `Folio cannot listen on ${host}:${port} (${why}). If the port is in use, stop what uses it, or choose another: ${other}.`
  })

/**
 * Checks that nothing else listens on the address, and returns the port: with 0, one that is free. Fails with `ListenError`.
 *
 * @internal
 */
export const portToUse = Effect.gen(function* () {
  const address = (yield* Settings).listen
  return yield* Effect.mapError(freePort(address.host, address.port), ({ message }) => cannotListen(address, message))
})
