/**
 * The roles that sessions of Folio take on; the migrations define their rights. The role that logs in owns the tables and changes
 * them. The login does not inherit from these roles, so that a session that has not taken on a role sees no rows at all. Roles
 * belong to a server and not to a database: several databases of one server share them.
 */

/** The role of the service for its work across accounts. */
export const service = "folio_service"
/** The role of the service within a transaction for one account. */
const account = "folio_account"

export const all = [service, account]

/**
 * SQL that creates the missing roles and lets `member` take them on. Two sessions may run this SQL at the same time.
 *
 * @param member  an expression in SQL that gives the name of a role
 */
export const make = (member: string): string => `
  do $$ declare role name; begin
    foreach role in array array['${all.join("', '")}'] loop
      if to_regrole(role) is null then
        begin
          execute format('create role %I nologin', role);
        exception when duplicate_object or unique_violation then null;
        end;
      end if;
      if not pg_has_role(${member}, role, 'set') then
        execute format('grant %I to %I with inherit false, set true', role, ${member});
      end if;
    end loop;
  end $$`

/** A query for the one line that an administrator has to run where Folio may not create roles, without roles that exist. */
export const statement = (member: string): string => `
  select concat_ws('; ',
    (select string_agg('create role ' || role || ' nologin', '; ') from unnest(array['${all.join("', '")}']) role
      where to_regrole(role) is null),
    format('grant ${all.join(", ")} to %I with inherit false, set true', ${member})) as statement`
