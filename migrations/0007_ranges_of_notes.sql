-- Ranges of notes that an account registers, and notes to what is not an invoice of the account.
--
-- Every row keeps the new constraint, because it kept the stricter one. A process of the release before may work beside this one: it
-- makes counters that nobody registered and notes to the account's own invoices, as these columns say where they are left out.

--   registered   of a range of notes: the account registered it; false: the counter that is made for an account that registered none
alter table resolutions add column registered boolean not null default false;

-- An account's mode has one counter of its own making for each kind of note, and any number of registered ranges beside it.
create unique index resolutions_counter on resolutions (account_id, livemode, document_type)
  where document_type <> 'invoice' and not registered;
drop index resolutions_of_notes;

--   original   the invoice of another system that a note corrects: full_number, cufe, issue_date
--   own_rate   whether exchange_rate is the note's own, of its issue date, and not that of the invoice of the account that it corrects
alter table invoices
  add column original jsonb,
  add column own_rate boolean not null default false;

alter table invoices drop constraint note_corrects_an_invoice;
alter table invoices add constraint note_corrects_something check (
  case when kind = 'invoice' then num_nonnulls(invoice_id, original, correction_code, reason) = 0
    else num_nonnulls(correction_code, reason) = 2
      and (num_nonnulls(invoice_id, original) = 1 or num_nonnulls(invoice_id, original) = 0 and details -> 'period' is not null)
  end
) not valid;
