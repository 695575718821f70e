/** Checks a database from outside, in any state and without changing it. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { schemaRelease } from "../../database/SchemaRelease.ts"
import { encodingAdvice, versionMin } from "./Postgres.ts"
import type { Address } from "./PostgresAddress.ts"
import * as Roles from "./PostgresRoles.ts"
import { nothingApplied, releaseOfTables, type TablesRelease, unservable } from "./TablesRelease.ts"

/**
 * The result of a check. `note`: nothing is broken, but production needs more. `advice` is the fix, unless the state is
 * `ok`. `ok` is false if the state is `wrong`.
 */
export interface Finding {
  readonly check: string
  readonly state: "ok" | "note" | "wrong"
  readonly ok: boolean
  readonly message: string
  readonly advice?: string
}

export const good = (check: string, message: string): Finding => ({ check, state: "ok", ok: true, message })
export const noted = (check: string, message: string, advice: string): Finding => ({
  check,
  state: "note",
  ok: true,
  message,
  advice
})
export const wrong = (check: string, message: string, advice: string): Finding => ({
  check,
  state: "wrong",
  ok: false,
  message,
  advice
})
export const finding = (check: string, ok: boolean, message: string, advice: string) =>
  ok ? good(check, message) : wrong(check, message, advice)

const clockToleranceMs = 1_000

// Tables with accounts' data but without forced row level security.
const unfenced = `
  select relname::text as name from pg_class c
  where relkind = 'r' and relnamespace = current_schema()::regnamespace and not (relrowsecurity and relforcerowsecurity)
    and (relname = 'accounts' or exists (
      select from pg_attribute where attrelid = c.oid and attname in ('account_id', 'api_key_id') and not attisdropped
    ))`

const unguarded = `
  select name from unnest(array['invoices', 'invoice_documents', 'resolutions', 'events', 'api_keys']) as name
  where not exists (select from pg_trigger where tgrelid = to_regclass(name) and not tgisinternal and tgenabled <> 'D')`

/**
 * Whether the service can assume its roles. `madeAtStart`: the roles do not exist yet, and the first start creates
 * them.
 */
const rolesFinding = (missing: ReadonlyArray<string>, madeAtStart: boolean, statement: string | undefined): Finding => {
  if (missing.length === 0) return good("roles", `The service can assume ${Roles.all.join(" and ")}`)
  return madeAtStart
    ? good("roles", "None yet: the first start creates them")
    : wrong(
        "roles",
        `The service cannot assume ${missing.join(" and ")}`,
        `Start the service once, or let an administrator run: ${statement}`
      )
}

const loginFinding = (isAbove: boolean): Finding =>
  isAbove
    ? noted(
        "login",
        "The login is a superuser or bypasses row level security",
        "Create an ordinary login that owns the database, and use it in DATABASE_URL."
      )
    : good("login", "The login is an ordinary role")

/**
 * `release`: the release of the tables; null if the record of migrations is missing. `open`: the tables without row
 * level security.
 */
const tableFindings = (release: TablesRelease | null, open: ReadonlyArray<string>): ReadonlyArray<Finding> => {
  const message =
    open.length === 0 ? "Row level security and guards are in place" : `No fence or guard around: ${open.join(", ")}`
  return [
    release !== null && unservable(release) === undefined
      ? good("migrations", `The tables are at migration ${release.last}, this release is at ${schemaRelease}`)
      : wrong(
          "migrations",
          `The tables are at migration ${release?.last ?? 0}, this release is at ${schemaRelease}`,
          unservable(release ?? nothingApplied)?.advice ?? ""
        ),
    finding(
      "fences",
      release !== null && open.length === 0,
      release === null ? "There are tables, but the record of their migrations is missing" : message,
      "Restore it from a backup of the schema, and find out who removed it: folio_service cannot."
    )
  ]
}

const clockFinding = (offMs: number): Finding =>
  finding(
    "clock",
    offMs <= clockToleranceMs,
    offMs <= clockToleranceMs
      ? "The clocks of this machine and the database agree"
      : `The clocks of this machine and the database differ by ${(offMs / 1000).toFixed(1)} s`,
    "Let NTP set both clocks: this machine's clock dates documents and signs webhooks, and the database's clock times retries."
  )

interface Facts {
  readonly version: number
  readonly name: string
  readonly encoding: string
  readonly database: string
  readonly millis: number
  readonly above: boolean
  readonly makes_roles: boolean
  readonly migrated: boolean
  readonly has_tables: boolean
}

const factsOfServer = `
  select current_setting('server_version_num')::integer / 10000 as version, current_setting('server_version') as name,
    current_setting('server_encoding') as encoding, current_database()::text as database,
    (extract(epoch from clock_timestamp()) * 1000)::float8 as millis,
    (select rolsuper or rolbypassrls from pg_roles where rolname = session_user) as above,
    (select rolsuper or rolcreaterole and to_regrole('${Roles.service}') is null
      from pg_roles where rolname = session_user) as makes_roles,
    to_regclass('effect_sql_migrations') is not null as migrated, to_regclass('accounts') is not null as has_tables`

const rolesNotHeld = `
  select role from unnest(array['${Roles.all.join("', '")}']) role
  where to_regrole(role) is null or not pg_has_role(session_user, role::name, 'set')`

/**
 * Checks the server at `address` in a session of the login's role. `isEmpty`: the database has nothing yet, and the
 * first start creates everything. Fails with a `SqlError` if the server does not respond.
 */
export const inspect = Effect.fnUntraced(
  function* (address: Address) {
    const sql = yield* PgClient.make({
      ...address,
      connectTimeout: "5 seconds",
      applicationName: "folio doctor",
      maxConnections: 1,
      startupParameters: { statement_timeout: "10s" }
    })
    const before = yield* Clock.currentTimeMillis
    const [facts] = yield* sql.unsafe<Facts>(factsOfServer)
    const after = yield* Clock.currentTimeMillis
    const {
      above = false,
      database = "",
      encoding = "",
      has_tables = true,
      makes_roles = false,
      migrated = false,
      millis = 0,
      name = "",
      version = 0
    } = facts ?? {}
    const isEmpty = !migrated && !has_tables

    const missing = yield* sql.unsafe<{ role: string }>(rolesNotHeld)
    const [roles] = yield* sql.unsafe<{ statement: string }>(Roles.statement("session_user"))
    const release = migrated ? yield* releaseOfTables(sql) : null
    const open = yield* sql.unsafe<{ name: string }>(`${unfenced} union ${unguarded} order by name`)

    const findings = [
      finding(
        "version",
        version >= versionMin,
        `PostgreSQL ${name}`,
        `Folio needs PostgreSQL ${versionMin} or later: upgrade the server.`
      ),
      finding(
        "encoding",
        encoding === "UTF8",
        `The encoding of the database is ${encoding}`,
        encodingAdvice(`${database}_utf8`)
      ),
      rolesFinding(
        missing.map(({ role }) => role),
        isEmpty && makes_roles,
        roles?.statement
      ),
      loginFinding(above),
      ...(isEmpty
        ? [good("migrations", "Nothing exists yet: the first start creates the tables")]
        : tableFindings(
            release,
            open.map((row) => row.name)
          )),
      clockFinding(Math.max(0, before - millis, millis - after))
    ]
    return { isEmpty, findings }
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)
