import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { Identification } from "../../../schemas/Party.ts"
import * as AccountView from "../../database/AccountView.ts"
import { ofAccount } from "../../database/Keys.ts"
import * as Query from "../../database/Query.ts"

const Row = Schema.Struct({
  found: Schema.Boolean,
  name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String)
})
/**
 * The authority's response about an acquirer. `found` is false if the authority has no record of the identification.
 */
export type KnownAcquirer = typeof Row.Type

type Key = Pick<Identification, "type" | "number">

/**
 * The stored responses of the authority about acquirers. They are valid for a day, or for an hour if the authority has
 * no record of the acquirer. Each account has its own responses, because they are personal data and were requested with
 * the account's certificate.
 */
export class Acquirers extends Context.Service<Acquirers>()("folio/accounts/store/Acquirers", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const find = Query.first(
      Row,
      (account: AccountMode, { number, type }: Key) => sql`
        select found, name, email from acquirers
        where ${ofAccount(sql, account)} and identification_type = ${type} and identification_number = ${number}
          and asked_at > now() - case when found then interval '1 day' else interval '1 hour' end`
    )
    return {
      find: (account: AccountMode, key: Key) => AccountView.within(sql, account)(find(account, key)),
      keep: Effect.fn("Acquirers.keep")(function* (
        { account_id, livemode }: AccountMode,
        { number, type }: Key,
        said: KnownAcquirer
      ) {
        const row = { account_id, livemode, identification_type: type, identification_number: number, ...said }
        const statement = sql`
          insert into acquirers ${sql.insert(row)}
          on conflict (account_id, livemode, identification_type, identification_number)
          do update set found = excluded.found, name = excluded.name, email = excluded.email, asked_at = now()`
        yield* AccountView.within(sql, { account_id, livemode })(Effect.orDie(statement))
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Acquirers, Acquirers.make)
}
