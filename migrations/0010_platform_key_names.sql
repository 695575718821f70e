-- The platform's key behind a row of an account, in either mode: an account's audit log names the platform's keys, but
-- the policy of api_keys shows it only the rows of its mode.
create policy owner on api_keys for select to current_user using (true);
create function platform_key_of(acting text) returns text language sql stable security definer
set search_path = pg_catalog, pg_temp set row_security = on
begin atomic
  select platform_key from api_keys where id = acting;
end;
revoke execute on function platform_key_of(text) from public;
grant execute on function platform_key_of(text) to folio_service, folio_account;
