import { Context, Effect, Layer, Schema } from "effect"
import type { IncidentAlert } from "../../../schemas/Incident.ts"

/**
 * What a channel is told of: an incident that was opened, or has ended. It is told again until the channel has taken it, so that it
 * may come twice: `id` and `state` are the same then.
 */
export type Alert = IncidentAlert

/** The channel did not take the alert. The service tells it again later, and logs the message, which must hold no secret. */
export class AlertFailed extends Schema.TaggedError<AlertFailed>()("AlertFailed", { message: Schema.String }) {}

/**
 * Tells whoever runs the service of incidents. Each of `channels` is told of every incident once it is opened and once it has ended.
 * A name is of lower-case letters, and stays the same as long as the channel does: what was told is recorded under the name.
 *
 * @example
 * ```ts
 * import { main } from "@folio-einvoicing/service"
 * import { AlertFailed, Alerts } from "@folio-einvoicing/service/ports"
 * import { Effect, Layer } from "effect"
 *
 * // A pager, beside nothing else.
 * const pager = Layer.succeed(Alerts, {
 *   channels: ["pager"],
 *   send: (_channel, { id, state, summary }) =>
 *     Effect.tryPromise({
 *       try: () => fetch("https://pager.example.com/v2", { method: "POST", body: JSON.stringify({ id, state, summary }) }),
 *       catch: () => new AlertFailed({ message: "The pager does not answer." })
 *     }).pipe(
 *       Effect.filterOrFail(({ ok }) => ok, ({ status }) => new AlertFailed({ message: `The pager answered ${status}.` })),
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
    /** Tells one channel. Must end within a minute and a half; after two minutes another process may tell the same. */
    readonly send: (channel: string, alert: Alert) => Effect.Effect<void, AlertFailed>
  }
>()("@folio-einvoicing/service/Alerts") {
  /** Nobody is told: incidents are recorded, and `folio incidents` lists them. */
  static readonly layer = Layer.succeed(Alerts, { channels: [], send: () => Effect.void })
}
