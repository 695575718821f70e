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
