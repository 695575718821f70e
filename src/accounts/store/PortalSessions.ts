import { Context, Effect, Layer, Option, Result, Schema, Struct } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { AccountMode, AccountStatus } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { type AccountId, ApiKeyId, PortalSessionId } from "../../../schemas/Id.ts"
import { Capability, PortalSession as Shown, type PortalSessionWithUrl } from "../../../schemas/PortalSession.ts"
import { Version } from "../../../schemas/Version.ts"
import type { Principal } from "../../api/Authorization.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"
import { isPortalToken, makePortalToken, portalTokenHash } from "../rules/PortalTokens.ts"
import { AuditLog } from "./AuditLog.ts"
import * as AccountView from "../../database/AccountView.ts"
import { Ids } from "../../database/Ids.ts"
import { isUsableApiKey, type Key, ofAccount, ofKey } from "../../database/Keys.ts"
import * as Pages from "../../database/Pages.ts"
import * as Query from "../../database/Query.ts"
import { viewOf } from "../../database/View.ts"

const Row = Schema.Struct({
  ...AccountMode.fields,
  ...Struct.omit(Shown.fields, ["object", "status"]),
  link_expires_at: Schema.Date,
  created_at: Schema.Date,
  expires_at: Schema.Date,
  used_at: Schema.NullOr(Schema.Date),
  ended_at: Schema.NullOr(Schema.Date),
  /** Time at which the session expires. A session with an unused link expires together with the link. */
  closes_at: Schema.Date,
  /** Time at which the key that created the session ends. Null for a key without an end. */
  key_ends_at: Schema.NullOr(Schema.Date),
  /** Time of the read. */
  read_at: Schema.Date
})
export type StoredPortalSession = typeof Row.Type

/** A portal session: gives a browser access for a limited time, with some of the rights of an API key. */
export interface PortalSession {
  readonly id: PortalSessionId
  /** The API key that created the session, with its account and mode. */
  readonly principal: Principal
  /** The name of the account, which every page shows. */
  readonly account_name: string
  readonly capabilities: ReadonlyArray<Capability>
  readonly expires_at: Date
  /** The page of the platform to which the portal returns. Null without a page. */
  readonly return_url: string | null
  /** The session of a platform from which a person opened this session. Null for all other sessions. */
  readonly opened_from: PortalSessionId | null
}

/** A session to store. The database contains only the hash of the link's token. */
export interface NewPortalSession extends AccountMode {
  readonly id: PortalSessionId
  readonly api_key_id: ApiKeyId
  readonly capabilities: ReadonlyArray<Capability>
  readonly token: string
  /** Seconds, from 60 to 604,800. */
  readonly expires_in: number
  /** The page of the platform to which the portal returns, if any. */
  readonly return_url?: string | null | undefined
}

/** A browser that has just opened its session. Only this browser has `cookie`. */
export interface Entered {
  readonly session: PortalSession
  readonly cookie: string
}

/** The target of a link, before and after the link is used. */
export interface Linked {
  readonly id: PortalSessionId
  readonly account_id: AccountId
  readonly account_name: string
  readonly livemode: boolean
  /** Reason why the link no longer opens a session. Null for a link that works. */
  readonly dead: Exclude<DeadLink, "unknown"> | null
}

/** Reason why a link opens no session. A link whose session or key has ended is `expired`. */
export type DeadLink = "used" | "expired" | "unknown"

/** The request in which a browser opens or ends its session, for the audit log. */
export interface Origin {
  readonly request_id?: string
  readonly ip?: string
}

/** The maximum number of open sessions of an account in each mode, including sessions with an unused link. */
export const openSessionsMax = 100
/** The validity of a new session's link, in seconds. */
export const linkSeconds = 60

export const sessionLimitReached = new ApiError({
  code: "portal_session_limit_reached",
  message: `An account has at most ${openSessionsMax} open portal sessions in each mode. End a session that you no longer use: DELETE /v1/portal-sessions/{id}.`
})
const openerEnded = new ApiError({
  code: "invalid_api_key",
  message: "The session of the platform has ended. Open a new link of the platform."
})
export const missingSession = (id: string) => ApiError.missing("portal session", id)

