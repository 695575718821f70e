import { detailsOf } from "../../../src/documents/rules/Details.ts"
import { Effect, Latch, Layer, Option, Result } from "effect"
import { ApiError } from "../../../schemas/ApiError.ts"
import { Customers } from "../../../src/accounts/store/Customers.ts"
import { Database } from "../../../src/database/Database.ts"
import {
  type Answer,
  type Claim,
  conflict,
  Idempotency,
  type Outcome
} from "../../../src/accounts/store/Idempotency.ts"
import { InvoiceCreation } from "../../../src/invoices/store/InvoiceCreation.ts"
import { Workers } from "../../../src/database/Workers.ts"
import { layerAccounts, layerApiKeys, layerAuditLog, layerCertificates } from "./MemoryAccounts.ts"
import { layerInvoiceCommands } from "./MemoryCommands.ts"
import { layerDeliveries, layerNumbering, layerTransitions } from "./MemoryDelivery.ts"
import { layerEndpoints } from "./MemoryEndpoints.ts"
import { layerInvoices } from "./MemoryInvoices.ts"
import { layerEmails } from "./MemoryEmails.ts"
import { layerDeliveryLog, layerEvents } from "./MemoryEvents.ts"
import { layerNotes, numberWithinMs, untouched } from "./MemoryNotes.ts"
import { layerResolutions } from "./MemoryResolutions.ts"
import { layerCircuits } from "./MemoryContingency.ts"
import * as OnPostgres from "./OnPostgres.ts"
import { pageOf } from "./MemoryPages.ts"
import { inMemory, type InvoiceRow, MemoryTables, optionOf, type Tables } from "./MemoryTables.ts"

/*
 * The store in memory: the SQL's effect on one row at a time. Each call is atomic like a statement, has the same
 * comparisons as guards, and uses the Effect clock, so that `TestClock` drives every lease, alarm and window. Locks,
 * concurrent transactions, crashes and batches need a database: they are tested on PostgreSQL.
 */

const windowMs = 24 * 3_600_000

const keyOf = (claim: Claim) => `${claim.api_key_id}|${claim.value}`

/** The response stored within the window; a failure if the key belongs to another request. */
const stored = (tables: Tables, claim: Claim, now: number): Result.Result<Option.Option<Answer>, ApiError> => {
  const row = tables.idempotencyKeys.get(keyOf(claim))
  if (row === undefined || row.completed_at <= now - windowMs) return Result.succeed(Option.none())
  return row.fingerprint === claim.fingerprint
    ? Result.succeed(Option.some(row.answer))
    : Result.fail(conflict(claim.value))
}

const keep = (tables: Tables, claim: Claim, answer: Answer, now: number) =>
  tables.idempotencyKeys.set(keyOf(claim), { fingerprint: claim.fingerprint, answer, completed_at: now })

/** Replays, rejects, or runs `effect` and stores its response, like a statement with `claimAll`. */
const claimed = (
  tables: Tables,
  now: number,
  request: { readonly claim: Claim; readonly answer: Answer },
  effect: () => Result.Result<unknown, ApiError>
): Result.Result<Outcome, ApiError> => {
  const found = stored(tables, request.claim, now)
  if (Result.isFailure(found)) return Result.fail(found.failure)
  if (Option.isSome(found.success)) return Result.succeed({ answer: found.success.value, replayed: true })
  return Result.map(effect(), () => {
    keep(tables, request.claim, request.answer, now)
    return { answer: request.answer, replayed: false }
  })
}

const layerCustomers = inMemory(Customers, ({ attempt, call }) => ({
  find: (account, id) => call("Customers.find", ({ customers }) => optionOf(customers, account, id)),
  // Filters are tested on PostgreSQL.
  list: (account, request) => call("Customers.list", ({ customers }) => pageOf(customers, account, request)),
  create: (draft) =>
    attempt("Customers.create", (tables, now) =>
      claimed(tables, now, draft, () => Result.succeed(tables.customers.set(draft.customer.id, draft.customer)))
    )
}))

