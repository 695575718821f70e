import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { isDeepStrictEqual } from "node:util"
import type { InvoiceCommand } from "../../src/invoices/rules/InvoiceLifecycle.ts"
import { until } from "../support/apps/Until.ts"
import { layerOwner } from "../support/database/Owners.ts"
import { freshDatabase, layerAdmin } from "../support/database/Postgres.ts"
import { describeLive } from "../support/Tests.ts"
import { keysAndCreation, numbering, transitions } from "./Documents.ts"
import { deliveries, events, redeliveries, takenWithTheEvent } from "./Webhooks.ts"
import { Contract } from "./World.ts"

/** All columns in which the contract lets time pass. */
const times = {
  deliveries: ["next_attempt_at", "prior_attempt_at"],
  idempotency_keys: ["completed_at"],
  invoices: ["next_action_at", "waiting_since"]
}

const contract = Layer.effect(
  Contract,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const moveBack = (seconds: number) =>
      Object.entries(times).map(([table, columns]) => {
        const earlier = columns.map((column) => sql`${sql(column)} = ${sql(column)} - ${seconds} * interval '1 second'`)
        return sql`update ${sql(table)} set ${sql.csv(earlier)}`
      })
    return Contract.of({
      pass: (seconds) =>
        Effect.orDie(
          sql.withTransaction(
            Effect.andThen(sql`set local session_replication_role = replica`, Effect.all(moveBack(seconds)))
          )
        ),
      shows: (look, expected) => Effect.orDie(until(look, (found) => isDeepStrictEqual(found, expected))),
      transitions: ({ id }) =>
        sql<{ version: number; command: InvoiceCommand }>`
          select version, command from transitions where invoice_id = ${id} order by version`.pipe(
          Effect.map((rows) => rows.map(({ command, version }) => [version, command] as const)),
          Effect.orDie
        )
    })
  })
)

const layer = Layer.unwrap(
  Effect.map(freshDatabase, (url) => Layer.merge(layerOwner(url), Layer.provide(contract, layerAdmin(url))))
)

describeLive(layer)("PostgreSQL", (it) => {
  keysAndCreation(it)
  numbering(it)
  transitions(it)
  deliveries(it)
  redeliveries(it)
  takenWithTheEvent(it)
  events(it)
})
