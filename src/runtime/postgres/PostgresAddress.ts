/** The location of the database, and one-line messages about its failures. */
import { Predicate, Redacted, Schema } from "effect"
import { SqlError } from "effect/sql"
import type { EmbeddedPostgresConnection } from "./EmbeddedPostgres.ts"
import { reasonOf } from "./PostgresBinaries.ts"

/** The database is unusable. The message is one line with the fix. */
export class DatabaseError extends Schema.TaggedError<DatabaseError>()("DatabaseError", { message: Schema.String }) {}

/** An external server, or the embedded server. */
export type Address = { readonly url: Redacted.Redacted<string> } | EmbeddedPostgresConnection

export const where = (address: Address) => {
  if (!("url" in address)) return `${address.host}:${address.port}`
  const url = Redacted.value(address.url)
  return URL.canParse(url) ? new URL(url).host : "DATABASE_URL"
}

/** The URL of an address, with its password. */
export const urlOf = (address: Address): Redacted.Redacted<string> => {
  if ("url" in address) return address.url
  const { database, host, password, port, username } = address
  return Redacted.make(`postgres://${username}:${Redacted.value(password)}@${host}:${port}/${database}`)
}

const loginOf = (address: Address) =>
  "url" in address ? decodeURIComponent(new URL(Redacted.value(address.url)).username) : address.username

const databaseOf = (address: Address) =>
  "url" in address ? decodeURIComponent(new URL(Redacted.value(address.url)).pathname.slice(1)) : address.database

const codeOf = (cause: unknown) => (Predicate.hasProperty(cause, "code") ? String(cause.code) : "")

const textOf = (cause: unknown): string => {
  // An `AggregateError` has one error per tried address.
  const all = cause instanceof AggregateError ? cause.errors : [cause]
  return [...new Set(all.map(reasonOf))].join("; ")
}

/** The advice for a connection pooler, which does not give each client the session that the client sets up. */
export const poolerAdvice =
  "DATABASE_URL is the address of a connection pooler, such as PgBouncer. Folio sets up its own sessions: use the address of the server itself, which hosts call the direct connection."

/** The advice for a failure, chosen by its SQLSTATE, by the system's error code, or by its text. */
const adviceOn = (code: string, text: string, login: string, database: string): string => {
  if (/unsupported startup parameter|unrecognized configuration parameter "(role|idle_session_timeout)"/i.test(text))
    return poolerAdvice
  if (/no encryption|SSL (connection )?is required|SSL off/i.test(text))
    return "The server takes connections with TLS only: add ?sslmode=require to DATABASE_URL."
  if (/does not support (SSL|TLS)|SSL is not enabled/i.test(text))
    return "The server does not support TLS: enable it there, or remove sslmode from DATABASE_URL."
  if (/maxMessageSize|desync|unexpected message|invalid message/i.test(text))
    return "The program at this address is not PostgreSQL: check host and port in DATABASE_URL."
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code))
    return "Node does not trust the server's certificate: add its certificate authority to NODE_EXTRA_CA_CERTS."
  const refused = `Check user name and password in DATABASE_URL, and that the server's pg_hba.conf allows ${login}.`
  const full = "The server's disk is full: free space there."
  const unknown = "This machine cannot resolve the host in DATABASE_URL: check its name, and DNS."
  const advice: Readonly<Record<string, string>> = {
    "28P01": refused,
    "28000": refused,
    "3D000": `Create the database: create database ${database} owner ${login}. Or set DATABASE_URL to another.`,
    "42501": `The login ${login} lacks a right. Let an administrator make it the owner of the database: alter database ${database} owner to ${login}.`,
    "25006":
      "The server is read-only: it is a standby, or the login or the database is set to read only. Set DATABASE_URL to the primary.",
    "3F000":
      "There is no schema for the tables. Let an administrator run there: create schema public; grant create on schema public to the login.",
    "53100": full,
    ENOSPC: full,
    "53300": "The server has no connection left: raise its max_connections, or stop the programs that hold them.",
    "57P03": "The server is starting or stopping: start Folio again when it is ready.",
    "55P03": "Another session holds locks, for example a migration: start Folio again when it has ended.",
    ENOTFOUND: unknown,
    EAI_AGAIN: unknown
  }
  return (
    advice[code] ?? "Check DATABASE_URL and that the server runs, or leave it unset to use the embedded PostgreSQL."
  )
}

/** The error for a failure at an address: one line with the fix. */
export const unusable = (address: Address, { reason }: SqlError.SqlError): DatabaseError => {
  const text = textOf(reason.cause)
  const login = loginOf(address)
  const advice = adviceOn(codeOf(reason.cause), text, login, databaseOf(address) || login)
  return new DatabaseError({ message: `The database at ${where(address)} cannot be used (${text}). ${advice}` })
}

/**
 * A one-line message about a defect that the database caused after a successful start; undefined for every other
 * defect.
 */
export const failureOfDatabase = (defect: unknown): string | undefined =>
  SqlError.isSqlError(defect)
    ? `The database failed (${textOf(defect.reason.cause)}). See its log, and run: folio doctor`
    : undefined
