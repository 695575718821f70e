import { Context, Effect, Layer } from "effect"
import { ShardingConfig } from "effect/cluster"
import { randomBytes } from "node:crypto"
import { type Client, makeClient } from "../apps/Client.ts"
import { customerBody, endpointBody, invoiceBody } from "../apps/Invoices.ts"
import { freshDatabase } from "../database/Postgres.ts"
import { receiver, type Receiver } from "../receiver/Receiver.ts"
import { isDone, type Journal, openWork, reconcile, signedBytes } from "../database/Reconcile.ts"
import { type ArmedFault, freePort, type ServiceProcess, serviceProcess } from "./ServiceProcess.ts"
import { until } from "../apps/Until.ts"

/**
 * Several processes of one service, on one database, with one customer, one endpoint and a client that uses all of
 * them.
 */
export class SeveralProcesses extends Context.Service<
  SeveralProcesses,
  {
    readonly database: string
    readonly processes: ReadonlyArray<ServiceProcess>
    readonly clients: ReadonlyArray<Client>
    readonly receiver: Receiver
    readonly customer: string
    readonly journal: Journal
  }
>()("test/SeveralProcesses") {
  /** Running processes; `fault` arms each of them. */
  static readonly layer = (count: number, fault?: ArmedFault) =>
    SeveralProcesses.layerOn(freshDatabase, count, { fault })

  /** On the database at this URL, with more settings. */
  static readonly layerOn = <E, R>(
    at: Effect.Effect<string, E, R>,
    count: number,
    {
      env = {},
      fault
    }: { readonly env?: Readonly<Record<string, string>>; readonly fault?: ArmedFault | undefined } = {}
  ) =>
    Layer.effect(
      SeveralProcesses,
      Effect.gen(function* () {
        const database = yield* at
        const one = yield* receiver
        const secretKey = randomBytes(32).toString("base64")
        const processes: Array<ServiceProcess> = []
        while (processes.length < count) {
          const process = yield* serviceProcess({
            webhookAllow: `127.0.0.1:${one.port}`,
            env: {
              CLUSTER: "socket",
              RUNNER_PORT: String(yield* freePort),
              DATABASE_URL: database,
              FOLIO_KEY: secretKey,
              ...env
            }
          })
          yield* process.start(fault)
          processes.push(process)
        }
        const { apiKey } = processes[0]!.client()
        const clients = processes.map(({ url }) => makeClient(url, apiKey))
        yield* clients[0]!.post("/v1/webhook-endpoints", endpointBody(one.url("/hooks")))
        const customer = yield* clients[0]!.post("/v1/customers", customerBody(), { key: "customer" })
        return SeveralProcesses.of({
          database,
          processes,
          clients,
          receiver: one,
          customer: String(customer.json.id),
          journal: new Map()
        })
      })
    )
}

/**
 * Repeats a request by its key, at one process after the other, until it is acknowledged; records the acknowledgement.
 */
export const insist = Effect.fnUntraced(function* (key: string) {
  const { clients, customer, journal } = yield* SeveralProcesses
  let turn = Number(key.split(" ").at(-1))
  const attempt = Effect.suspend(() =>
    Effect.option(
      clients[turn++ % clients.length]!.post("/v1/invoices", invoiceBody(customer, { key }), { key }).pipe(
        // A frozen process accepts connections and never responds.
        Effect.timeout("4 seconds")
      )
    )
  )
  const answer = yield* until(attempt, (one) => one._tag === "Some" && one.value.json?.object === "invoice")
  if (answer._tag === "Some") journal.set(key, answer.value)
})

/**
 * Waits until each process owns its part of the actors, and no actor is about to move: a request whose actor moves may
 * get a response to retry.
 */
export const balanced = Effect.gen(function* () {
  const { processes } = yield* SeveralProcesses
  const { shardsPerGroup } = ShardingConfig.defaults
  yield* until(
    processes[0]!.rows<{ shards: number }>(`
      select count(*)::int as shards from pg_locks
      where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
      group by pid having count(*) > ${shardsPerGroup / 4}`),
    (owners) =>
      owners.length === processes.length && owners.reduce((sum, { shards }) => sum + shards, 0) >= shardsPerGroup
  )
})

/**
 * Waits until no work is open. Nothing is sped up: the other processes find the work of a dead one. Fails if nothing
 * has changed for longer than the lease of a submission, however much work a busy machine still has.
 */
export const settled = Effect.gen(function* () {
  const { processes } = yield* SeveralProcesses
  const look = Effect.map(openWork(processes[0]!), ([open]) => open ?? { invoices: 0, deliveries: 0 })
  let left = yield* look
  while (!isDone([left])) {
    const { deliveries, invoices } = left
    left = yield* until(
      look,
      (open) => open.invoices !== invoices || open.deliveries !== deliveries,
      "180 seconds",
      "100 millis"
    )
  }
})

export const signedSoFar = Effect.flatMap(SeveralProcesses, ({ processes }) => signedBytes(processes[0]!))

/** Compares all journals and the database, after all work has ended. */
export const settleAndReconcile = Effect.fnUntraced(function* (before: ReadonlyMap<string, string> = new Map()) {
  const { journal, processes, receiver: hooks } = yield* SeveralProcesses
  yield* settled
  return yield* reconcile({ service: processes[0]!, journal, receiver: hooks, before })
})
