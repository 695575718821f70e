-- The software that an account has registered with the authority for itself.
--
-- A process of the release before may work beside this one: it changes issuers alone, whose versions carry the software along, and signs
-- with the service's own software until it is stopped. No account has a software of its own before all processes know of them.

-- provider_number: the NIT of who provides the software, without check digit; null for the NIT of the issuer. sealed: the PIN. All are
-- kept and none changes: a document names the version of its issuer, which names the software. A request may add one and read what it
-- is, never what is sealed.
create table softwares (
  account_id text not null references accounts,
  livemode boolean not null check (livemode),
  id text not null,
  software_id text not null,
  provider_number text check (provider_number ~ '^[0-9]{1,15}$'),
  sealed text not null,
  created_at timestamptz not null default now(),
  primary key (account_id, livemode, id)
);

revoke update, delete on softwares from folio_service;
grant select, insert on softwares to folio_service;
grant select (account_id, livemode, id, software_id, provider_number, created_at), insert on softwares to folio_account;

-- The software of a mode, which may be there before the issuer, and that of each issuer's version; null for the service's own software.
-- The owner, who sees no rows, sees these while the references are checked, and fences the new table after that.
alter table account_modes add column software text;
alter table issuers add column software text;
alter table account_modes no force row level security;
alter table issuers no force row level security;
alter table account_modes add foreign key (account_id, livemode, software) references softwares;
alter table issuers add foreign key (account_id, livemode, software) references softwares;
alter table account_modes force row level security;
alter table issuers force row level security;
call fence('softwares');
grant update (software) on account_modes to folio_service, folio_account;

create or replace function keep_issuer() returns trigger language plpgsql as $$ begin
  insert into issuers (account_id, livemode, version, issuer, software)
  values (new.account_id, new.livemode, new.issuer_version, new.issuer, new.software);
  return null;
end $$;

-- A document is hashed when it is numbered and signed later, both by the software of the issuer's version: another software is another
-- version. A mode without an issuer has none.
drop trigger issuer_changes on account_modes;
drop trigger issuer_changed on account_modes;
create trigger issuer_changes before update of issuer, software on account_modes for each row
  when (new.issuer is distinct from old.issuer or new.issuer is not null and new.software is distinct from old.software)
  execute function count_issuer();
create trigger issuer_changed after update of issuer, software on account_modes for each row
  when (new.issuer is distinct from old.issuer or new.issuer is not null and new.software is distinct from old.software)
  execute function keep_issuer();
