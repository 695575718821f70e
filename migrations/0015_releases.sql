-- Processes of two releases beside each other, while the later release takes the place of the earlier one.
--
-- A process of the release before may work beside this one: it says nothing of its release, and so counts as release 14.

-- release: the last migration that the process knows.
alter table workers add column release integer not null default 14;

-- The earliest release that can serve these tables, by the last migration that it knows. A migration that takes away what earlier
-- releases need raises it (`-- serves:` in its first lines).
create table oldest_release (
  one boolean primary key default true check (one),
  release integer not null
);

insert into oldest_release (release) values (14);
revoke all on oldest_release from folio_service;
grant select on oldest_release to folio_service;

create function refuse_early_release() returns trigger language plpgsql as $$ begin
  if new.release < (select release from oldest_release) then
    raise exception using errcode = 'integrity_constraint_violation',
      message = format('the tables are of a release that process %s does not know: start a later release of Folio', new.id);
  end if;
  return new;
end $$;

-- Each heartbeat of a process inserts its row anew.
create trigger refuse_early_release before insert on workers for each row execute function refuse_early_release();