const layerDatabase = inMemory(Database, ({ call }) => ({
  answers: Effect.isSuccess(Effect.sandbox(call("Database.answers", () => true))),
  takesChanges: Effect.isSuccess(Effect.sandbox(call("Database.takesChanges", () => true))),
  note: () => Effect.void
}))

const layerIdempotency = inMemory(Idempotency, ({ attempt, call }) => {
  const lookup: Idempotency["Service"]["lookup"] = (claim) =>
    attempt("Idempotency.lookup", (tables, now) => stored(tables, claim, now))
  // A second request with the same key waits for the first, as at the unique index. No effect fails after it has
  // written, so nothing must be rolled back. All waiters are woken: one of them may be on a killed machine.
  const free = Latch.makeUnsafe(true)
  let isTaken = false
  const begin: Effect.Effect<void> = Effect.suspend(() => {
    if (isTaken) return Effect.andThen(Effect.interruptible(free.await), begin)
    isTaken = true
    free.closeUnsafe()
    return Effect.void
  })
  const end = Effect.sync(() => {
    isTaken = false
    free.openUnsafe()
  })
  return {
    lookup,
    once: (_of, claim, effect) =>
      Effect.acquireUseRelease(
        begin,
        () =>
          Effect.gen(function* () {
            const found = claim === null ? Option.none() : yield* lookup(claim)
            if (Option.isSome(found)) return { answer: found.value, replayed: true }
            const answer = yield* effect
            if (claim !== null) yield* call("Idempotency.once", (tables, now) => keep(tables, claim, answer, now))
            return { answer, replayed: false }
          }),
        () => end
      )
  }
})

const layerInvoiceCreation = inMemory(InvoiceCreation, ({ attempt }) => ({
  create: (draft) =>
    attempt("InvoiceCreation.create", (tables, now) => {
      const { created_at, id, account, request, totals } = draft
      const customer = optionOf(tables.customers, account, request.customer_id)
      const outcome = claimed(tables, now, draft, () => {
        if (Option.isNone(customer))
          return Result.fail(ApiError.missing("customer", request.customer_id, "customer_id"))
        const row: InvoiceRow = {
          ...untouched,
          ...account,
          id,
          customer_id: customer.value.id,
          next_action_at: now + numberWithinMs,
          kind: "invoice",
          currency: request.currency,
          exchange_rate: request.exchange_rate ?? null,
          operation_type: request.operation_type,
          payment_means: request.payment_means,
          lines: request.lines,
          details: detailsOf(request),
          totals,
          acquirer: customer.value.acquirer,
          metadata: request.metadata ?? {},
          invoice_id: null,
          correction_code: null,
          reason: null,
          range_prefix: request.prefix ?? null,
          created_at,
          updated_at: created_at
        }
        return Result.succeed(tables.invoices.set(id, row))
      })
      return Result.map(outcome, (done) => ({
        outcome: done,
        acquirer: done.replayed ? Option.none() : Option.map(customer, (row) => row.acquirer)
      }))
    })
}))

/** There is only one worker in memory. */
const layerWorkers = inMemory(Workers, (memory) => ({
  id: "memory",
  isAlive: Effect.sync(() => memory.isAlive),
  freeDead: Effect.void,
  succeed: Effect.void
}))

/** Every store service that actors and routes need, on one `MemoryTables`. */
export const layer = Layer.mergeAll(
  OnPostgres.layer,
  layerAccounts,
  layerApiKeys,
  layerAuditLog,
  layerCertificates,
  layerCircuits,
  layerCustomers,
  layerDatabase,
  layerDeliveries,
  layerDeliveryLog,
  layerEmails,
  layerEndpoints,
  layerEvents,
  layerIdempotency,
  layerInvoiceCommands,
  layerInvoiceCreation,
  layerInvoices,
  layerNotes,
  layerNumbering,
  layerResolutions,
  layerTransitions,
  layerWorkers
).pipe(Layer.provideMerge(MemoryTables.layer))
