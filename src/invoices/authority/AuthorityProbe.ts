import { Clock, Config, Duration, Effect } from "effect"
import type { Agent } from "node:http"
import type { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { read } from "../../runtime/Setting.ts"
import { agentFor, call } from "../../runtime/HttpCall.ts"
import { connectionTrouble } from "./soap/ConnectionTroubles.ts"

/** The authority's URLs in the settings, each with its setting's name. */
export const authorityAddresses = Effect.map(
  read(
    Config.all({
      AUTHORITY_URL: Config.String("AUTHORITY_URL").pipe(Config.withDefault("")),
      AUTHORITY_TEST_URL: Config.String("AUTHORITY_TEST_URL").pipe(Config.withDefault(""))
    })
  ),
  (urls) => Object.entries(urls).flatMap(([setting, url]) => (url === "" ? [] : [{ setting, url }]))
)

/**
 * Result of a probe of the authority's service. `clock_ms`: difference of its clock to this machine's clock, positive
 * if its clock is ahead; null if unknown.
 */
export type Probe =
  | { readonly trouble: AuthorityTrouble; readonly reason: string }
  | { readonly trouble: null; readonly clock_ms: number | null }

export interface ProbeOptions {
  readonly timeout?: Duration.Input
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string
  /** Replaces the network connection. */
  readonly agent?: Agent
}

const found = (status: number, date: number): Probe => {
  if (status >= 500) return { trouble: "server_error", reason: `it returns ${status}` }
  if (status === 404) return { trouble: "not_the_service", reason: "it returns 404" }
  return { trouble: null, clock_ms: Number.isNaN(date) ? null : date }
}

/**
 * Checks whether this machine can call the service at this URL: resolves its name, connects, negotiates TLS, and gets
 * the page that every such service shows. Sends only this GET.
 */
export const probeAuthority = (url: string, options: ProbeOptions = {}): Effect.Effect<Probe> => {
  // For connecting, and again for the response.
  const timeout = Duration.fromInputUnsafe(options.timeout ?? "10 seconds")
  const target = new URL(url)
  const ask = (agent: Agent) =>
    Effect.tryPromise({
      try: async (signal) => {
        const { headers, statusCode = 0 } = await call(target, {
          method: "GET",
          signal,
          agent,
          connectTimeout: timeout
        })
        return { status: statusCode, date: Date.parse(headers.date ?? "") }
      },
      catch: (error): Probe => {
        const { message, trouble } = connectionTrouble(error)
        return { trouble, reason: message }
      }
    }).pipe(
      Effect.timeoutOrElse({
        duration: Duration.times(timeout, 2),
        orElse: () => Effect.fail<Probe>({ trouble: "no_answer", reason: "no response in time" })
      })
    )
  return Effect.acquireUseRelease(
    Effect.sync(() => options.agent ?? agentFor(target, options.ca)),
    (agent) =>
      Effect.matchEffect(ask(agent), {
        onFailure: Effect.succeed,
        onSuccess: ({ date, status }) => Effect.map(Clock.currentTimeMillis, (now) => found(status, date - now))
      }),
    (agent) => Effect.sync(() => agent.destroy())
  )
}
