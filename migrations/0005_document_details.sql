-- The optional parts of documents, beside the columns that every document has: discounts and charges of the whole document,
-- prepayments, withholdings, references, notes, delivery. Null for a document that has none, as for all that were made before.
alter table invoices add column details jsonb;
