-- The audit log as one chain of hashes for each account and mode, with ids for the API.
--
-- A new entry has no position. The sweeper seals it: the entry gets the next position of its chain, 1, 2, 3 …, and
--   hash = sha256(hash of the entry before || text of the entry in UTF-8)
-- Before position 1, the hash is 32 zero bytes. The text is a JSON array of all fields: see `entryText` in
-- src/operations/store/AuditChains.ts. A writer never waits for the chain, because it doesn't know its position.

-- The id of an entry: its time in milliseconds in base 32, the microseconds, and 52 random bits.
create function audit_entry_id(made timestamptz) returns text language sql volatile
return (
  select 'aud_' || substr(digits, ((ms >> 45) & 31)::integer + 1, 1) || substr(digits, ((ms >> 40) & 31)::integer + 1, 1)
    || substr(digits, ((ms >> 35) & 31)::integer + 1, 1) || substr(digits, ((ms >> 30) & 31)::integer + 1, 1)
    || substr(digits, ((ms >> 25) & 31)::integer + 1, 1) || substr(digits, ((ms >> 20) & 31)::integer + 1, 1)
    || substr(digits, ((ms >> 15) & 31)::integer + 1, 1) || substr(digits, ((ms >> 10) & 31)::integer + 1, 1)
    || substr(digits, ((ms >> 5) & 31)::integer + 1, 1) || substr(digits, (ms & 31)::integer + 1, 1)
    || lpad(to_hex(us % 1000), 3, '0') || left(random, 1) || right(random, 12)
  from (
    select '0123456789abcdefghjkmnpqrstvwxyz' as digits, us / 1000 as ms, us, gen_random_uuid()::text as random
    from (select (extract(epoch from made) * 1000000)::bigint as us) moment
  ) parts
);

alter table audit_log rename column at to created_at;
alter table audit_log add id text, add position bigint check (position > 0), add hash bytea check (octet_length(hash) = 32),
  add constraint sealed_with_a_hash check ((position is null) = (hash is null));
-- The owner changes rows, which the policies hide from it.
alter table audit_log no force row level security;
update audit_log set id = audit_entry_id(created_at);
alter table audit_log force row level security;
alter table audit_log alter id set not null, alter id set default audit_entry_id(clock_timestamp()),
  drop constraint audit_log_pkey, add primary key (account_id, livemode, id);

drop index audit_log_age;
create unique index audit_log_positions on audit_log (account_id, livemode, position) where position is not null;
-- For the sweeper: the entries to seal, in the order of the chain.
create index audit_log_unsealed on audit_log (account_id, livemode, seq) where position is null;
-- For the filters of the list. Almost all entries are creations, so that the primary key finds them quickly, and each
-- creation writes one index less.
create index audit_log_objects on audit_log (account_id, livemode, object_id) where object_id is not null;
create index audit_log_actors on audit_log (account_id, livemode, actor, id);
create index audit_log_actions on audit_log (account_id, livemode, action, id)
  where action not in ('customer.created', 'document.created');

-- The first and the last entry of each chain, so that a missing end is found.
--   position, hash           the last sealed entry; 0 and zero bytes if there is none yet
--   first_position, before   the oldest entry that retention has not deleted, and the hash of the entry before it
create table audit_chains (
  account_id text not null references accounts, livemode boolean not null,
  position bigint not null default 0,
  hash bytea not null default decode(repeat('00', 32), 'hex') check (octet_length(hash) = 32),
  first_position bigint not null default 1 check (first_position between 1 and position + 1),
  before bytea not null default decode(repeat('00', 32), 'hex') check (octet_length(before) = 32),
  primary key (account_id, livemode)
);
create trigger chain_only_grows before update on audit_chains for each row
  when (
    (new.account_id, new.livemode) is distinct from (old.account_id, old.livemode)
    or new.position < old.position or new.first_position < old.first_position
  )
  execute function reject_change('a chain of the audit log only grows');
create trigger entry_is_sealed_once before update on audit_log for each row
  when (
    old.position is not null or new.position is null
    or (new.account_id, new.livemode, new.seq, new.id, new.created_at, new.actor, new.action, new.object_id, new.request_id, new.ip, new.details)
      is distinct from
      (old.account_id, old.livemode, old.seq, old.id, old.created_at, old.actor, old.action, old.object_id, old.request_id, old.ip, old.details)
  )
  execute function reject_change('an entry of the audit log never changes');
-- By default, folio_service has all rights on a new table.
revoke update, delete on audit_chains from folio_service;
grant update (position, hash) on audit_chains to folio_service;
call isolate_accounts('audit_chains');
-- The owner moves the first position when it deletes old entries.
create policy owner on audit_chains to current_user using (true);
grant update (position, hash) on audit_log to folio_service;
-- An account's request reads its own entries.
grant select on audit_log to folio_account;

-- The setting AUDIT_RETENTION_DAYS belongs to the service, which passes it as `days`. The database itself guarantees
-- the least that the setting allows, 30 days: the policy `expired` shows the owner only older entries, and no other
-- role can delete any. A process of the release before passes no days.
alter policy expired on audit_log using (created_at < now() - interval '30 days');
drop function purge_audit_log(integer);

-- Deletes at most `most` of the oldest entries of the chains. Only entries before the first younger one are deleted, so
-- that each chain stays whole.
create function purge_audit_log(most integer, days integer default 1827) returns bigint language sql volatile security definer
set search_path = pg_catalog, pg_temp set row_security = on
begin atomic
  with chain as materialized (
    select c.account_id, c.livemode, c.first_position from audit_chains c
    cross join lateral (
      select created_at from audit_log a
      where a.account_id = c.account_id and a.livemode = c.livemode and a.position >= c.first_position
      order by a.position limit 1
    ) oldest
    where oldest.created_at < now() - greatest(days, 30) * interval '1 day'
    order by c.account_id, c.livemode limit most for update of c skip locked
  ),
  old as materialized (
    select o.* from chain c
    cross join lateral (
      select * from (
        select a.account_id, a.livemode, a.id, a.position, a.hash,
          bool_and(a.created_at < now() - greatest(days, 30) * interval '1 day') over (order by a.position) as is_old
        from audit_log a
        where a.account_id = c.account_id and a.livemode = c.livemode and a.position >= c.first_position
        order by a.position limit most
      ) aged
      where is_old order by position
    ) o
    limit most
  ),
  gone as (
    delete from audit_log a using old
    where a.account_id = old.account_id and a.livemode = old.livemode and a.id = old.id returning 1
  ),
  moved as (
    update audit_chains c set first_position = last.position + 1, before = last.hash
    from (
      select distinct on (account_id, livemode) account_id, livemode, position, hash from old
      order by account_id, livemode, position desc
    ) last
    where c.account_id = last.account_id and c.livemode = last.livemode
  )
  select count(*) from gone;
end;
revoke execute on function purge_audit_log(integer, integer) from public;
grant execute on function purge_audit_log(integer, integer) to folio_service;
