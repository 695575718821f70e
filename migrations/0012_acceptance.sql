-- What the buyers of invoices on credit terms have answered, as it is registered with the tax authority.
--
-- A process of the release before may work beside this one: it reads nothing here, and what it accepts meanwhile is not asked about.

-- One row for each accepted invoice on credit terms, made by the statement that accepts the invoice. Kept as the invoices are.
--   next_question_at   when the authority is asked next: once a day, at a time of its own; null once nothing is asked any more
--   ask_until          the authority is asked a last time at this time
--   events             what is registered, by its code: {"033": {"at": Unix milliseconds, "by": name or null, "claim": code or null}}
create table acceptances (
  account_id text not null,
  livemode boolean not null,
  id text not null,
  next_question_at timestamptz default now() + random() * interval '1 day',
  ask_until timestamptz not null default now() + interval '30 days',
  events jsonb not null default '{}',
  primary key (account_id, livemode, id),
  foreign key (account_id, livemode, id) references invoices (account_id, livemode, id),
  constraint known_events check (
    jsonb_typeof(events) = 'object' and events - array['030', '031', '032', '033', '034'] = '{}'
  )
);

-- What is due, over all accounts.
create index acceptances_due on acceptances (next_question_at) where next_question_at is not null;

-- What is registered is never taken back.
create trigger guard after update of events on acceptances for each row
  when (not new.events @> old.events)
  execute function refuse_change('a registered event stays');

revoke update, delete on acceptances from folio_service;
grant select, insert, update (next_question_at, ask_until, events) on acceptances to folio_service;
grant select on acceptances to folio_account;
call fence('acceptances');

-- The invoices that were accepted in the last 30 days.
set local role folio_service;
set local row_security = on;
insert into acceptances (account_id, livemode, id, ask_until)
select account_id, livemode, id, updated_at + interval '30 days' from invoices
where kind = 'invoice' and state = 'accepted_by_authority' and payment_means ->> 'type' = '2'
  and updated_at > now() - interval '30 days';
set local row_security = off;
reset role;
