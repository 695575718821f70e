import { Array, Context, Effect, Layer } from "effect"
import type { Answer } from "../apps/Client.ts"
import { customerBody, endpointBody, invoiceBody, scripted } from "../apps/Invoices.ts"
import { receiver, type Receiver } from "../receiver/Receiver.ts"
import { isDone, type Journal, openWork, reconcile } from "../database/Reconcile.ts"
import { never, type ServiceProcess, serviceProcess } from "./ServiceProcess.ts"
import { until } from "../apps/Until.ts"

/**
 * A service that a test may kill, a receiver of its webhooks that keeps running, and a client with a journal of its
 * keys.
 */
export class Crashing extends Context.Service<
  Crashing,
  {
    readonly service: ServiceProcess
    readonly receiver: Receiver
    readonly customers: ReadonlyArray<string>
    readonly journal: Journal
  }
>()("test/Crashing") {
  /** A running service without a fault, with one endpoint, and customers with these numbers, in turn. */
  static readonly layer = (numbers: ReadonlyArray<string | undefined>, env: Readonly<Record<string, string>> = {}) =>
    Layer.effect(
      Crashing,
      Effect.gen(function* () {
        const one = yield* receiver
        const service = yield* serviceProcess({ webhookAllow: `127.0.0.1:${one.port}`, env })
        yield* service.start(never)
        const client = service.client()
        yield* client.post("/v1/webhook-endpoints", endpointBody(one.url("/hooks")))
        const customers = yield* Effect.forEach(numbers, (number) =>
          Effect.map(client.post("/v1/customers", customerBody(number), { key: `customer ${number}` }), ({ json }) =>
            String(json.id)
          )
        )
        return Crashing.of({ service, receiver: one, customers, journal: new Map() })
      })
    )
}

/**
 * Numbers of ten customers: the authority accepts the invoices of seven, and rejects, loses and delays those of the
 * others.
 */
export const mixedCustomers = [...Array.makeBy(7, () => undefined), scripted.rejected, scripted.lost, scripted.flaky]

const isAcknowledged = (answer: Answer) => answer.status === 202 && answer.json.object === "invoice"

/** Sends one request for an invoice by its key; records its acknowledgement. */
export const post = Effect.fnUntraced(function* (key: string) {
  const { customers, journal, service } = yield* Crashing
  const index = Number(key.split(" ").at(-1))
  const customer = customers[index % customers.length] ?? ""
  const answer = yield* service.client().post("/v1/invoices", invoiceBody(customer, { key }), { key })
  if (isAcknowledged(answer)) journal.set(key, answer)
  return answer
})

/**
 * Repeats a request with its key until it is acknowledged, as a careful client does, over a stop and a start on a busy
 * machine.
 */
export const insist = (key: string) =>
  until(Effect.option(post(key)), (answer) => answer._tag === "Some" && isAcknowledged(answer.value))

/** Issues `count` invoices in the background, 50 in parallel, each until it is acknowledged. */
export const issue = (name: string, count: number) =>
  Effect.forkScoped(
    Effect.forEach(
      Array.makeBy(count, (index) => `${name} ${index}`),
      insist,
      { concurrency: 50 }
    )
  )

/** Waits until the client holds `count` acknowledgements. */
export const acknowledged = (count: number) =>
  Effect.flatMap(Crashing, ({ journal }) =>
    until(
      Effect.sync(() => journal.size),
      (size) => size >= count
    )
  )

// After a failed database call, work waits for the end of its lease: 75 s for a call of the authority, 20 s for a
// delivery. A document with a worker may be in a call of its numbering, and a second owner would send it twice. Calls
// of the stand-in authority take much less than 15 s, and deliveries less than six.
const ring = [
  `update invoices set next_action_at = now() where next_action_at > now() + interval '5 seconds'
   and (worker is null or updated_at < now() - interval '15 seconds')`,
  "update deliveries set next_attempt_at = now() where status = 'pending' and next_attempt_at < now() + interval '14 seconds'"
]

/** Waits until all work has ended, and then compares all journals and the database. */
export const settleAndReconcile = Effect.fnUntraced(function* (before: ReadonlyMap<string, string>) {
  const crashing = yield* Crashing
  yield* until(
    Effect.andThen(
      Effect.forEach(ring, (statement) => crashing.service.rows(statement)),
      openWork(crashing.service)
    ),
    isDone,
    "180 seconds",
    "100 millis"
  )
  return yield* reconcile({ ...crashing, before })
})
