import { fork } from "node:child_process"
import { once } from "node:events"
import * as Path from "node:path"
import type { Payer, Sent } from "./OpenLoad.ts"

const root = Path.resolve(import.meta.dirname, "../../..")

export interface FloodOrders {
  readonly url: string
  readonly payers: ReadonlyArray<Payer>
  /** Creations a second. */
  readonly rate: number
  readonly seconds: number
  readonly connections: number
}

export interface Flooded {
  /** In Unix milliseconds. */
  readonly began: number
  /** `why`: the error code of a refusal, or why no response came; empty for an accepted invoice. */
  readonly sent: ReadonlyArray<Omit<Sent, "text"> & { readonly why: string }>
}

/**
 * Offers creations at a steady rate from a process of its own, which repeats none of them: the rate is constant,
 * however many the service refuses. Returns the outcome of each request, after all responses have arrived.
 */
export const flood = async (orders: FloodOrders): Promise<Flooded> => {
  const child = fork(Path.join(root, "test/support/traffic/floodMain.ts"), { execArgv: [] })
  const kill = () => child.kill("SIGKILL")
  process.once("exit", kill)
  try {
    child.send(orders)
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`The process of the flood ended with ${code}`)
    })
    const [flooded] = (await Promise.race([once(child, "message"), ended])) as [Flooded]
    return flooded
  } finally {
    process.off("exit", kill)
    kill()
  }
}
