import { Effect, Exit, Fiber, Random, Scope } from "effect"
import * as Path from "node:path"
import { readBooks } from "../support/database/Books.ts"
import { dataDirectory } from "../support/database/Postgres.ts"
import { until } from "../support/apps/Until.ts"
import { keepBusy, makeClients } from "./parties/Clients.ts"
import { deck, type Fault, type FaultKind, inject, type Injected, schedule } from "./Faults.ts"
import { hostileClient, type HostileOptions, reckonHostile } from "./parties/Hostile.ts"
import { makeLedger } from "./checks/Ledger.ts"
import { reckon } from "./checks/Reckoning.ts"
import { readVitals } from "./checks/Vitals.ts"
import { leftToDo, passTime, processes, world } from "./World.ts"

export interface SoakOptions {
  readonly seed: string
  readonly seconds: number
  /** Operations that start each second. */
  readonly rate: number
  /** Milliseconds between two faults, on average. */
  readonly faultEveryMs: number
  /** Kinds of faults; all kinds if omitted. */
  readonly faultKinds?: ReadonlyArray<FaultKind>
  /** A hostile client next to the neighbours, timed before the faults begin; none if omitted. */
  readonly hostile?: HostileOptions
  /** Reports the progress of the run. */
  readonly say: (line: string) => void
}

const underWayMax = 400
// The default limits. No client of the soak reaches them, except the hostile client.
const limited = { RATE_LIMIT: "100", RATE_LIMIT_BURST: "500" }
// Time at the end for waiting clients and for leases. The longest lease (of a delivery) has up to 20 seconds left.
const settleWithin = "120 seconds"

/** Faults of a run: the same for the same options. */
export const faultsOf = ({
  faultEveryMs,
  faultKinds = deck,
  seconds,
  seed
}: SoakOptions): Effect.Effect<ReadonlyArray<Fault>> =>
  Random.withSeed(schedule({ forMs: seconds * 1_000, everyMs: faultEveryMs, processes, kinds: faultKinds }), seed)

const since = (began: number) => ((Date.now() - began) / 1_000).toFixed(1).padStart(6)

const describe = ({ at, forMs, kind, target }: Fault) =>
  `${(at / 1_000).toFixed(1).padStart(6)} s  ${kind}${target === null ? "" : ` of process ${target + 1}`}, ${forMs} ms`

/**
 * Runs a service of two processes while the processes, the database and the authority fail as the seed says. Returns
 * the scoreboard of the promises after all work has ended.
 */
export const soak = Effect.fnUntraced(
  function* (options: SoakOptions) {
    const directory = yield* dataDirectory
    const vitalsFile = (index: number) => Path.join(directory, `vitals-${index}`)
    const made = yield* world({
      env: (index) => ({ ...limited, VITALS: vitalsFile(index), VITALS_EVERY_MS: "1000" })
    })
    const { authority, client, database, fleet, receivers, shops } = made
    const ledger = makeLedger()
    const clients = yield* makeClients({ shops, client, processes, ledger })
    const faults: Array<Injected> = []
    const began = Date.now()
    let isTried = false
    let isOver = false
    const urls = fleet.map(({ service }) => service.url)
    const keep = (rate: number, ends: () => boolean) =>
      keepBusy(clients.next, { rate, most: underWayMax }, ends).pipe(Effect.forkScoped, Scope.provide(clientsScope))

    yield* Effect.forkScoped(passTime(database))
    const clientsScope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const { hostile: worst } = options
    const neighbours = worst === undefined ? undefined : yield* keep(worst.rate, () => isTried)
    const intruder =
      worst === undefined
        ? undefined
        : yield* hostileClient({
            hostile: worst,
            shop: made.hostile,
            urls,
            client: client(0, made.hostile.apiKey),
            clients,
            ledger,
            receivers
          })
    if (intruder !== undefined) options.say(`${since(began)} s  the neighbours are timed next to a hostile client`)
    const trial = yield* intruder?.trial ?? Effect.undefined
    isTried = true
    const tried = yield* neighbours === undefined ? Effect.undefined : Fiber.join(neighbours)
    const busy = yield* keep(options.rate, () => isOver)
    yield* intruder?.begin ?? Effect.void
    options.say(`${since(began)} s  faults begin`)
    const injected = yield* inject(yield* faultsOf(options), {
      database,
      fleet,
      authority,
      noted: (fault) => {
        faults.push(fault)
        options.say(describe(fault))
      }
    }).pipe(Effect.forkScoped)
    yield* Effect.sleep(options.seconds * 1_000)
    isOver = true
    const load = yield* Fiber.join(busy)
    const later = yield* intruder?.end ?? Effect.undefined
    const seconds = (Date.now() - began) / 1_000
    options.say(`${seconds.toFixed(1).padStart(6)} s  no new work; ${ledger.acknowledged.size} invoices acknowledged`)

    // A frozen process must wake up as planned: ending the freeze now would shorten it.
    yield* Effect.exit(Fiber.join(injected))
    authority.calm()
    receivers.calm()
    // The scoreboard shows the work that has not ended.
    const open = Effect.map(leftToDo(database), (left) => ({
      ...left,
      orders: load.underWay() + (tried?.underWay() ?? 0),
      absent: fleet.filter((one) => !one.isUp()).length
    }))
    const unsettled = yield* until(
      open,
      (left) => Object.values(left).every((count) => count === 0),
      settleWithin,
      "500 millis"
    ).pipe(
      Effect.as([]),
      // All work has ended: otherwise the journals would be compared with a changing database.
      Effect.catch(({ message }) =>
        Effect.as(
          Effect.forEach(fleet, ({ service }) => service.signal("SIGSTOP"), { discard: true }),
          [message]
        )
      )
    )
    yield* Scope.close(clientsScope, Exit.void)
    options.say(`${since(began)} s  ${unsettled.length === 0 ? "settled" : "given up"}`)
    const books = yield* readBooks(database.rows)
    const vitals = fleet.map((_, index) => readVitals(vitalsFile(index)))
    const ofHostile =
      worst === undefined || trial === undefined || later === undefined
        ? []
        : reckonHostile({ options: worst, trial, later, ledger, vitals })
    return {
      lines: [
        { name: "unfinished work", broken: unsettled },
        ...reckon({ books, ledger, authority, receivers, fleet, faults, seconds }),
        ...ofHostile
      ],
      faults,
      ledger,
      logs: yield* Effect.forEach(fleet, (one) => one.service.log)
    }
  },
  (effect, { seed }) => Effect.scoped(Random.withSeed(effect, seed))
)
