import { Context, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { AccountMode } from "../../schemas/Account.ts"
import { ResolutionId } from "../../schemas/Id.ts"
import { LocalDate } from "../../schemas/Money.ts"

const Row = Schema.Struct({
  ...AccountMode.fields,
  id: ResolutionId,
  number: Schema.String,
  document_type: Schema.Literal("invoice"),
  prefix: Schema.String,
  from_number: Schema.BigInt,
  to_number: Schema.BigInt,
  valid_from: LocalDate,
  valid_to: LocalDate,
  technical_key: Schema.String,
  is_active: Schema.Boolean,
  next_number: Schema.BigInt,
  created_at: Schema.Date
})
export type StoredResolution = typeof Row.Type

/** Numbering ranges that the authority granted. The counter itself is moved by `Numbering` alone. */
export class Resolutions extends Context.Service<
  Resolutions,
  {
    /** The range that new invoices are numbered from on `date` (YYYY-MM-DD): active, valid, not exhausted, oldest first. */
    readonly current: (of: AccountMode, date: string) => Effect.Effect<Option.Option<StoredResolution>>
    readonly insert: (resolution: StoredResolution) => Effect.Effect<void>
  }
>()("folio/store/Resolutions") {
  static readonly layer = Layer.effect(
    Resolutions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const current = SqlSchema.findOneOption({
        Request: Schema.Struct({ ...AccountMode.fields, date: LocalDate }),
        Result: Row,
        execute: (request) => sql`
          select ${sql.literal(Object.keys(Row.fields).join(", "))} from resolutions
          where account_id = ${request.account_id} and livemode = ${request.livemode} and is_active
            and document_type = 'invoice' and ${request.date}::date between valid_from and valid_to
            and next_number <= to_number
          order by id limit 1`
      })

      return Resolutions.of({
        current: (of, date) => Effect.orDie(current({ ...of, date })),
        insert: (resolution) => sql`insert into resolutions ${sql.insert(resolution)}`.pipe(Effect.orDie, Effect.asVoid)
      })
    })
  )
}
