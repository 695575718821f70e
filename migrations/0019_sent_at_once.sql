-- A document that was numbered just now is signed and submitted in one step of two versions: its timeline has both.
create or replace function leads_to(from_state text, to_state text) returns boolean immutable language sql
return (from_state || ' ' || to_state) = any (array[
  'queued numbered', 'queued canceled', 'queued failed',
  'numbered signed', 'numbered submitted', 'numbered accepted_contingency', 'numbered failed',
  'signed numbered', 'signed submitted', 'signed accepted_contingency', 'signed failed',
  'submitted signed', 'submitted accepted_by_authority', 'submitted rejected_by_authority', 'submitted failed',
  'accepted_contingency accepted_by_authority', 'accepted_contingency rejected_by_authority',
  'failed queued', 'failed numbered', 'failed signed',
  'rejected_by_authority numbered'
]);

create function guard_sent_at_once() returns trigger language plpgsql as $$
begin
  if new.version < old.version + 2 then
    raise exception using errcode = 'integrity_constraint_violation',
      message = format('%s: to be signed and to be submitted are two versions', new.id);
  elsif not exists (
    select from invoice_documents d
    where d.account_id = new.account_id and d.livemode = new.livemode and d.invoice_id = new.id
  ) then
    raise exception using errcode = 'integrity_constraint_violation',
      message = format('%s: what is submitted is signed and stored', new.id);
  end if;
  return null;
end $$;

create trigger guard_sent_at_once after update on invoices for each row
  when (old.state = 'numbered' and new.state = 'submitted') execute function guard_sent_at_once();
