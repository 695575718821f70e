import { Effect, Option, Result } from "effect"
import { randomBytes } from "node:crypto"
import type { ApiError } from "../../../../schemas/ApiError.ts"
import type { PortalSession } from "../../../../src/api/Authorization.ts"
import { makePortalToken, portalTokenHash } from "../../../../src/domain/accounts/PortalTokens.ts"
import {
  type DeadLink,
  type Linked,
  linkSeconds,
  missingSession,
  openSessionsMax,
  PortalSessions,
  sessionLimitReached,
  type StoredPortalSession
} from "../../../../src/store/accounts/PortalSessions.ts"
import { isUsable } from "../MemoryAccounts.ts"
import { pageOf } from "../MemoryPages.ts"
import { type AuditRow, existing, inMemory, isOf, modeKey, rowOf, type Tables } from "../MemoryTables.ts"

/* The part of the memory store that knows the sessions of the portal. */

export interface PortalSessionRow extends Omit<StoredPortalSession, "closes_at" | "key_ends_at" | "read_at"> {
  readonly link_hash: string
  readonly cookie_hash: string | null
}

const closesAt = (row: PortalSessionRow) => (row.used_at === null ? row.link_expires_at : row.expires_at)

const isOpen = ({ apiKeys }: Tables, row: PortalSessionRow, now: number) => {
  const key = apiKeys.get(row.api_key_id)
  return row.ended_at === null && closesAt(row).getTime() > now && key !== undefined && isUsable(key, now)
}

const readAt =
  ({ apiKeys }: Tables, now: number) =>
  (row: PortalSessionRow): StoredPortalSession => {
    const { expires_at, revoked_at } = existing(apiKeys, row.api_key_id)
    const ends = [revoked_at, expires_at].flatMap((at) => (at === null ? [] : [at.getTime()]))
    return {
      ...row,
      closes_at: closesAt(row),
      key_ends_at: ends.length === 0 ? null : new Date(Math.min(...ends)),
      read_at: new Date(now)
    }
  }

const sessionOf = ({ accounts }: Tables, row: PortalSessionRow): PortalSession => {
  const { account_id, api_key_id, capabilities, expires_at, id, livemode } = row
  const { default_version, name } = existing(accounts, modeKey(row))
  const principal = { api_key_id, account_id, livemode, default_version }
  return { id, principal, account_name: name, capabilities, expires_at }
}

const entry = ({ account_id, id, livemode }: PortalSessionRow, action: string): AuditRow => ({
  account_id,
  livemode,
  actor: id,
  action,
  object_id: id
})

export const layerPortalSessions = inMemory(PortalSessions, ({ attempt, call }) => ({
  insert: ({ expires_in, token, ...made }) =>
    attempt("PortalSessions.insert", (tables, now): Result.Result<StoredPortalSession, ApiError> => {
      const open = [...tables.portalSessions.values()].filter((row) => isOf(row, made) && isOpen(tables, row, now))
      if (open.length >= openSessionsMax) return Result.fail(sessionLimitReached)
      const row: PortalSessionRow = {
        ...made,
        link_hash: portalTokenHash(token),
        link_expires_at: new Date(now + linkSeconds * 1000),
        cookie_hash: null,
        created_at: new Date(now),
        expires_at: new Date(now + expires_in * 1000),
        used_at: null,
        ended_at: null
      }
      tables.portalSessions.set(row.id, row)
      return Result.succeed(readAt(tables, now)(row))
    }),
  look: (token) =>
    call("PortalSessions.look", (tables, now) => {
      const row = [...tables.portalSessions.values()].find(({ link_hash }) => link_hash === portalTokenHash(token))
      if (row === undefined) return Option.none<Linked>()
      const { account_id, id, livemode, used_at } = row
      const dead = used_at !== null ? "used" : isOpen(tables, row, now) ? null : "expired"
      return Option.some<Linked>({ id, account_id, livemode, account_name: sessionOf(tables, row).account_name, dead })
    }),
  enter: (token) =>
    call("PortalSessions.enter", (tables, now) => {
      const row = [...tables.portalSessions.values()].find(({ link_hash }) => link_hash === portalTokenHash(token))
      if (row === undefined) return Result.fail<DeadLink>("unknown")
      if (row.used_at !== null) return Result.fail<DeadLink>("used")
      if (!isOpen(tables, row, now)) return Result.fail<DeadLink>("expired")
      const cookie = makePortalToken(randomBytes(32))
      tables.portalSessions.set(row.id, { ...row, used_at: new Date(now), cookie_hash: portalTokenHash(cookie) })
      tables.auditLog.push(entry(row, "portal_session.entered"))
      return Result.succeed({ session: sessionOf(tables, row), cookie })
    }),
  find: (cookie) =>
    call("PortalSessions.find", (tables, now) => {
      const row = [...tables.portalSessions.values()].find((one) => one.cookie_hash === portalTokenHash(cookie))
      return row !== undefined && isOpen(tables, row, now) ? Option.some(sessionOf(tables, row)) : Option.none()
    }),
  stillWorks: ({ id, principal }) =>
    call("PortalSessions.stillWorks", (tables, now) => {
      const row = rowOf(tables.portalSessions, { ...principal, id })
      return row !== undefined && isOpen(tables, row, now)
    }),
  retrieve: (account, id) =>
    call("PortalSessions.retrieve", (tables, now) =>
      Option.map(Option.fromUndefinedOr(rowOf(tables.portalSessions, { ...account, id })), readAt(tables, now))
    ),
  list: (account, request) =>
    call("PortalSessions.list", (tables, now) =>
      pageOf(tables.portalSessions, account, request, undefined, readAt(tables, now))
    ),
  end: (key) =>
    attempt("PortalSessions.end", ({ portalSessions }, now): Result.Result<undefined, ApiError> => {
      const row = rowOf(portalSessions, key)
      if (row === undefined) return Result.fail(missingSession(key.id))
      portalSessions.set(row.id, { ...row, ended_at: row.ended_at ?? new Date(now) })
      return Result.succeed(undefined)
    }),
  leave: ({ id }) =>
    Effect.asVoid(
      call("PortalSessions.leave", ({ auditLog, portalSessions }, now) => {
        const row = existing(portalSessions, id)
        portalSessions.set(id, { ...row, ended_at: row.ended_at ?? new Date(now) })
        auditLog.push(entry(row, "portal_session.ended"))
      })
    )
}))
