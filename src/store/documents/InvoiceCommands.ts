import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type DocumentKey, Failure } from "../../../schemas/FiscalDocument.ts"
import { type InvoiceState, states } from "../../domain/documents/InvoiceLifecycle.ts"
import { ofKey } from "../sql/Keys.ts"
import * as Query from "../sql/Query.ts"

const Standing = Schema.Struct({
  state: Schema.Literals(states),
  version: Schema.Int,
  has_number: Schema.Boolean,
  is_issued: Schema.Boolean,
  failure: Schema.NullOr(Failure)
})
/** The facts of a document that decide whether a command is allowed. */
export type Standing = typeof Standing.Type

// The tell to the document's actor after the commit can be lost; the sweeper then takes up the document after this time.
const retryAlarmSeconds = 5

/** Commands of clients to their documents. Every method runs in the caller's transaction and account view. */
export class InvoiceCommands extends Context.Service<InvoiceCommands>()("folio/store/InvoiceCommands", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const lock = Query.first(
      Standing,
      (key: DocumentKey) => sql`
        select state, version, number is not null as has_number, is_issued(i), failure
        from invoices i where ${ofKey(sql, key)} for update`
    )

    const move = (key: DocumentKey, from: Standing, command: "Cancel" | "Retry", to: InvoiceState) => {
      const alarm = command === "Retry" ? sql`now() + ${retryAlarmSeconds} * interval '1 second'` : sql`null`
      return sql`
        with moved as (
          update invoices set state = ${to}, version = version + 1, attempts = 0, next_action_at = ${alarm},
            worker = null, failure = null, updated_at = now()
          where ${ofKey(sql, key)}
          returning account_id, livemode, id, version
        )
        insert into transitions (account_id, livemode, invoice_id, version, command, from_state, to_state, at)
        select account_id, livemode, id, version, ${command}, ${from.state}, ${to}, now() from moved`.pipe(
        Effect.orDie,
        Effect.asVoid
      )
    }

    return {
      /** Locks the document, so that nothing else changes its state until the transaction ends. */
      lock: Effect.fn("InvoiceCommands.lock")(lock),
      /** Moves a locked document to the state `to` and records the transition. */
      move: Effect.fn("InvoiceCommands.move")(move)
    }
  })
}) {
  static readonly layer = Layer.effect(InvoiceCommands, InvoiceCommands.make)
}
