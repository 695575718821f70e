import { Context, Effect, type Exit, type Result, type Scope } from "effect"
import * as Batcher from "../../../src/database/Batcher.ts"
import { Customers } from "../../../src/accounts/store/Customers.ts"
import { Deliveries } from "../../../src/webhooks/store/Deliveries.ts"
import { InvoiceCreation } from "../../../src/invoices/store/InvoiceCreation.ts"
import { Invoices } from "../../../src/invoices/store/Invoices.ts"
import { Numbering } from "../../../src/invoices/store/Numbering.ts"
import { Transitions } from "../../../src/invoices/store/Transitions.ts"
import { Emails } from "../../../src/invoices/store/Emails.ts"
import { each } from "../../support/memory/MemoryDelivery.ts"
import { MemoryTables, type Tables } from "../../support/memory/MemoryTables.ts"

type Written = Customers | Deliveries | Emails | InvoiceCreation | Invoices | Numbering | Transitions

const batchMax = 300

/**
 * The memory store with the writes of the SQL store: through the batchers of one process. Each batch is a statement,
 * and succeeds or fails as a whole. The batcher itself handles a failed batch, or one whose commit was not confirmed.
 *
 * @param store the same services, with every call as a statement
 * @param statement makes a statement of a write
 */
export const batched = (
  store: Context.Context<never>,
  statement: <A, E>(call: string, effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
): Effect.Effect<Context.Context<Written>, never, Written | MemoryTables | Scope.Scope> =>
  Effect.gen(function* () {
    const { tables } = yield* MemoryTables
    const customers = yield* Customers
    const deliveries = yield* Deliveries
    const emails = yield* Emails
    const creation = yield* InvoiceCreation
    const invoices = yield* Invoices
    const numbering = yield* Numbering
    const transitions = yield* Transitions

    /** `order` is the order in which the SQL works; the items' own order if omitted. */
    const batch = <A, B, E>(name: string, write: (item: A) => Effect.Effect<B, E>, order?: (item: A) => string) =>
      Effect.map(
        Batcher.make({
          name,
          max: batchMax,
          run: (items: ReadonlyArray<A>) => {
            const answers = new Map<A, Result.Result<B, E>>()
            const inOrder = order === undefined ? items : items.toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
            const writeAll = Effect.forEach(
              inOrder,
              (item) => Effect.map(Effect.result(write(item)), (answer) => answers.set(item, answer)),
              { discard: true }
            )
            return Effect.map(statement(name, atomically(tables, writeAll)), () =>
              items.map((item) => answers.get(item)!)
            )
          }
        }),
        (add) => (item: A) => Effect.flatMap(add(item), Effect.fromResult)
      )

    const number = yield* batch("Numbering.number", alone(numbering.numberAll), (draft) => draft.key.id)
    const move = yield* batch("Transitions.move", alone(transitions.moveAll))
    const beside = besideOthers(store)
    return Context.empty().pipe(
      beside(Customers, { create: yield* batch("Customers.create", customers.create) }),
      beside(Deliveries, { record: yield* batch("Deliveries.record", deliveries.record) }),
      beside(Emails, {
        take: yield* batch("Emails.take", emails.take, ({ id }) => id),
        record: yield* batch("Emails.record", emails.record)
      }),
      beside(InvoiceCreation, { create: yield* batch("InvoiceCreation.create", creation.create) }),
      beside(Invoices, { load: yield* batch("Invoices.load", invoices.load) }),
      beside(Numbering, { number, numberAll: each(number) }),
      beside(Transitions, { move, moveAll: each(move) })
    )
  })

/** Adapts a function of several items to one item. */
const alone =
  <A, B>(all: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<Exit.Exit<B>>>) =>
  (item: A): Effect.Effect<B> =>
    Effect.flatMap(all([item]), ([exit]) => exit ?? Effect.die("no answer"))

/** Replaces members of a service; the others stay as in `store`. */
const besideOthers =
  (store: Context.Context<never>) =>
  <I, S extends object>(service: Context.Key<I, S>, members: Partial<S>) =>
    Context.add(service, { ...Context.getUnsafe(store, service), ...members })

/** Rolls back the writes if the effect fails. */
const atomically = <A>(tables: Tables, effect: Effect.Effect<A>) =>
  Effect.suspend(() => {
    const before = Object.fromEntries(
      Object.entries(tables).map(([name, rows]) => [name, copyOf(rows)])
    ) as unknown as Tables
    return Effect.onError(effect, () => Effect.sync(() => fill(tables, before)))
  })

const copyOf = (rows: Tables[keyof Tables]) =>
  Array.isArray(rows) ? [...rows] : new Map(rows as ReadonlyMap<string, unknown>)

/** Replaces the rows of `to` with the rows of `from`; without `from` it deletes them. */
export const fill = (to: Tables, from?: Tables): void => {
  for (const name of Object.keys(to) as Array<keyof Tables>) {
    const rows = to[name]
    const others = from?.[name]
    if (Array.isArray(rows)) rows.splice(0, rows.length, ...((others ?? []) as Array<never>))
    else {
      rows.clear()
      for (const [key, row] of (others ?? new Map()) as Map<string, never>) rows.set(key, row)
    }
  }
}
