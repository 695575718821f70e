-- What an account's simulated authority does with each of its next documents.

--   next           the scripts that no document has taken yet, the next one first
--   scripted_from  documents whose ids, without their prefix, sort after this text take these scripts; null in an account that never had
--                  scripts, whose documents need no look-up
alter table sandbox_authorities
  add next jsonb not null default '[]' check (jsonb_typeof(next) = 'array'),
  add scripted_from text,
  add constraint scripts_are_of_later_documents check (next = '[]' or scripted_from is not null);

-- The script that a document took. The document keeps it, so that a submission after a crash, or by another process, has the same outcome.
create table sandbox_scripts (
  account_id text not null,
  livemode boolean not null default false check (not livemode),
  document_id text not null,
  script jsonb not null,
  primary key (account_id, livemode, document_id),
  foreign key (account_id, livemode, document_id) references invoices (account_id, livemode, id)
);

revoke update, delete on sandbox_scripts from folio_service;
grant select, insert on sandbox_scripts to folio_service, folio_account;
call fence('sandbox_scripts');
