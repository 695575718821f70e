import { Effect, Fiber, Random } from "effect"
import { readBooks } from "../support/Books.ts"
import { until } from "../support/Until.ts"
import { keepBusy, makeClients } from "./Clients.ts"
import { type Fault, inject, type Injected, schedule } from "./Faults.ts"
import { makeLedger } from "./Ledger.ts"
import { reckon } from "./Reckoning.ts"
import { leftToDo, passTime, processes, world } from "./World.ts"

export interface SoakOptions {
  readonly seed: string
  readonly seconds: number
  /** Operations begun in a second. */
  readonly rate: number
  /** Milliseconds from fault to fault, on average. */
  readonly faultEveryMs: number
  /** Told what happens while it happens. */
  readonly say: (line: string) => void
}

const underWayMax = 400
// At the end: for clients that are still waiting, and for leases, the longest of which (a delivery's) has 20 seconds to go.
const settleWithin = "120 seconds"

/** What goes wrong in a run: the same for the same options. */
export const faultsOf = ({ faultEveryMs, seconds, seed }: SoakOptions): Effect.Effect<ReadonlyArray<Fault>> =>
  Random.withSeed(schedule({ forMs: seconds * 1_000, everyMs: faultEveryMs, processes }), seed)

const describe = ({ at, forMs, kind, target }: Fault) =>
  `${(at / 1_000).toFixed(1).padStart(6)} s  ${kind}${target === null ? "" : ` of process ${target + 1}`}, ${forMs} ms`

/**
 * A service of two processes at work, while both of them, their database and the authority fail as the seed says. When all
 * work has ended, the scoreboard of what was promised.
 */
export const soak = Effect.fnUntraced(
  function* (options: SoakOptions) {
    const { authority, client, database, fleet, receivers, shops } = yield* world()
    const ledger = makeLedger()
    const clients = yield* makeClients({ shops, client, processes, ledger })
    const faults: Array<Injected> = []
    const began = Date.now()

    yield* Effect.forkScoped(passTime(database))
    const injected = yield* inject(yield* faultsOf(options), {
      database,
      fleet,
      authority,
      noted: (fault) => {
        faults.push(fault)
        options.say(describe(fault))
      }
    }).pipe(Effect.forkScoped)
    const load = yield* keepBusy(
      clients.next,
      { rate: options.rate, most: underWayMax },
      () => Date.now() - began > options.seconds * 1_000
    )
    const seconds = (Date.now() - began) / 1_000
    options.say(`${seconds.toFixed(1).padStart(6)} s  no new work; ${ledger.acknowledged.size} invoices acknowledged`)

    // Whoever is frozen wakes up as planned: an end to it now would be no freeze.
    yield* Effect.exit(Fiber.join(injected))
    authority.calm()
    receivers.calm()
    // What does not come to an end is on the scoreboard.
    const open = Effect.map(leftToDo(database), (left) => ({
      ...left,
      orders: load.underWay(),
      absent: fleet.filter((one) => !one.isUp()).length
    }))
    yield* until(open, (left) => Object.values(left).every((count) => count === 0), settleWithin, "500 millis").pipe(
      Effect.catch(({ message }) => Effect.sync(() => options.say(message)))
    )
    options.say(`${((Date.now() - began) / 1_000).toFixed(1).padStart(6)} s  settled`)
    const books = yield* readBooks(database.rows)
    return {
      lines: reckon({ books, ledger, authority, receivers, fleet, faults, seconds }),
      faults,
      ledger,
      logs: yield* Effect.forEach(fleet, (one) => one.service.log)
    }
  },
  (effect, { seed }) => Effect.scoped(Random.withSeed(effect, seed))
)
