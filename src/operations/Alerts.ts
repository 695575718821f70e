import { Context, Effect, Layer, Schema } from "effect"
import type { IncidentAlert } from "../../schemas/Incident.ts"

/**
 * An alert about an incident that was opened or has ended. Folio sends it until the channel accepts it, so it may
 * arrive twice, with the same `id` and `state`.
 */
export type Alert = IncidentAlert

/**
 * Failure of a channel to accept an alert. Folio retries the alert later, and logs the message, which must contain no
 * secret.
 */
export class AlertFailed extends Schema.TaggedError<AlertFailed>()("AlertFailed", { message: Schema.String }) {}

/**
 * Reports incidents to the operator. Each of `channels` gets one alert when an incident begins and one when it ends.
 * A channel's name has lower-case letters only. Keep it, because Folio records the sent alerts under this name.
 *
 * @example
 * ```ts
 * import { main } from "@folio-einvoicing/service"
 * import { AlertFailed, Alerts } from "@folio-einvoicing/service/ports"
 * import { Effect, Layer } from "effect"
 *
 * // A pager as the only channel.
 * const pager = Layer.succeed(Alerts, {
 *   channels: ["pager"],
 *   send: (_channel, { id, state, summary }) =>
 *     Effect.tryPromise({
 *       try: () =>
 *         fetch("https://pager.example.com/v2", {
 *           method: "POST",
 *           body: JSON.stringify({ id, state, summary })
 *         }),
 *       catch: () => new AlertFailed({ message: "The pager does not answer." })
 *     }).pipe(
 *       Effect.filterOrFail(
 *         ({ ok }) => ok,
 *         ({ status }) => new AlertFailed({ message: `The pager answered ${status}.` })
 *       ),
 *       Effect.asVoid
 *     )
 * })
 *
 * main({ alerts: pager })
 * ```
 */
export class Alerts extends Context.Service<
  Alerts,
  {
    readonly channels: ReadonlyArray<string>
    /**
     * Sends an alert to one channel. Must end within 90 seconds; after two minutes, another process may send the same
     * alert.
     */
    readonly send: (channel: string, alert: Alert) => Effect.Effect<void, AlertFailed>
  }
>()("@folio-einvoicing/service/Alerts") {
  /** No channels: Folio records incidents, and `folio incidents` lists them. */
  static readonly layer = Layer.succeed(Alerts, { channels: [], send: () => Effect.void })
}
