-- External ids: the client's own references of customers and documents.

-- The reference of each object that has one. Rows are kept and never change, so that a reference names the same object
-- for ever, also after the deletion of a customer. The statement that creates an object also adds its row.
create table external_ids (
  account_id text not null, livemode boolean not null,
  kind text not null check (kind in ('customer', 'invoice', 'credit_note', 'debit_note')),
  external_id text not null check (external_id <> '' and octet_length(external_id) <= 512), object_id text not null,
  primary key (account_id, livemode, kind, external_id)
);

-- A statement that takes a reference, but then doesn't create the object, fails as a whole. For example, another
-- transaction has claimed the idempotency key meanwhile.
create function require_named_object() returns trigger language plpgsql as $$ begin
  if new.kind = 'customer' then
    perform from customers where account_id = new.account_id and livemode = new.livemode and id = new.object_id;
  else
    perform from invoices
    where account_id = new.account_id and livemode = new.livemode and id = new.object_id and kind = new.kind;
  end if;
  if not found then
    raise exception using errcode = 'integrity_constraint_violation', constraint = tg_name,
      message = format('%s: an external id names an object', new.object_id);
  end if;
  return null;
end $$;
create trigger external_id_names_an_object after insert on external_ids
  for each row execute function require_named_object();

-- By default, the service may change the rows of a new table.
revoke update, delete on external_ids from folio_service;
grant select, insert on external_ids to folio_service, folio_account;
call isolate_accounts('external_ids');

-- A copy in the object's row. No role may change it.
alter table customers add external_id text;
alter table invoices add external_id text;
