import { Effect, Schedule } from "effect"
import { until } from "../apps/Until.ts"
import { reconcile } from "../database/Reconcile.ts"
import { balanced, settled, SeveralProcesses } from "../processes/SeveralProcesses.ts"
import type { ServiceProcess } from "../processes/ServiceProcess.ts"
import { balancer } from "./Balancer.ts"
import { openAccounts } from "./OpenAccounts.ts"
import { openLoad, type Sent } from "./OpenLoad.ts"

/** Repeats Ctrl-C, which ends the drain, until the process has ended. */
const pressed = (process: ServiceProcess) =>
  Effect.raceFirst(
    process.ended,
    Effect.andThen(Effect.repeat(process.signal("SIGINT"), Schedule.spaced("1 second")), Effect.never)
  )

/** The times of a restart: its request, the end of the process, and its readiness. In ms of the load. */
export interface Restart {
  readonly asked: number
  readonly ended: number
  readonly ready: number
}

/**
 * Restarts each process in turn, `rounds` times, behind a balancer and under an open load of `rate` invoices a second
 * over `accounts` accounts. Each restart begins as soon as the process before is ready. Then compares all journals and
 * the database. Returns the outcome of each request.
 */
export const rollingRestart = Effect.fnUntraced(function* (options: {
  readonly rate: number
  readonly accounts: number
  readonly rounds: number
  /**
   * Ends the drain of a process as soon as no client has a connection to it, however long that takes; otherwise by
   * `DRAIN_SECONDS`.
   */
  readonly endsDrain?: boolean
}) {
  const { processes, receiver, journal } = yield* SeveralProcesses
  const { paths, payers } = yield* openAccounts(options.accounts)
  yield* balanced
  const front = yield* balancer(processes.map(({ url }) => url))
  const load = yield* openLoad(front.url, payers, options.rate)
  const answered = (count: number) =>
    until(
      Effect.sync(() => load.answered.length),
      (length) => length >= count
    )
  yield* answered(options.rate)
  const restarts: Array<Restart> = []
  for (let round = 0; round < options.rounds; round++) {
    for (const process of processes) {
      const asked = load.now()
      yield* process.signal("SIGTERM")
      if (options.endsDrain === true) {
        yield* until(
          Effect.sync(() => front.isLeft(process.url)),
          (isLeft) => isLeft
        )
      }
      const { code, signal } = yield* options.endsDrain === true ? pressed(process) : process.ended
      if (code !== 0) return yield* Effect.die(new Error(`A process ended with ${code ?? signal}`))
      const ended = load.now()
      yield* process.start()
      yield* until(Effect.sync(front.up), (up) => up === processes.length)
      restarts.push({ asked, ended, ready: load.now() })
    }
  }
  yield* answered(load.answered.length + options.rate)
  const sent: ReadonlyArray<Sent> = yield* load.stop
  for (const { id, key, status } of sent) {
    if (status === 202) journal.set(key, { status, headers: new Headers(), text: "", json: { id } })
  }
  yield* settled
  const { doubled, invoices } = yield* reconcile({
    service: processes[0]!,
    journal,
    receiver,
    before: new Map(),
    pathOf: (endpoint) => paths.get(endpoint) ?? ""
  })
  return { sent, restarts, invoices, repeatedPosts: doubled }
})

/** The slowest requests in words, with the time at which each was sent. */
export const slowest = (sent: ReadonlyArray<Sent>, count: number): ReadonlyArray<string> =>
  sent
    .toSorted((one, other) => other.milliseconds - one.milliseconds)
    .slice(0, count)
    .map(
      ({ at, milliseconds, status }) =>
        `${status} after ${milliseconds.toFixed(0)} ms, sent at ${(at / 1000).toFixed(1)} s`
    )

/** Requests that were not accepted, in words. */
export const refused = (sent: ReadonlyArray<Sent>): ReadonlyArray<string> =>
  sent
    .filter(({ status }) => status !== 202)
    .map(
      ({ at, key, milliseconds, status, text }) =>
        `${key}, sent at ${(at / 1000).toFixed(1)} s: ${status} after ${milliseconds.toFixed(0)} ms, ${text.slice(0, 300)}`
    )
