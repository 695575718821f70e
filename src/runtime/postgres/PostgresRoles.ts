/**
 * The roles that Folio's sessions assume; the migrations define their rights. The login owns the tables and changes
 * them. It does not inherit from these roles, so that a session without a role sees no rows. Roles belong to a server,
 * not to a database: several databases of one server share them.
 */

/** The service's role for work across accounts. */
export const service = "folio_service"
/** The service's role within a transaction for one account. */
const account = "folio_account"

export const all = [service, account]

/**
 * SQL that creates the missing roles and allows `member` to assume them. Two sessions may run it at the same time.
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

/** A query for the statement that an administrator must run if Folio may not create roles. It omits existing roles. */
export const statement = (member: string): string => `
  select concat_ws('; ',
    (select string_agg('create role ' || role || ' nologin', '; ') from unnest(array['${all.join("', '")}']) role
      where to_regrole(role) is null),
    format('grant ${all.join(", ")} to %I with inherit false, set true', ${member})) as statement`
