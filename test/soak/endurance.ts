import { Effect, Random } from "effect"
import * as Path from "node:path"
import { dataDirectory } from "../support/database/Postgres.ts"
import { until } from "../support/apps/Until.ts"
import { keepBusy, makeClients } from "./parties/Clients.ts"
import type { Rows } from "../support/database/Books.ts"
import { option, runFinding, say } from "../support/processes/CommandLine.ts"
import { grown, showGrowth, tableSizes, type TableSizes, watchShards } from "./checks/Growth.ts"
import { makeLedger } from "./checks/Ledger.ts"
import { percentile } from "./checks/Scoreboard.ts"
import { during, readVitals, type Vitals } from "./checks/Vitals.ts"
import { leftToDo, processes, world } from "./World.ts"

/**
 * Measures what grows in two processes under half of their maximum load, for a long time and without faults. Prints
 * their state each minute. Exits with 1 if a shard has moved, or if one of these has grown since the first five
 * minutes: memory, file handles, connections to the database, or a table that must not grow.
 *
 *   npm run endurance -- [--minutes 20] [--rate <invoices a second>]
 */
const minutes = Number(option("minutes", "20"))

// A run shorter than ten minutes is compared with its first half.
const settledMinute = Math.min(5, Math.floor(minutes / 2))
const driftMax = 0.1
const workers = 32
const probeSeconds = 15
const underWayMax = 400

// Connections of clients and receivers open and close with the load.
const handlesRoom = 20
const connectionsRoom = 4

const fewest = (vitals: ReadonlyArray<Vitals>) => Math.min(...vitals.map(({ handles }) => handles))

const connectionsOf = (rows: Rows) =>
  Effect.map(
    rows<{ count: number }>(
      "select count(*)::int as count from pg_stat_activity where backend_type = 'client backend' and usename = 'folio'"
    ),
    ([row]) => row?.count ?? 0
  )

