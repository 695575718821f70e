-- Restricted API keys.
--   capabilities    as before, and two that only API keys have: create and read
--   allowed_ips     addresses and networks from which the key works; null for any
--   granted_until   end of the key that its creation set; null for none. A roll can only bring expires_at forward.
alter table api_keys
  add allowed_ips text[] check (cardinality(allowed_ips) between 1 and 50),
  add granted_until timestamptz,
  add constraint a_key_ends_in_time check (expires_at <= granted_until),
  drop constraint api_keys_capabilities_check,
  add constraint api_keys_capabilities_check check (
    cardinality(capabilities) > 0
    and capabilities <@ array['view', 'deliver', 'endpoints', 'documents', 'keys', 'setup', 'create', 'read']
  );
grant select (allowed_ips, granted_until) on api_keys to folio_account;
