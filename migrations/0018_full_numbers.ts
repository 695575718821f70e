import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * A full number is given once within an account's mode and kind, whatever ranges it could come from; a code is of one account's mode,
 * and what another account copies stands in nobody's way. Documents that share a number already are as they are, issued and
 * accepted: `twin` counts them, from 1 on the younger ones, and `folio doctor` names them. Nothing else sets it.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table invoices add twin smallint not null default 0`
  yield* sql`grant update (twin) on invoices to folio_service`
  yield* sql`set local role folio_service`
  yield* sql`set local row_security = on`
  yield* sql`
    update invoices i set twin = t.place
    from (
      select account_id, livemode, id,
        row_number() over (partition by full_number, account_id, livemode, kind order by id) - 1 as place
      from invoices where full_number is not null
    ) t
    where t.place > 0 and i.account_id = t.account_id and i.livemode = t.livemode and i.id = t.id`
  yield* sql`set local row_security = off`
  yield* sql`reset role`
  yield* sql`revoke update (twin) on invoices from folio_service`
  yield* sql`
    create unique index invoices_full_number on invoices (full_number, account_id, livemode, kind, twin)
    where full_number is not null`
  yield* sql`drop index invoices_number`
  yield* sql`create index invoices_twins on invoices (full_number) where twin > 0`
  yield* sql`drop index invoices_cufe`
  yield* sql`create unique index invoices_cufe on invoices (cufe, account_id, livemode) where cufe is not null`
})
