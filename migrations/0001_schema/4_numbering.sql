-- Numbering: ranges with their counters, and the numbers that a restored database lacks.

-- The restores of this database, oldest first; empty in a database that was never restored.
--   taken_at           start of the backup; null if unknown, for example after a dump of PostgreSQL
--   transaction_base   difference between the transaction numbers in events and this server's transaction numbers
create table restores (
  number integer primary key check (number > 0),
  taken_at timestamptz, restored_at timestamptz not null,
  transaction_base bigint not null check (transaction_base >= 0)
);
grant select, insert on restores to folio_service;
grant select on restores to folio_account;

-- The ranges that the authority has granted, the ranges of notes that the account has registered, and Folio's counters
-- of notes.
--   registered             for a range of notes: whether the account registered it; false for Folio's counter
--   technical_key          a public key in clear, such as the sandbox's key; '' otherwise
--   technical_key_sealed   a key that isn't public; null otherwise
--   next_number            the counter; its change locks the row, so a rollback returns the number
--   held_since             time from which the range gives no number, because the authority may have numbers that a
--                          restore has lost
create table resolutions (
  account_id text not null references accounts, livemode boolean not null, id text not null,
  number text not null, document_type text not null, prefix text not null, from_number bigint not null, to_number bigint not null,
  valid_from date not null, valid_to date not null, technical_key text not null, is_active boolean not null default true,
  next_number bigint not null, created_at timestamptz not null, registered boolean not null default false, held_since timestamptz,
  technical_key_sealed text,
  primary key (account_id, livemode, id),
  check (document_type in ('invoice', 'credit_note', 'debit_note')),
  check (from_number <= to_number),
  check (next_number between from_number and to_number + 1),
  constraint valid_for_some_days check (valid_from <= valid_to),
  constraint key_is_public_or_sealed check (technical_key = '' or technical_key_sealed is null)
);

-- An account's mode has one counter per kind of note, and any number of registered ranges.
create unique index resolutions_counter on resolutions (account_id, livemode, document_type)
  where document_type <> 'invoice' and not registered;
-- The ranges that give no number.
create index resolutions_held on resolutions (account_id, livemode, id) where held_since is not null;

create trigger number_is_not_given_back after update of next_number on resolutions for each row
  when (new.next_number < old.next_number) execute function reject_change('a number is never given back');

-- Applies to every process, also to one that read the range before the hold.
create trigger held_range_gives_no_number after update of next_number on resolutions for each row
  when (old.held_since is not null and new.held_since is not null and new.next_number <> old.next_number)
  execute function reject_change('a range that is held gives no number');

-- For 30 days after a restore, a new range may be one that the restore has lost: a counter of notes, or a range that
-- was granted before the restore. A new account may be one that the restore has lost, too. A live range of a new
-- account that was granted before the restore is held, unless the request states the next number.
create function hold_new_range() returns trigger language plpgsql as $$ begin
  if exists (
    select from restores r join accounts a on a.id = new.account_id
    where r.restored_at > now() - interval '30 days'
      and (new.document_type <> 'invoice' or new.valid_from <= r.restored_at::date)
      and (a.created_at <= r.restored_at
        or new.livemode and new.document_type = 'invoice' and new.next_number = new.from_number)
  ) then
    new.held_since := now();
  end if;
  return new;
end $$;
create trigger range_lost_by_a_restore_is_held before insert on resolutions for each row execute function hold_new_range();
grant select, insert, update (next_number, held_since) on resolutions to folio_service;
grant select, insert, update (is_active, valid_to) on resolutions to folio_account;
call isolate_accounts('resolutions');

-- Numbers of documents that the authority has and a restore has lost. No document gets these numbers.
create table lost_numbers (
  account_id text not null, livemode boolean not null, resolution_id text not null,
  from_number bigint not null, to_number bigint not null, recorded_at timestamptz not null default now(),
  primary key (account_id, livemode, resolution_id, from_number),
  foreign key (account_id, livemode, resolution_id) references resolutions (account_id, livemode, id),
  check (from_number <= to_number)
);
grant select, insert on lost_numbers to folio_service;
grant select on lost_numbers to folio_account;
call isolate_accounts('lost_numbers');
