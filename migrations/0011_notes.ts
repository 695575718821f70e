import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Credit and debit notes, and the prefix that an invoice asked for. No role may change what a note corrects, or why: the
 * columns are in nobody's grants. Rows that were there before are none of this migration's business.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    alter table invoices
      add column invoice_id text,
      add column correction_code text,
      add column reason text,
      add column range_prefix text,
      add constraint known_kind check (kind in ('invoice', 'credit_note', 'debit_note')) not valid,
      add constraint corrects check (
        case when kind = 'invoice' then num_nonnulls(invoice_id, correction_code, reason) = 0
          else num_nonnulls(invoice_id, correction_code, reason) = 3 end
      ) not valid,
      add constraint corrected foreign key (account_id, livemode, invoice_id)
        references invoices (account_id, livemode, id) not valid`
  // With the account as well, or the whole primary key of it would be read beside this.
  yield* sql`
    create index invoices_corrected on invoices (invoice_id, id, account_id, livemode) where invoice_id is not null`

  // The counters of notes stand beside the ranges of the authority, one for each kind.
  yield* sql`
    create unique index resolutions_of_notes on resolutions (account_id, livemode, document_type)
    where document_type <> 'invoice'`

  // An account makes its notes in its own transaction, as drafts and nothing more.
  yield* sql`grant insert on invoices to folio_account`
  yield* sql`
    create policy notes on invoices as restrictive for insert to folio_account
    with check (kind <> 'invoice' and state = 'queued' and version = 1 and number is null and cufe is null)`
})
