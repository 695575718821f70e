-- What an API key may do. A key that a session of the portal makes may do what the session may, and no more.
--
-- A process of the release before may work in parallel: it reads no capabilities, and lets such a key do everything until it is replaced.

-- Null for a key that may do everything.
alter table api_keys add column capabilities text[] check (
  cardinality(capabilities) > 0
  and capabilities <@ array['view', 'deliver', 'endpoints', 'documents', 'keys', 'setup']
);
grant select (capabilities) on api_keys to folio_account;
