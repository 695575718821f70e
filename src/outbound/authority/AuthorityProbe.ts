import { Clock, Config, Duration, Effect } from "effect"
import { Agent, buildConnector } from "undici"
import type { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { read } from "../../settings/Setting.ts"
import { type ConnectionError, connectionTrouble } from "./soap/ConnectionTroubles.ts"

/** The addresses of the authority in the settings, each with the name of its setting. */
export const authorityAddresses = Effect.map(
  read(
    Config.all({
      AUTHORITY_URL: Config.String("AUTHORITY_URL").pipe(Config.withDefault("")),
      AUTHORITY_TEST_URL: Config.String("AUTHORITY_TEST_URL").pipe(Config.withDefault(""))
    })
  ),
  (urls) => Object.entries(urls).flatMap(([setting, url]) => (url === "" ? [] : [{ setting, url }]))
)

/** What a look at the authority's service found. `clock_ms`: by how much its clock is ahead of ours; null if it does not tell. */
export type Probe =
  | { readonly trouble: AuthorityTrouble; readonly reason: string }
  | { readonly trouble: null; readonly clock_ms: number | null }

export interface ProbeOptions {
  readonly timeout?: Duration.Input
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string
  /** Connects in place of the network. */
  readonly connect?: buildConnector.connector
}

const found = (status: number, date: number): Probe => {
  if (status >= 500) return { trouble: "server_error", reason: `it answers ${status}` }
  if (status === 404) return { trouble: "not_the_service", reason: "it answers 404" }
  return { trouble: null, clock_ms: Number.isNaN(date) ? null : date }
}

/**
 * Looks whether the service at this address can be called from here: finds its name, connects, makes TLS, and asks for the page that
 * every such service shows. Nothing is sent to the service but this GET.
 */
export const probeAuthority = (url: string, options: ProbeOptions = {}): Effect.Effect<Probe> => {
  const timeout = Duration.toMillis(Duration.fromInputUnsafe(options.timeout ?? "10 seconds"))
  const { origin, pathname, search } = new URL(url)
  let isConnected = false
  const ca = options.ca === undefined ? {} : { ca: options.ca }
  const own = options.connect ?? buildConnector({ timeout, minVersion: "TLSv1.2", allowH2: false, ...ca })
  const connect: buildConnector.connector = (target, callback) =>
    own(target, (...[error, socket]) => {
      isConnected = error === null
      if (error === null) callback(null, socket)
      else callback(error, null)
    })
  const failed = (error: unknown): Probe => {
    const { message, trouble } = connectionTrouble(error as ConnectionError, !isConnected)
    return { trouble, reason: message }
  }
  const ask = (agent: Agent) =>
    Effect.tryPromise({
      try: async (signal) => {
        const { body, headers, statusCode } = await agent.request({
          origin,
          path: pathname + search,
          method: "GET",
          signal
        })
        await body.dump()
        return { status: statusCode, date: Date.parse(String(headers["date"])) }
      },
      catch: failed
    })
  return Effect.acquireUseRelease(
    Effect.sync(() => new Agent({ connect, headersTimeout: timeout, bodyTimeout: timeout })),
    (agent) =>
      Effect.matchEffect(ask(agent), {
        onFailure: Effect.succeed,
        onSuccess: ({ date, status }) => Effect.map(Clock.currentTimeMillis, (now) => found(status, date - now))
      }),
    (agent) => Effect.promise(() => agent.destroy())
  )
}
