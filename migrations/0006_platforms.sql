-- Platforms: programs that issue documents for many accounts.

-- A platform has an account of its own, which holds its API keys, its requests and its audit log. This account has no
-- issuer and issues no documents.
--   is_platform     whether the account is the own account of a platform
--   accounts_max    maximum number of the platform's accounts that aren't closed; null for no maximum
--   platform        own account of the platform that created the account; null if the operator created it
--   status          `suspended`: the account creates no documents; `closed`: the account changes nothing
--   status_reason   the platform's reason for the suspension or the closure; null while the account is active
--   status_at       time of the last change of the status; null if it never changed
alter table accounts
  add is_platform boolean not null default false,
  add accounts_max integer check (accounts_max > 0),
  add platform text references accounts,
  add status text not null default 'active' check (status in ('active', 'suspended', 'closed')),
  add status_reason text,
  add status_at timestamptz,
  add constraint platform_is_not_nested check (not is_platform or platform is null),
  add constraint only_a_platform_has_a_maximum check (is_platform or accounts_max is null);

-- A platform's accounts, in order of creation.
create index accounts_of_platform on accounts (platform, id) where platform is not null;

create trigger closed_account_stays_closed before update of status on accounts for each row
  when (old.status = 'closed' and new.status <> 'closed')
  execute function reject_change('a closed account stays closed');
grant update (status, status_reason, status_at) on accounts to folio_service, folio_account;
-- The closure of an account deactivates its ranges in both modes.
grant update (is_active) on resolutions to folio_service;

-- The own account of a platform has no issuer, in either mode.
alter table account_modes drop constraint test_mode_has_an_issuer;
create trigger issuer_is_never_removed before update of issuer on account_modes for each row
  when (old.issuer is not null and new.issuer is null)
  execute function reject_change('an issuer is never removed');

-- A platform's key acts in each account as a key of that account, so that the account's idempotency keys, portal
-- sessions and request log have an API key of the account. This row has no key of its own, and ends with the platform's
-- key.
alter table api_keys add platform_key text references api_keys on delete cascade;
create index api_keys_of_platform on api_keys (platform_key) where platform_key is not null;
grant select (platform_key) on api_keys to folio_account;