const Found = Schema.Struct({
  ...AccountMode.fields,
  id: PortalSessionId,
  api_key_id: ApiKeyId,
  account_name: Schema.String,
  capabilities: Schema.Array(Capability),
  expires_at: Schema.Date,
  return_url: Schema.NullOr(Schema.String),
  opened_from: Schema.NullOr(PortalSessionId),
  default_version: Version,
  account_status: AccountStatus,
  is_platform: Schema.Boolean
})

const FoundLink = Schema.Struct({
  ...AccountMode.fields,
  id: PortalSessionId,
  account_name: Schema.String,
  used: Schema.Boolean,
  open: Schema.Boolean
})

const sessionOf = ({
  account_id,
  account_status,
  api_key_id,
  default_version,
  is_platform,
  livemode,
  ...row
}: typeof Found.Type): PortalSession => ({
  id: row.id,
  principal: {
    api_key_id,
    account_id,
    livemode,
    default_version,
    account_status,
    ...(is_platform ? { platform: account_id } : {})
  },
  account_name: row.account_name,
  capabilities: row.capabilities,
  expires_at: row.expires_at,
  return_url: row.return_url,
  opened_from: row.opened_from
})

/** Portal sessions. All times come from the database's clock. */
export class PortalSessions extends Context.Service<PortalSessions>()("folio/accounts/store/PortalSessions", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const audit = yield* AuditLog
    const ids = yield* Ids
    const random = yield* SecureRandom.SecureRandom

    const columns = sql`
      id, account_id, livemode, api_key_id, capabilities, link_expires_at, created_at, expires_at, return_url, used_at, ended_at, closes_at,
      (select least(revoked_at, expires_at) from api_keys where id = portal_sessions.api_key_id) as key_ends_at,
      now() as read_at`
    const keyWorks = sql`
      exists (select from api_keys where id = portal_sessions.api_key_id and ${sql.literal(isUsableApiKey)})`
    const isOpen = sql`ended_at is null and closes_at > now() and ${keyWorks}`
    const ofMode = (column: string) => sql`(
        select ${sql.literal(column)} from account_modes m
        where m.account_id = portal_sessions.account_id and m.livemode = portal_sessions.livemode)`
    const accountName = sql`${ofMode("name")} as account_name`
    const found = sql`
      id, account_id, livemode, api_key_id, capabilities, expires_at, return_url, opened_from, ${accountName},
      ${ofMode("default_version")} as default_version,
      (select status from accounts where id = portal_sessions.account_id) as account_status,
      (select is_platform from accounts where id = portal_sessions.account_id) as is_platform`

    const { find: retrieve, list } = Pages.readers(sql, {
      service: "PortalSessions",
      table: "portal_sessions",
      columns,
      row: Row
    })

    const keyEnd = (id: ApiKeyId) => sql`(select expires_at from api_keys where id = ${id})`
    const insertRow = Query.one(
      Row,
      ({
        account_id,
        api_key_id,
        capabilities,
        expires_in,
        id,
        livemode,
        return_url = null,
        token
      }: NewPortalSession) => sql`
        insert into portal_sessions
          (account_id, livemode, id, api_key_id, capabilities, return_url, link_hash, link_expires_at, expires_at)
        values (
          ${account_id}, ${livemode}, ${id}, ${api_key_id}, ${capabilities}::text[], ${return_url}, ${portalTokenHash(token)},
          least(now() + ${linkSeconds} * interval '1 second', ${keyEnd(api_key_id)}),
          least(now() + ${expires_in} * interval '1 second', ${keyEnd(api_key_id)})
        )
        returning ${columns}`
    )
    const isFull = (account: AccountMode) =>
      Query.isAny(sql`
        select 1 as found from portal_sessions where ${ofAccount(sql, account)} and ${isOpen}
        having count(*) >= ${openSessionsMax}`)
    /**
     * Stores a session in the caller's transaction. The session expires at the latest with its key. Fails with
     * `portal_session_limit_reached`.
     */
    const insert = Effect.fn("PortalSessions.insert")(function* (session: NewPortalSession) {
      yield* AccountView.lock(sql, session)
      return (yield* isFull(session)) ? yield* sessionLimitReached : yield* insertRow(session)
    })

    const use = Query.first(
      Found,
      (token: string, cookie: string) => sql`
        update portal_sessions set used_at = now(), cookie_hash = ${portalTokenHash(cookie)}
        where link_hash = ${portalTokenHash(token)} and used_at is null and ${isOpen}
        returning ${found}`
    )
    const findLink = Query.first(
      FoundLink,
      (token: string) => sql`
        select id, account_id, livemode, ${accountName}, used_at is not null as used, ${isOpen} as open
        from portal_sessions where link_hash = ${portalTokenHash(token)}`
    )
    /** The target of the link with this token. Does not use the link. None if the link does not exist. */
    const look = Effect.fn("PortalSessions.look")(function* (token: string) {
      if (!isPortalToken(token)) return Option.none<Linked>()
      return Option.map(yield* findLink(token), ({ open, used, ...link }): Linked => ({
        ...link,
        dead: used ? "used" : open ? null : "expired"
      }))
    })
    /** Opens the session of a link for a browser. Only one call with the same token succeeds. */
    const enter = Effect.fn("PortalSessions.enter")(function* (token: string, origin: Origin = {}) {
      const cookie = makePortalToken(yield* random.randomBytes(32))
      const entering = Effect.gen(function* () {
        const entered = Option.map(yield* use(token, cookie), sessionOf)
        if (Option.isNone(entered)) {
          const why = Option.map(yield* look(token), ({ dead }): DeadLink => dead ?? "expired")
          return Result.fail(Option.getOrElse(why, (): DeadLink => "unknown"))
        }
        const session = entered.value
        yield* audit.record(session.principal, actorOf(session, origin), "portal_session.entered", session.id)
        return Result.succeed<Entered>({ session, cookie })
      })
      return yield* Effect.orDie(sql.withTransaction(entering))
    })

    /**
     * Opens a session of one of a platform's accounts, from the platform's own session, with the same capabilities and
     * the same end. `account`: the principal with which the platform's key acts for the account. Returns the cookie.
     * Ends the session of the account that was opened from there before. Fails with `invalid_api_key` if the platform's
     * session has ended, and with `portal_session_limit_reached`.
     */
    const openFrom = Effect.fn("PortalSessions.openFrom")(function* (
      { capabilities, expires_at, id: opened_from }: PortalSession,
      account: Principal,
      origin: Origin = {}
    ) {
      const { account_id, api_key_id, livemode } = account
      const id = yield* ids.portalSession
      const cookie = makePortalToken(yield* random.randomBytes(32))
      // The link is used from the start, and no client has its token.
      const link = makePortalToken(yield* random.randomBytes(32))
      yield* Effect.gen(function* () {
        yield* AccountView.lock(sql, account)
        // The lock makes an end of the platform's session wait, so that the end finds the new session.
        const isStillOpen = Query.isAny(
          sql`select 1 as found from portal_sessions where id = ${opened_from} and ${isOpen} for share`
        )
        if (!(yield* AccountView.asService(sql)(isStillOpen))) return yield* openerEnded
        yield* Effect.orDie(sql`
          update portal_sessions set ended_at = now()
          where ${ofAccount(sql, account)} and opened_from = ${opened_from} and ended_at is null`)
        if (yield* isFull(account)) return yield* sessionLimitReached
        yield* Effect.orDie(sql`
          insert into portal_sessions (account_id, livemode, id, api_key_id, capabilities, opened_from, link_hash,
            link_expires_at, used_at, cookie_hash, expires_at)
          values (${account_id}, ${livemode}, ${id}, ${api_key_id}, ${capabilities}::text[], ${opened_from},
            ${portalTokenHash(link)}, now(), now(), ${portalTokenHash(cookie)}, ${expires_at})`)
        yield* audit.record(account, { ...origin, api_key_id }, "portal_session.created", id, {
          capabilities,
          opened_from
        })
      }).pipe(AccountView.within(sql, account))
      return cookie
    })

    const findOpen = Query.first(
      Found,
      (cookie: string) => sql`
        select ${found} from portal_sessions where cookie_hash = ${portalTokenHash(cookie)} and ${isOpen}`
    )
    /**
     * The session of a cookie. None if the session or its key has ended or expired. Each call reads the database, so
     * that every process immediately rejects an ended session.
     */
    const find = (cookie: string): Effect.Effect<Option.Option<PortalSession>> =>
      isPortalToken(cookie) ? Effect.map(findOpen(cookie), (row) => Option.map(row, sessionOf)) : Effect.succeedNone

    /**
     * The status of an open session's account; none if the session has ended. Needed for a request that has waited
     * since Folio read its cookie.
     */
    const statusOf = Query.first(
      Schema.Struct({ account_status: AccountStatus }),
      ({ id, principal }: PortalSession) => sql`
        select (select status from accounts a where a.id = account_id) as account_status
        from portal_sessions where ${ofKey(sql, { ...principal, id })} and ${isOpen}`
    )

    /**
     * Ends a session in the caller's transaction of `AccountView`, together with the sessions that a person opened from
     * it. If the session has ended already, nothing changes. Fails with `resource_missing`.
     */
    const end = Effect.fn("PortalSessions.end")(function* (key: Key) {
      const isThere = yield* Query.isAny(sql`select 1 as found from portal_sessions where ${ofKey(sql, key)}`)
      if (!isThere) return yield* missingSession(key.id)
      yield* Effect.orDie(
        sql`update portal_sessions set ended_at = now() where ${ofKey(sql, key)} and ended_at is null`
      )
      yield* AccountView.asService(sql)(
        Effect.orDie(
          sql`update portal_sessions set ended_at = now() where opened_from = ${key.id} and ended_at is null`
        )
      )
    })

    /** Ends a session on request of the person who uses it. The session needs no capability for this. */
    const leave = Effect.fn("PortalSessions.leave")((session: PortalSession, origin: Origin = {}) => {
      const { id, principal } = session
      return end({ ...principal, id }).pipe(
        Effect.andThen(audit.record(principal, actorOf(session, origin), "portal_session.ended", id)),
        AccountView.within(sql, principal),
        Effect.orDie
      )
    })

    return { insert, look, enter, openFrom, find, statusOf, retrieve, list, end, leave }
  })
}) {
  static readonly layer = Layer.effect(PortalSessions, PortalSessions.make)
}

