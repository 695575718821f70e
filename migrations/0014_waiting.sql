-- What an account's documents wait for, as the first page of the portal shows it.
--
-- A process of the release before may work beside this one: it reads no index by name.

-- The documents of an account that wait for the authority, or were issued in contingency and are not transmitted yet, oldest first. While
-- the authority answers there are none, so that the index costs nothing.
create index invoices_waiting on invoices (account_id, livemode, created_at, id)
  where next_action_at is not null and (waiting_since is not null or state = 'accepted_contingency');
