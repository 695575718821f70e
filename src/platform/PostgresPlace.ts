/** Where the database is, and in one line what is wrong there. */
import { Predicate, Redacted, Schema } from "effect"
import { SqlError } from "effect/sql"
import type { EmbeddedPostgresConnection } from "./EmbeddedPostgres.ts"

/** The database cannot be used. The message is one line that says what to do. */
export class DatabaseError extends Schema.TaggedError<DatabaseError>()("DatabaseError", { message: Schema.String }) {}

/** A server of somebody's, or the embedded one. */
export type Place = { readonly url: Redacted.Redacted<string> } | EmbeddedPostgresConnection

export const where = (place: Place) => {
  if (!("url" in place)) return `${place.host}:${place.port}`
  const url = Redacted.value(place.url)
  return URL.canParse(url) ? new URL(url).host : "DATABASE_URL"
}

const loginOf = (place: Place) =>
  "url" in place ? decodeURIComponent(new URL(Redacted.value(place.url)).username) : place.username

const databaseOf = (place: Place) =>
  "url" in place ? decodeURIComponent(new URL(Redacted.value(place.url)).pathname.slice(1)) : place.database

const codeOf = (cause: unknown) => (Predicate.hasProperty(cause, "code") ? String(cause.code) : "")

const textOf = (cause: unknown): string => {
  // Several addresses were tried.
  const all = cause instanceof AggregateError ? cause.errors : [cause]
  const texts = all.map((one) => (one instanceof Error ? one.message : String(one)).replaceAll(/\s+/g, " ").trim())
  return [...new Set(texts)].join("; ")
}

/** What to do about a failure, by its SQLSTATE, by the system's code of it, or else by what it says. */
const adviceOn = (code: string, text: string, login: string, database: string): string => {
  if (/no encryption|SSL (connection )?is required|SSL off/i.test(text)) {
    return "The server takes connections with TLS only: add ?sslmode=require to DATABASE_URL."
  }
  if (/does not support (SSL|TLS)|SSL is not enabled/i.test(text)) {
    return "The server does not speak TLS: let it, or take sslmode out of DATABASE_URL."
  }
  if (/maxMessageSize|desync|unexpected message|invalid message/i.test(text)) {
    return "What answers there is not PostgreSQL: check host and port in DATABASE_URL."
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code)) {
    return "Node does not trust the server's certificate: name its authority in NODE_EXTRA_CA_CERTS."
  }
  switch (code) {
    case "28P01":
    case "28000":
      return `Check user name and password in DATABASE_URL, and that the server's pg_hba.conf lets ${login} in.`
    case "3D000":
      return `Make the database: create database ${database} owner ${login}. Or name another in DATABASE_URL.`
    case "42501":
      return `The login ${login} lacks a right. Let an administrator make it the owner of the database: alter database ${database} owner to ${login}.`
    case "25006":
      return "The server only reads: it is a standby, or the login or the database is set to read only. Name the primary in DATABASE_URL."
    case "3F000":
      return "There is no schema to make tables in. Let an administrator run there: create schema public; grant create on schema public to the login."
    case "53100":
    case "ENOSPC":
      return "The server's disk is full: make room there."
    case "53300":
      return "The server has no connection left: raise its max_connections, or stop what holds them."
    case "57P03":
      return "The server is starting or stopping: start Folio again when it is ready."
    case "55P03":
      return "Something holds locks there, such as another migration: start Folio again when it has ended."
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "The host in DATABASE_URL is not known here: check its name, and the name service."
    default:
      return "Check DATABASE_URL and that the server runs, or leave it unset to use the embedded PostgreSQL."
  }
}

/** A failure at a place, in one line that says what to do. */
export const unusable = (place: Place, { reason }: SqlError.SqlError): DatabaseError => {
  const text = textOf(reason.cause)
  const login = loginOf(place)
  const advice = adviceOn(codeOf(reason.cause), text, login, databaseOf(place) || login)
  return new DatabaseError({ message: `The database at ${where(place)} cannot be used (${text}). ${advice}` })
}

/** What a store that was good at the start has died of, in one line; undefined when it was not the database. */
export const failureOfDatabase = (defect: unknown): string | undefined =>
  SqlError.isSqlError(defect)
    ? `The database failed (${textOf(defect.reason.cause)}). See its log, and run: folio doctor`
    : undefined
