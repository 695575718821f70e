import { Schema } from "effect"

/** What a backup says of itself, in its first frame. */
export const Header = Schema.Struct({
  /** The version of the release that took it. */
  release: Schema.String,
  /** The number of the last migration that the tables had. */
  migration: Schema.Int,
  /** When the snapshot was taken, as PostgreSQL writes a time. */
  taken_at: Schema.String,
  /** The version of the server. */
  server: Schema.String,
  /** Beyond all transactions that the rows of events name. */
  transaction: Schema.String,
  /** A known text, sealed with the key of the database's secrets; null where nothing was sealed yet. */
  canary: Schema.NullOr(Schema.String),
  tables: Schema.Array(Schema.String),
  /** Whether the sealed keys follow. */
  has_keys: Schema.Boolean
})
export type Header = typeof Header.Type
