import { Config, Context, Effect, Layer } from "effect"
import { read, refuse } from "../../settings/Setting.ts"

const config = Config.all({
  cluster: Config.String("CLUSTER").pipe(Config.withDefault("single")),
  seconds: Config.Number("DRAIN_SECONDS").pipe(Config.withDefault(undefined))
})

// HAProxy takes a server out after three checks two seconds apart, and `docker stop` kills a process after ten seconds.
const secondsBesideOthers = 8

// `npm start` passes on the Ctrl-C that the terminal has already sent to the whole group of processes.
const echo = "1 second"

const pressedAgain = Effect.callback<void>((resume) => {
  const stop = () => resume(Effect.void)
  process.once("SIGINT", stop)
  return Effect.sync(() => process.removeListener("SIGINT", stop))
}).pipe(Effect.delay(echo))

/**
 * How long a service that was asked to stop goes on serving, in seconds, while `/health/ready` answers 503 so that a balancer sends
 * requests elsewhere. `hurried` ends the wait early.
 */
export class DrainTime extends Context.Service<
  DrainTime,
  { readonly seconds: number; readonly hurried: Effect.Effect<void> }
>()("@folio-einvoicing/service/DrainTime") {
  /** This number of seconds; 0 if left out: there is no other process that a balancer could choose. */
  static layer(seconds = 0) {
    return Layer.succeed(DrainTime, { seconds, hurried: Effect.never })
  }

  /**
   * `DRAIN_SECONDS`: by default 8 with `CLUSTER=socket`, and 0 otherwise. A second Ctrl-C ends the wait. Fails with `SettingsError`.
   */
  static readonly layerConfig = Layer.effect(
    DrainTime,
    Effect.gen(function* () {
      const { cluster, seconds = cluster === "socket" ? secondsBesideOthers : 0 } = yield* read(config)
      if (!(seconds >= 0 && seconds <= 600))
        return yield* refuse("DRAIN_SECONDS must be a number of seconds from 0 to 600.")
      return { seconds, hurried: pressedAgain }
    })
  )
}
