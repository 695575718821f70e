import type { Option } from "effect"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { AccountMode } from "../../schemas/Account.ts"
import { Failure } from "../../schemas/FiscalDocument.ts"
import { type InvoiceState, states } from "../domain/InvoiceLifecycle.ts"

/** Names a document as a client does. */
export interface InvoiceName extends AccountMode {
  readonly id: string
}

const Standing = Schema.Struct({
  state: Schema.Literals(states),
  version: Schema.Int,
  has_number: Schema.Boolean,
  is_issued: Schema.Boolean,
  failure: Schema.NullOr(Failure)
})
/** What decides whether a command may be carried out. */
export type Standing = typeof Standing.Type

// The actor that is told after the commit may not hear of it: then the sweeper looks.
const retryAlarmSeconds = 5

/** What clients ask of their documents. All of it is part of the caller's transaction, in the account's view. */
export class InvoiceCommands extends Context.Service<
  InvoiceCommands,
  {
    /** Locks the document: until the transaction ends nobody else moves it. */
    readonly lock: (key: InvoiceName) => Effect.Effect<Option.Option<Standing>>
    /** Moves a locked document. */
    readonly move: (
      key: InvoiceName,
      from: Standing,
      command: "Cancel" | "Retry",
      to: InvoiceState
    ) => Effect.Effect<void>
  }
>()("folio/store/InvoiceCommands") {
  static readonly layer = Layer.effect(
    InvoiceCommands,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const find = SqlSchema.findOneOption({
        Request: Schema.Struct({ ...AccountMode.fields, id: Schema.String }),
        Result: Standing,
        execute: (key) => sql`
          select state, version, number is not null as has_number,
            submitted_at is not null or contingency_since is not null as is_issued, failure
          from invoices
          where account_id = ${key.account_id} and livemode = ${key.livemode} and id = ${key.id} for update`
      })

      const move: InvoiceCommands["Service"]["move"] = (key, from, command, to) => {
        const alarm = command === "Retry" ? sql`now() + ${retryAlarmSeconds} * interval '1 second'` : sql`null`
        return sql`
          with moved as (
            update invoices set state = ${to}, version = version + 1, attempts = 0, next_action_at = ${alarm},
              worker = null, failure = null, updated_at = now()
            where account_id = ${key.account_id} and livemode = ${key.livemode} and id = ${key.id}
            returning account_id, livemode, id, version
          )
          insert into transitions (account_id, livemode, invoice_id, version, command, from_state, to_state, at)
          select account_id, livemode, id, version, ${command}, ${from.state}, ${to}, now() from moved`.pipe(
          Effect.orDie,
          Effect.asVoid
        )
      }

      return InvoiceCommands.of({
        lock: Effect.fn("InvoiceCommands.lock")((key: InvoiceName) => Effect.orDie(find(key))),
        move: Effect.fn("InvoiceCommands.move")(move)
      })
    })
  )
}
