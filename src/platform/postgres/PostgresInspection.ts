/** Checks a database from outside, in whatever state the database is and without changing it. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { lastMigration } from "./Migrations.ts"
import { versionMin } from "./Postgres.ts"
import type { Place } from "./PostgresPlace.ts"
import * as Roles from "./PostgresRoles.ts"

/** The result of one check. `advice` says what to do when the check failed. */
export interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly message: string
  readonly advice?: string
}

export const good = (check: string, message: string): Finding => ({ check, ok: true, message })
export const wrong = (check: string, message: string, advice: string): Finding => ({
  check,
  ok: false,
  message,
  advice
})
export const finding = (check: string, ok: boolean, message: string, advice: string) =>
  ok ? good(check, message) : wrong(check, message, advice)

const clockToleranceMs = 1_000

// Tables with data of accounts that forced row level security (the fence) does not protect.
const unfenced = `
  select relname::text as name from pg_class c
  where relkind = 'r' and relnamespace = current_schema()::regnamespace and not (relrowsecurity and relforcerowsecurity)
    and (relname = 'accounts' or exists (
      select from pg_attribute where attrelid = c.oid and attname in ('account_id', 'api_key_id') and not attisdropped
    ))`

const unguarded = `
  select name from unnest(array['invoices', 'invoice_documents', 'resolutions', 'events', 'api_keys']) as name
  where not exists (select from pg_trigger where tgrelid = to_regclass(name) and not tgisinternal and tgenabled <> 'D')`

/** Checks the server at `place` in a session of the role that logs in. Fails with a `SqlError` when the server does not answer. */
export const inspect = Effect.fnUntraced(
  function* (place: Place) {
    const sql = yield* PgClient.make({
      ...place,
      connectTimeout: "5 seconds",
      applicationName: "folio doctor",
      maxConnections: 1,
      startupParameters: { statement_timeout: "10s" }
    })
    const before = yield* Clock.currentTimeMillis
    type Row = { version: number; name: string; millis: number; above: boolean; migrated: boolean }
    const rows = yield* sql.unsafe<Row>(`
    select current_setting('server_version_num')::integer / 10000 as version, current_setting('server_version') as name,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as millis,
      (select rolsuper or rolbypassrls from pg_roles where rolname = session_user) as above,
      to_regclass('effect_sql_migrations') is not null as migrated`)
    const after = yield* Clock.currentTimeMillis
    const { above = false, migrated = false, millis = 0, name = "", version = 0 } = rows[0] ?? {}

    const missing = yield* sql.unsafe<{ role: string }>(`
    select role from unnest(array['${Roles.all.join("', '")}']) role
    where to_regrole(role) is null or not pg_has_role(session_user, role::name, 'set')`)
    const statement = yield* sql.unsafe<{ statement: string }>(Roles.statement("session_user"))
    const last = migrated
      ? ((yield* sql.unsafe<{ last: number | null }>(
          "select max(migration_id)::integer as last from effect_sql_migrations"
        ))[0]?.last ?? 0)
      : 0
    const open = yield* sql.unsafe<{ name: string }>(`${unfenced} union ${unguarded} order by name`)

    const off = Math.max(0, before - millis, millis - after)
    const names = open.map((row) => row.name).join(", ")
    const tables =
      open.length === 0 ? "Row level security and guards are in place" : `No fence or guard around: ${names}`
    return [
      finding(
        "version",
        version >= versionMin,
        `PostgreSQL ${name}`,
        `Folio needs PostgreSQL ${versionMin} or later: upgrade the server.`
      ),
      finding(
        "roles",
        missing.length === 0,
        missing.length === 0
          ? `${Roles.all.join(" and ")} can be taken on`
          : `${missing.map(({ role }) => role).join(" and ")} cannot be taken on`,
        `Start the service once, or let an administrator run: ${statement[0]?.statement}`
      ),
      good(
        "login",
        above
          ? "The login is a superuser or beyond row level security: sessions take on folio_service, but an ordinary login is safer"
          : "The login is an ordinary role"
      ),
      finding(
        "migrations",
        last === lastMigration,
        `The tables are at migration ${last}, this release is at ${lastMigration}`,
        last < lastMigration
          ? "Stop all processes of Folio and run: folio migrate"
          : "The tables are of a later release: use that one."
      ),
      finding(
        "fences",
        open.length === 0 && migrated,
        migrated ? tables : "There are no tables yet, and so no fences",
        migrated
          ? "Restore them from a backup of the schema, and find out who took them away: folio_service cannot."
          : "Run: folio migrate"
      ),
      finding(
        "clock",
        off <= clockToleranceMs,
        off <= clockToleranceMs
          ? "The clocks of this machine and the database agree"
          : `The clocks of this machine and the database differ by ${(off / 1000).toFixed(1)} s`,
        "Let NTP set both clocks: signatures of webhooks and dates of documents are by this one, retries by the database's."
      )
    ]
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)
