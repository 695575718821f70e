-- What a document says of its parties, and how customers are found.
--
-- A process of the release before may work beside this one: it reads neither table, and its writes leave the new columns to their
-- defaults.

-- The pictures that an account's issuers have been printed with. All are kept: a document names the version of its issuer, whose JSON
-- names the picture by the SHA-256 of its bytes (hex).
create table logos (
  account_id text not null references accounts,
  livemode boolean not null,
  sha256 text not null check (sha256 = encode(sha256(bytes), 'hex')),
  media_type text not null check (media_type in ('image/png', 'image/jpeg')),
  bytes bytea not null check (octet_length(bytes) between 1 and 200000),
  primary key (account_id, livemode, sha256)
);

revoke update, delete on logos from folio_service;
grant select, insert on logos to folio_service, folio_account;
call fence('logos');

-- What rows are found by, in 16 bytes: a row is looked for in one account, where nobody but the account itself could make two values meet.
create function mark(kind text, name text, value text) returns uuid immutable parallel safe language sql
return md5(kind || chr(31) || name || chr(31) || value)::uuid;

create function metadata_marks(metadata jsonb) returns setof uuid immutable parallel safe language sql
begin atomic
  select mark('metadata', key, value)
  from jsonb_each_text(case when jsonb_typeof(metadata) = 'object' then metadata else '{}' end);
end;

-- A customer is found by its identification, its e-mail address in any case, and each entry of its metadata.
create function customer_marks(acquirer jsonb, metadata jsonb) returns setof uuid immutable parallel safe language sql
begin atomic
  select mark('identification', acquirer -> 'identification' ->> 'type', acquirer -> 'identification' ->> 'number')
  where acquirer -> 'identification' ->> 'type' is not null and acquirer -> 'identification' ->> 'number' is not null
  union select mark('email', '', lower(acquirer ->> 'email')) where acquirer ->> 'email' is not null
  union select * from metadata_marks(metadata);
end;

-- The marks of customers, and of documents that have metadata. A table, and no index on an expression: row level security keeps an
-- index from serving a condition whose functions are not known to be leakproof, and documents change often, which would touch it each time.
create table marks (
  account_id text not null,
  livemode boolean not null,
  mark uuid not null,
  id text not null,
  primary key (account_id, livemode, mark, id)
);

revoke update on marks from folio_service;
grant select, insert, delete on marks to folio_service, folio_account;
call fence('marks');

-- A text without accents, in small letters, with single spaces. In plpgsql, which plans a function once and not at each call.
create function plain_text(value text) returns text immutable parallel safe language plpgsql as $plain$ begin
  return regexp_replace(lower(regexp_replace(normalize(value, NFKD), '[\u0300-\u036f]', '', 'g')), '\s+', ' ', 'g');
end $plain$;

-- The names of a party in the same form, each on a line of its own.
create function plain_names(acquirer jsonb) returns text immutable parallel safe language plpgsql as $plain$ begin
  return plain_text(coalesce(acquirer ->> 'legal_name', '')) || coalesce(chr(10) || plain_text(acquirer ->> 'trade_name'), '');
end $plain$;

-- The names of customers, which a part of a name is looked for in: an account's are read one after another, newest first. So many narrow
-- rows are read within the time of a request, and an index of every three characters would double what it costs to register a customer.
create table customer_names (
  account_id text not null,
  livemode boolean not null,
  id text not null,
  names text not null,
  primary key (account_id, livemode, id)
);

grant select, insert, update, delete on customer_names to folio_service, folio_account;
call fence('customer_names');

-- For all customers of a statement at once: they are registered many at a time.
create function mark_customers() returns trigger language plpgsql as $mark$ begin
  insert into marks (account_id, livemode, mark, id)
  select c.account_id, c.livemode, m, c.id from added c cross join lateral customer_marks(c.acquirer, c.metadata) m;
  insert into customer_names (account_id, livemode, id, names)
  select account_id, livemode, id, plain_names(acquirer) from added;
  return null;
end $mark$;
create trigger marked after insert on customers referencing new table as added
  for each statement execute function mark_customers();

create function mark_customer_anew() returns trigger language plpgsql as $mark$ begin
  delete from marks
  where account_id = old.account_id and livemode = old.livemode and id = old.id
    and mark in (select customer_marks(old.acquirer, old.metadata));
  if tg_op = 'DELETE' then
    delete from customer_names where account_id = old.account_id and livemode = old.livemode and id = old.id;
  else
    insert into marks (account_id, livemode, mark, id)
    select new.account_id, new.livemode, m, new.id from customer_marks(new.acquirer, new.metadata) m;
    update customer_names set names = plain_names(new.acquirer)
    where account_id = new.account_id and livemode = new.livemode and id = new.id;
  end if;
  return null;
end $mark$;
create trigger marked_anew after delete or update of acquirer, metadata on customers
  for each row execute function mark_customer_anew();

create function mark_document() returns trigger language plpgsql as $mark$ begin
  insert into marks (account_id, livemode, mark, id)
  select new.account_id, new.livemode, m, new.id from metadata_marks(new.metadata) m;
  return null;
end $mark$;
create trigger marked after insert on invoices
  for each row when (new.metadata <> '{}') execute function mark_document();

-- A customer that is put under its identification is registered in a transaction of its account.
grant insert on customers to folio_account;

-- What the authority said of an acquirer, for a day. found: whether the authority knows it.
create table acquirers (
  account_id text not null references accounts,
  livemode boolean not null,
  identification_type text not null,
  identification_number text not null,
  found boolean not null,
  name text,
  email text,
  asked_at timestamptz not null default now(),
  primary key (account_id, livemode, identification_type, identification_number),
  constraint an_unknown_acquirer_has_nothing check (found or num_nonnulls(name, email) = 0)
);

-- The answers past their day, for the purge.
create index acquirers_age on acquirers (asked_at);

grant select, insert, update, delete on acquirers to folio_service;
grant select, insert, update on acquirers to folio_account;
call fence('acquirers');

-- The rows of the releases before.
set local role folio_service;
set local row_security = on;
insert into marks (account_id, livemode, mark, id)
select c.account_id, c.livemode, m, c.id from customers c cross join lateral customer_marks(c.acquirer, c.metadata) m;
insert into customer_names (account_id, livemode, id, names)
select account_id, livemode, id, plain_names(acquirer) from customers;
insert into marks (account_id, livemode, mark, id)
select i.account_id, i.livemode, m, i.id from invoices i cross join lateral metadata_marks(i.metadata) m where i.metadata <> '{}';
set local row_security = off;
reset role;
