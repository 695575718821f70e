-- What a database knows of having been restored from a backup: that it was, which ranges give no number until their last one is
-- confirmed, and which numbers belong to documents that the restore has lost.
--
-- A process of the release before may work beside this one: a database that was not restored has no row here, and holds no range.

-- The restores of this database, the first one first; empty in a database that was never restored.
--   taken_at           when the backup was begun; null where it is not known, as with a dump of PostgreSQL's own
--   restored_at        when it was restored
--   transaction_base   what is added to the numbers of this server's transactions, so that events go on after those that were restored
create table restores (
  number integer primary key check (number > 0),
  taken_at timestamptz,
  restored_at timestamptz not null,
  transaction_base bigint not null check (transaction_base >= 0)
);

revoke update, delete on restores from folio_service;
grant select, insert on restores to folio_service;
grant select on restores to folio_account;

-- A server counts its transactions from the start, and events are followed in the order of theirs: in a database that was restored,
-- the count goes on beyond all that the server before had reached.
create function transaction_base() returns bigint stable language sql
return (select coalesce(max(transaction_base), 0) from restores);
create function current_transaction() returns xid8 volatile language plpgsql as $$ begin
  return (pg_current_xact_id()::text::bigint + transaction_base())::text::xid8;
end $$;
alter table events alter column tx set default current_transaction();

create or replace function oldest_transaction() returns xid8 stable language sql as $$
  select (coalesce(min(x.xip), pg_snapshot_xmax(pg_current_snapshot()))::text::bigint + transaction_base())::text::xid8
  from pg_snapshot_xip(pg_current_snapshot()) as x (xip)
  where not exists (
    select from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'transactionid' and l.transactionid = x.xip::xid and l.mode = 'ExclusiveLock' and l.granted
      and a.datid <> (select oid from pg_database where datname = current_database())
  )
$$;

-- held_since: the range gives no number from then on, because the authority may have numbers of it that this database does not know.
alter table resolutions add column held_since timestamptz;

-- The ranges that give no number, for those who look whether there are any.
create index resolutions_held on resolutions (account_id, livemode, id) where held_since is not null;

grant update (held_since) on resolutions to folio_service;

-- No process gives a number of a range that is held, whatever it has read before.
create trigger held after update of next_number on resolutions for each row
  when (old.held_since is not null and new.held_since is not null and new.next_number <> old.next_number)
  execute function refuse_change('a range that is held gives no number');

-- For 30 days after a restore, a range that is made anew may be one that was lost: a counter of notes, or a range that was granted
-- before. An account that is made after the restore may be one that was lost, too: a live range that was granted before is held, unless
-- its next number was given.
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
create trigger held_anew before insert on resolutions for each row execute function hold_new_range();

-- Numbers that the authority has and this database has not: of documents that were made after the backup. No document gets them.
create table lost_numbers (
  account_id text not null,
  livemode boolean not null,
  resolution_id text not null,
  from_number bigint not null,
  to_number bigint not null,
  recorded_at timestamptz not null default now(),
  primary key (account_id, livemode, resolution_id, from_number),
  foreign key (account_id, livemode, resolution_id) references resolutions (account_id, livemode, id),
  check (from_number <= to_number)
);

revoke update, delete on lost_numbers from folio_service;
grant select, insert on lost_numbers to folio_service;
grant select on lost_numbers to folio_account;
call fence('lost_numbers');

-- Who may take on folio_service may dump the database: pg_dump --role=folio_service --enable-row-security.
do $$ begin
  execute format('grant select on all sequences in schema %I to folio_service', current_schema());
  execute format('alter default privileges in schema %I grant select on sequences to folio_service', current_schema());
  if to_regclass('effect_sql_migrations') is not null then
    grant select on effect_sql_migrations to folio_service;
  end if;
end $$;