/** The actor of a session's requests: the session, and the key that created it. */
const actorOf = ({ id, principal }: PortalSession, origin: Origin) => ({
  ...origin,
  api_key_id: principal.api_key_id,
  portal_session_id: id
})

/**
 * Time at which the session or its key ended, if this was before the session expired. Null for an expired session and
 * for an open session.
 */
const endOf = ({ closes_at, ended_at, key_ends_at, read_at }: StoredPortalSession): Date | null => {
  const [first] = [ended_at, key_ends_at]
    .flatMap((at) => (at === null ? [] : [at]))
    .toSorted((a, b) => Number(a) - Number(b))
  return first !== undefined && first < closes_at && first <= read_at ? first : null
}

const statusOf = (row: StoredPortalSession): Shown["status"] => {
  if (endOf(row) !== null) return "ended"
  if (row.closes_at <= row.read_at) return "expired"
  return row.used_at === null ? "waiting" : "active"
}

const view = viewOf(Shown)

/** The session as the API shows it, without its link. */
export const portalSessionView = (row: StoredPortalSession): Shown =>
  view({ ...row, status: statusOf(row), ended_at: endOf(row) })

/** The session as the response to its creation shows it, with its link. */
export const portalSessionWithUrl = (row: StoredPortalSession, url: string): PortalSessionWithUrl => ({
  ...portalSessionView(row),
  url,
  url_expires_at: timestamp(row.link_expires_at.getTime())
})
