-- Usage of accounts by day, and live accounts with the same issuer.

-- The documents of an account that reached an outcome on a day. The statement that ends a document counts it, so that
-- no read counts documents. Each outcome counts: a document that fails and is accepted after a retry counts as failed
-- and as accepted. Rows are kept. Only platforms read them, and no release without this table has platforms. Therefore
-- this migration counts no earlier documents.
--   day       date of the outcome in the authority's time zone
--   outcome   state of the document
create table daily_usage (
  account_id text not null, livemode boolean not null, day date not null, kind text not null, outcome text not null,
  documents integer not null check (documents > 0),
  primary key (account_id, livemode, day, kind, outcome),
  constraint known_kind check (kind in ('invoice', 'credit_note', 'debit_note')),
  constraint known_outcome check (outcome in ('accepted_by_authority', 'rejected_by_authority', 'failed', 'canceled'))
)
-- A row of today changes with every batch of documents. The free space of its page holds its versions.
with (fillfactor = 50);
create trigger usage_only_grows before update on daily_usage for each row when (new.documents <= old.documents)
  execute function reject_change('usage only grows');
-- By default, the service may change the rows of a new table.
revoke update, delete on daily_usage from folio_service;
grant select, insert, update (documents) on daily_usage to folio_service, folio_account;
call isolate_accounts('daily_usage');
-- A request only cancels documents. The service performs all other commands that end a document.
create policy requested_outcomes on daily_usage as restrictive for insert to folio_account
  with check (outcome = 'canceled');
create policy requested_counts on daily_usage as restrictive for update to folio_account
  using (outcome = 'canceled');

-- The live accounts of an issuer, whose numbering ranges may not meet.
create index account_modes_issuer on account_modes ((issuer #>> '{identification,number}')) where livemode;
