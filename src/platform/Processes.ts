import { Config, Context, Effect, Layer } from "effect"
import * as Os from "node:os"
import { read, refuse } from "../settings/Setting.ts"
import { canShare } from "./server/Listeners.ts"

const processesMax = 64

// In bytes: what a process takes under load, and what PostgreSQL and the system keep for themselves.
const bytesOfProcess = 640 * 1024 ** 2
const bytesOfOthers = 512 * 1024 ** 2

/**
 * As many processes as the machine, or its container, has cores for, and memory.
 *
 * @internal
 */
export const processesFor = (cores: number, bytes: number): number =>
  Math.min(processesMax, Math.max(1, Math.min(cores, Math.floor((bytes - bytesOfOthers) / bytesOfProcess))))

/** Without a limit, the limit of a container is 0, or more than any machine has. */
const memory = () => Math.min(Os.totalmem(), process.constrainedMemory() || Infinity)

const advice = `PROCESSES must be auto, or how many processes serve the port: 1 to ${processesMax}`

/** How many processes serve the port of this service, on this machine: with more than one, a supervisor starts them. */
export class Processes extends Context.Service<Processes, number>()("@folio-einvoicing/service/Processes") {
  /** This number; one, if left out. */
  static layer(count = 1) {
    return Layer.succeed(Processes, count)
  }

  /** `PROCESSES`. Fails with `SettingsError`. */
  static readonly layerConfig = Layer.effect(
    Processes,
    Effect.gen(function* () {
      const text = yield* read(Config.String("PROCESSES").pipe(Config.withDefault("1")))
      if (text === "auto") return canShare ? processesFor(Os.availableParallelism(), memory()) : 1
      const count = Number(text)
      if (!/^[1-9]\d*$/.test(text) || count > processesMax) return yield* refuse(advice)
      if (count > 1 && !canShare)
        return yield* refuse(
          "On this system processes cannot share a port. Unset PROCESSES, or run each with CLUSTER=socket and a PORT of its own, behind a balancer."
        )
      return count
    })
  )
}