const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MB`

const minuteBefore = (vitals: ReadonlyArray<Vitals>, at: number) => during(vitals, at - 60_000, at)
const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length

const showVitals = (vitals: ReadonlyArray<Vitals>) => {
  const [first, last] = [vitals[0], vitals.at(-1)]
  if (first === undefined || last === undefined || first === last) return "no vitals"
  const cpu = (100 * (last.cpu - first.cpu)) / ((last.at - first.at) / 1_000)
  const late = Math.max(...vitals.map(({ lateP99 }) => lateP99))
  const latest = Math.max(...vitals.map(({ lateMax }) => lateMax))
  return `rss ${megabytes(last.rss)} heap ${megabytes(last.heap)} cpu ${cpu.toFixed(0)} % loop late p99 ${late.toFixed(0)} max ${latest.toFixed(0)} ms, ${last.handles} handles`
}

const endurance = Effect.gen(function* () {
  const directory = yield* dataDirectory
  const vitalsFile = (index: number) => Path.join(directory, `vitals-${index}`)
  const { authority, client, database, receivers, shops } = yield* world({
    nodeOptions: ["--expose-gc"],
    env: (index) => ({ VITALS: vitalsFile(index), LOG_LEVEL: "Warn" })
  })
  authority.calm()
  receivers.calm()
  const ledger = makeLedger()
  const clients = yield* makeClients({ shops, client, processes, ledger })
  const vitals = () => Array.from({ length: processes }, (_, index) => readVitals(vitalsFile(index)))

  // Full load counts finished invoices, not only accepted requests.
  const probe = Effect.gen(function* () {
    const start = Date.now()
    const work = Effect.repeat(clients.issue, { while: () => Date.now() < start + probeSeconds * 1_000 })
    yield* Effect.all(
      Array.from({ length: workers }, () => work),
      { concurrency: "unbounded" }
    )
    yield* until(leftToDo(database), (left) => left.invoices + left.deliveries === 0, "300 seconds", "200 millis")
    const most = ledger.successes.length / ((Date.now() - start) / 1_000)
    say(`full load ${most.toFixed(0)} invoices a second, with ${workers} clients`)
    return most / 2
  })
  const given = Number(option("rate", "0"))
  const rate = given > 0 ? given : yield* probe
  say(`${minutes} minutes at ${rate.toFixed(0)} a second`)

  const shards = yield* watchShards(database.rows)
  const began = Date.now()
  let settled: TableSizes = new Map()
  let connections = 0
  const isOver = () => Date.now() - began > minutes * 60_000 + 1_000
  yield* Effect.forkScoped(keepBusy(clients.issue, { rate, most: underWayMax }, isOver))
  for (let minute = 1; minute <= minutes; minute++) {
    const seen = ledger.successes.length
    yield* Effect.sleep(Math.max(began + minute * 60_000 - Date.now(), 0))
    const answers = ledger.successes.slice(seen)
    const took = answers.map((one) => one.at - one.began)
    const left = yield* leftToDo(database)
    const open = yield* connectionsOf(database.rows)
    say(
      `${`${minute}`.padStart(4)} min  ${(answers.length / 60).toFixed(1)}/s p50 ${percentile(took, 0.5)} p99 ${percentile(took, 0.99)} ms, open: ${left.invoices} invoices ${left.deliveries} deliveries, ${shards.moves} moves of ${shards.shards} shards, ${open} connections to the database`
    )
    for (const notes of vitals()) say(`          ${showVitals(minuteBefore(notes, Date.now()))}`)
    // The maximum of the minutes so far, because a pool closes idle connections.
    if (minute <= settledMinute) connections = Math.max(connections, open)
    if (minute === settledMinute) settled = yield* tableSizes(database.rows)
    if (minute === minutes) connections = open - connections
  }
  const ended = Date.now()
  const sizes = yield* tableSizes(database.rows)
  say(`\ntables, from minute ${settledMinute} to ${minutes}:\n${showGrowth(settled, sizes)}`)
  say(`responses by status: ${JSON.stringify(Object.fromEntries(ledger.statuses))}`)

  const drifts = vitals().flatMap((notes, index) =>
    (["rss", "heap"] as const).map((what) => {
      const before = mean(minuteBefore(notes, began + settledMinute * 60_000).map((one) => one[what]))
      const now = mean(minuteBefore(notes, ended).map((one) => one[what]))
      return { name: `${what} of process ${index + 1}`, before, now, ratio: now / before }
    })
  )
  // The minimum of some minutes: a burst of slow responses opens many connections for a moment.
  const window = settledMinute * 60_000
  const handles = vitals().map((notes) => ({
    before: fewest(during(notes, began, began + window)),
    now: fewest(during(notes, ended - window, ended))
  }))
  for (const [index, { before, now }] of handles.entries()) {
    say(`handles of process ${index + 1}: at least ${before} in the first ${settledMinute} minutes, ${now} in the last`)
  }
  for (const { before, name, now, ratio } of drifts) {
    say(`${name}: ${megabytes(before)} at minute ${settledMinute}, ${megabytes(now)} at the end (${ratio.toFixed(2)})`)
  }
  return [
    ...drifts.flatMap(({ name, ratio }) => (ratio <= 1 + driftMax ? [] : [`${name} has grown`])),
    ...handles.flatMap(({ before, now }, index) =>
      now <= before + handlesRoom ? [] : [`handles of process ${index + 1} have grown`]
    ),
    ...(connections <= connectionsRoom ? [] : [`${connections} more connections to the database`]),
    ...grown(settled, sizes),
    ...(shards.moves === 0 ? [] : [`${shards.moves} shards have moved`])
  ]
})

runFinding(
  Effect.gen(function* () {
    const faults = yield* endurance
    say(faults.length === 0 ? "\nverdict: nothing has grown" : `\nverdict: ${faults.join("; ")}`)
    return faults
  }).pipe(Effect.scoped, Random.withSeed("endurance"))
)
