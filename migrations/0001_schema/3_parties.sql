-- Parties: customers, the searchable values of customers and documents, and the authority's data on acquirers.

-- A searchable value in 16 bytes. A search reads one account, so a collision of marks affects only the account itself.
create function mark(kind text, name text, value text) returns uuid immutable parallel safe language sql
return md5(kind || chr(31) || name || chr(31) || value)::uuid;

create function metadata_marks(metadata jsonb) returns setof uuid immutable parallel safe language sql
begin atomic
  select mark('metadata', key, value)
  from jsonb_each_text(case when jsonb_typeof(metadata) = 'object' then metadata else '{}' end);
end;

-- A customer's marks: its identification, its email address in lower case, and each metadata entry.
create function customer_marks(acquirer jsonb, metadata jsonb) returns setof uuid immutable parallel safe language sql
begin atomic
  select mark('identification', acquirer -> 'identification' ->> 'type', acquirer -> 'identification' ->> 'number')
  where acquirer -> 'identification' ->> 'type' is not null and acquirer -> 'identification' ->> 'number' is not null
  union select mark('email', '', lower(acquirer ->> 'email')) where acquirer ->> 'email' is not null
  union select * from metadata_marks(metadata);
end;

-- The marks of customers, and of documents with metadata. An index on an expression would have two disadvantages. Under
-- row level security, an index serves only conditions with leakproof functions. Each change of a document would also
-- change the index.
create table marks (
  account_id text not null, livemode boolean not null, mark uuid not null, id text not null,
  primary key (account_id, livemode, mark, id)
);
grant select, insert, delete on marks to folio_service, folio_account;
call isolate_accounts('marks');

-- A text in lower case, without accents and with single spaces. In plpgsql, because it plans a function only once.
create function plain_text(value text) returns text immutable parallel safe language plpgsql as $plain$ begin
  return regexp_replace(lower(regexp_replace(normalize(value, NFKD), '[\u0300-\u036f]', '', 'g')), '\s+', ' ', 'g');
end $plain$;

-- The names of a party as plain text, one per line.
create function plain_names(acquirer jsonb) returns text immutable parallel safe language plpgsql as $plain$ begin
  return plain_text(coalesce(acquirer ->> 'legal_name', '')) || coalesce(chr(10) || plain_text(acquirer ->> 'trade_name'), '');
end $plain$;

-- The names of customers. A search for a part of a name reads the names of one account, newest first. A request can
-- read all of them, because the rows are narrow. A trigram index would double the cost of a new customer.
create table customer_names (
  account_id text not null, livemode boolean not null, id text not null, names text not null,
  primary key (account_id, livemode, id)
);
grant select, insert, update, delete on customer_names to folio_service, folio_account;
call isolate_accounts('customer_names');

-- Customers. A document has its own copy of its buyer, so no table references a customer.
create table customers (
  account_id text not null references accounts, livemode boolean not null, id text not null,
  acquirer jsonb not null, metadata jsonb not null, created_at timestamptz not null, updated_at timestamptz not null,
  primary key (account_id, livemode, id)
);

-- Runs once per statement, because one statement registers many customers.
create function mark_new_customers() returns trigger language plpgsql as $mark$ begin
  insert into marks (account_id, livemode, mark, id)
  select c.account_id, c.livemode, m, c.id from added c cross join lateral customer_marks(c.acquirer, c.metadata) m;
  insert into customer_names (account_id, livemode, id, names)
  select account_id, livemode, id, plain_names(acquirer) from added;
  return null;
end $mark$;
create trigger new_customers_are_found after insert on customers referencing new table as added
  for each statement execute function mark_new_customers();

create function mark_changed_customer() returns trigger language plpgsql as $mark$ begin
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
create trigger changed_customers_are_found after delete or update of acquirer, metadata on customers
  for each row execute function mark_changed_customer();
grant select, insert on customers to folio_service;
grant select, insert, update (acquirer, metadata, updated_at), delete on customers to folio_account;
call isolate_accounts('customers');

-- The authority's data on an acquirer, for a day.
--   found   whether the authority has the acquirer
create table acquirers (
  account_id text not null references accounts, livemode boolean not null,
  identification_type text not null, identification_number text not null,
  found boolean not null, name text, email text, asked_at timestamptz not null default now(),
  primary key (account_id, livemode, identification_type, identification_number),
  constraint an_unknown_acquirer_has_nothing check (found or num_nonnulls(name, email) = 0)
);

-- For the purge.
create index acquirers_age on acquirers (asked_at);
grant select, insert, update, delete on acquirers to folio_service;
grant select, insert, update on acquirers to folio_account;
call isolate_accounts('acquirers');
