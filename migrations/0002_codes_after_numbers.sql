-- What a document has is no longer the same in every country.
--
-- Every row keeps the new constraints, because it kept the stricter ones that they replace: none is read for them, however many there
-- are. A process of the release before may work beside this one: what it writes keeps the stricter constraints.

-- Where a country's code cannot be computed by the statement that numbers, a document is numbered first and has its code before it is
-- signed: no document without a code is signed, is submitted, or has been given to its buyer.
alter table invoices drop constraint number_is_whole;
alter table invoices add constraint number_is_whole check (
  num_nonnulls(resolution_id, prefix, number, full_number, issue_date, issue_time) in (0, 6)
  and (cufe is null or number is not null)
) not valid;
alter table invoices add constraint code_before_signature check (
  cufe is not null
  or state in ('queued', 'canceled', 'numbered', 'failed') and num_nonnulls(submitted_at, contingency_since) = 0
) not valid;

-- Which currency is a country's own, and needs no rate, is a rule of its profile.
alter table invoices drop constraint foreign_currency_has_a_rate;
