-- Portal sessions of a platform: the page to return to, and the accounts that a platform's own session opens.

--   return_hosts   hosts of a platform's pages, to which its portal sessions may return; in lower case, without a port
alter table accounts
  add return_hosts text[] not null default '{}' check (cardinality(return_hosts) <= 20),
  add constraint only_a_platform_has_return_hosts check (is_platform or return_hosts = '{}');
grant update (accounts_max, return_hosts) on accounts to folio_service;

--   return_url    page of the platform to which the portal returns; null for none
--   opened_from   session of a platform from which a person opened this session of an account; null for others
alter table portal_sessions
  add return_url text check (return_url ~ '^https://' and length(return_url) <= 2000),
  add opened_from text;
grant select (return_url, opened_from) on portal_sessions to folio_account;

-- A platform's session ends together with the sessions that a person opened from it.
create index portal_sessions_opened_from on portal_sessions (opened_from) where opened_from is not null;
