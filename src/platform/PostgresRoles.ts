/**
 * The roles that sessions of Folio take on: what they may do is in the migrations. The role that logs in owns the tables and
 * changes them; it does not inherit from these, so that a session that has not taken one on sees no rows at all. Roles are a
 * server's and not a database's: several databases of one server share them.
 */

/** What the service is, for its work across accounts. */
export const service = "folio_service"
/** What the service is within a transaction for one account. */
const account = "folio_account"

export const all = [service, account]

/**
 * Makes the roles, as far as they are not there, and lets `member` take them on. Two that do so at once are both right.
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

/** A query for what an administrator has to run where Folio may not: one line, without what is there already. */
export const statement = (member: string): string => `
  select concat_ws('; ',
    (select string_agg('create role ' || role || ' nologin', '; ') from unnest(array['${all.join("', '")}']) role
      where to_regrole(role) is null),
    format('grant ${all.join(", ")} to %I with inherit false, set true', ${member})) as statement`
