-- Technical keys of numbering ranges are sealed like other secrets: in `technical_key_sealed`, and no longer in clear.
--
-- A process of the release before reads the clear keys, and may work in parallel. So a database that such a process may serve keeps its
-- clear keys. A new database seals from the start. In another one, the processes of this release seal all keys once a later release
-- has a migration with `-- serves: 29`.

alter table resolutions add column technical_key_sealed text;
alter table enablements add column technical_key_sealed text;

-- The rows that the processes have yet to seal.
create index resolutions_unsealed on resolutions (id) where technical_key <> '';
create index enablements_unsealed on enablements (id) where range ->> 'technical_key' is not null;

grant select on oldest_release to folio_account;
grant update (technical_key_sealed) on resolutions to folio_service;
grant update (technical_key_sealed) on enablements to folio_service, folio_account;

-- Whether every process that can serve these tables opens sealed technical keys.
create function are_technical_keys_sealed() returns boolean stable language sql
return (select release >= 29 from oldest_release);

-- A process writes a key in clear and sealed: one of the two is kept.
create function keep_technical_key() returns trigger language plpgsql as $$ begin
  if not are_technical_keys_sealed() then
    new.technical_key_sealed := null;
  elsif tg_table_name = 'resolutions' then
    new.technical_key := '';
  else
    new.range := new.range - 'technical_key';
  end if;
  return new;
end $$;
create trigger keep_technical_key before insert or update of technical_key_sealed on resolutions for each row
  when (new.technical_key_sealed is not null) execute function keep_technical_key();
create trigger keep_technical_key before insert or update of technical_key_sealed on enablements for each row
  when (new.technical_key_sealed is not null) execute function keep_technical_key();

-- No process of an earlier release has served a database that this transaction makes.
update oldest_release set release = 29 where not exists (select from effect_sql_migrations where created_at < now());
