import { assert } from "@effect/vitest"
import { Array, Cause, Context, Effect, Exit, Option, Result } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { AccountId, ApiKeyId } from "../../../schemas/Id.ts"
import type { Capability } from "../../../schemas/PortalSession.ts"
import { makePortalToken } from "../../../src/accounts/rules/PortalTokens.ts"
import { ApiKeys } from "../../../src/accounts/store/ApiKeys.ts"
import { openSessionsMax, PortalSessions } from "../../../src/accounts/store/PortalSessions.ts"
import * as AccountView from "../../../src/database/AccountView.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { Retention } from "../../../src/operations/store/Retention.ts"
import { SqlClient } from "effect/sql"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { refusal } from "../../support/database/Refusals.ts"
import { twoOwners } from "../../support/database/TwoOwners.ts"
import { describeLive } from "../../support/Tests.ts"

let tokens = 0
const newToken = () => {
  tokens += 1
  return makePortalToken(new Uint8Array(32).fill(tokens % 256).fill(tokens >> 8, 0, 1))
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** The first ten characters of ids made this many days ago. */
const past = (days: number) => {
  const millis = Math.floor(Date.now() - days * 86_400_000)
  return Array.makeBy(10, (place) => alphabet[Math.floor(millis / 32 ** (9 - place)) % 32]).join("")
}

/** Runs statements that no role of the service may run. */
const unguarded = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(Effect.andThen(sql`set local session_replication_role = replica`, effect))
  )

/** Two processes of one database with an account, and the superuser, who shifts time as a test needs. */
const setUp = Effect.gen(function* () {
  const { account, apiKey, first, second, service, sql: admin } = yield* twoOwners
  yield* admin`delete from portal_sessions`
  const sessions = Context.get(first, PortalSessions)
  const made = Effect.fnUntraced(function* (
    capabilities: ReadonlyArray<Capability> = ["view"],
    of: AccountMode = account
  ) {
    const id = yield* Context.get(first, Ids).portalSession
    const token = newToken()
    const session = { ...of, id, api_key_id: ApiKeyId.make(apiKey), capabilities, token, expires_in: 3600 }
    return { token, row: yield* AccountView.within(service, of)(sessions.insert(session)) }
  })
  const entered = Effect.gen(function* () {
    const { row, token } = yield* made(["view", "keys"])
    return { row, token, ...Result.getOrThrow(yield* sessions.enter(token, { ip: "192.0.2.7" })) }
  })
  // Constraints compare times with each other, so all of them shift together.
  const passes = (seconds: number) =>
    unguarded(admin`
      update portal_sessions set created_at = created_at - ${seconds} * interval '1 second',
        link_expires_at = link_expires_at - ${seconds} * interval '1 second',
        expires_at = expires_at - ${seconds} * interval '1 second',
        used_at = used_at - ${seconds} * interval '1 second'`)
  return { account, admin, apiKey, entered, first, made, passes, second, service, sessions }
})

describeLive(TestDatabase.layer)("Portal sessions in the database", (it) => {
  it.effect("admit only one of two browsers that open one link concurrently through two processes", function* () {
    const { admin, first, made, second } = yield* setUp
    for (let round = 0; round < 10; round++) {
      const { row, token } = yield* made()
      const entered = yield* Effect.forEach(
        [first, second, first, second],
        (owner) => Context.get(owner, PortalSessions).enter(token),
        { concurrency: "unbounded" }
      )
      const [won] = Array.getSuccesses(entered)
      assert.deepStrictEqual(Array.getFailures(entered), ["used", "used", "used"])
      assert.strictEqual(won?.session.id, row.id)
      const log = yield* admin`select action, actor from audit_log where object_id = ${row.id}`
      assert.deepStrictEqual(log, [{ action: "portal_session.entered", actor: row.id }])
    }
  })

  it.effect("match only their own cookie, with account, mode, key and version", function* () {
    const { account, apiKey, entered, sessions } = yield* setUp
    const { cookie, row, session, token } = yield* entered
    const found = Option.getOrThrow(yield* sessions.find(cookie))
    assert.deepStrictEqual(found, session)
    assert.deepInclude(found.principal, { ...account, api_key_id: ApiKeyId.make(apiKey) })
    assert.match(found.principal.default_version, /^\d{4}-\d{2}-\d{2}$/u)
    assert.deepStrictEqual(found.capabilities, ["view", "keys"])
    assert.deepStrictEqual(found.expires_at, row.expires_at)
    for (const other of [token, row.id, "", newToken(), `${cookie} `]) {
      assert.isTrue(Option.isNone(yield* sessions.find(other)), other)
    }
  })

  it.effect("reject a link after 60 seconds, and a session after its time", function* () {
    const { entered, made, passes, sessions } = yield* setUp
    const deadOf = (token: string) => Effect.map(sessions.look(token), (linked) => Option.getOrUndefined(linked)?.dead)
    const late = yield* made()
    assert.deepInclude(Option.getOrThrow(yield* sessions.look(late.token)), { id: late.row.id, dead: null })
    yield* passes(61)
    assert.strictEqual(yield* deadOf(late.token), "expired")
    assert.deepStrictEqual(yield* sessions.enter(late.token), Result.fail("expired"))
    const early = yield* made()
    yield* passes(55)
    assert.isTrue(Result.isSuccess(yield* sessions.enter(early.token)))
    assert.strictEqual(yield* deadOf(early.token), "used")
    assert.isUndefined(yield* deadOf(newToken()))
    assert.deepStrictEqual(yield* sessions.enter(newToken()), Result.fail("unknown"))
    assert.deepStrictEqual(yield* sessions.enter("no token"), Result.fail("unknown"))
    const { cookie, session } = yield* entered
    yield* passes(3590)
    assert.isTrue(Option.isSome(yield* sessions.find(cookie)))
    assert.deepStrictEqual(yield* sessions.statusOf(session), Option.some({ account_status: "active" as const }))
    yield* passes(11)
    assert.isTrue(Option.isNone(yield* sessions.find(cookie)))
    assert.isTrue(Option.isNone(yield* sessions.statusOf(session)))
  })

  for (const [what, end] of [
    [
      "is revoked",
      (keys: ApiKeys["Service"], id: ApiKeyId, of: AccountMode) => keys.revoke({ ...of, id }, { evenTheLast: true })
    ],
    [
      "has expired",
      (keys: ApiKeys["Service"], id: ApiKeyId, of: AccountMode) =>
        Effect.gen(function* () {
          const key = `sk_test_${newToken()}`
          const next = {
            id: ApiKeyId.make(`key_${"0".repeat(22)}${String(tokens).padStart(4, "0")}`),
            ...of,
            mode: "test",
            key
          } as const
          yield* keys.roll({ ...of, id }, 0, { ...next, created_at: new Date() })
        })
    ]
  ] as const) {
    it.effect(`end immediately in every process when the key that made them ${what}`, function* () {
      const { account, admin, apiKey, entered, first, made, second, service, sessions } = yield* setUp
      const { cookie, row, session } = yield* entered
      const waiting = yield* made()
      const inView = AccountView.within(service, account)
      yield* inView(end(Context.get(first, ApiKeys), ApiKeyId.make(apiKey), account))
      for (const owner of [first, second]) {
        assert.isTrue(Option.isNone(yield* Context.get(owner, PortalSessions).find(cookie)))
      }
      assert.isTrue(Option.isNone(yield* sessions.statusOf(session)))
      assert.deepStrictEqual(yield* sessions.enter(waiting.token), Result.fail("expired"))
      const shown = Option.getOrThrow(yield* sessions.retrieve(account, row.id))
      assert.isAtMost(shown.key_ends_at?.getTime() ?? Infinity, shown.read_at.getTime())
      yield* unguarded(admin`update api_keys set revoked_at = null, expires_at = null`)
    })
  }

  it.effect("end once, by the API or by sign-out, and stay ended", function* () {
    const { account, admin, entered, made, service, sessions } = yield* setUp
    const inView = AccountView.within(service, account)
    const [one, other] = [yield* entered, yield* entered]
    const waiting = yield* made()
    for (const { row } of [one, one, waiting]) yield* inView(sessions.end({ ...account, id: row.id }))
    yield* sessions.leave(other.session, { ip: "192.0.2.9" })
    for (const { cookie } of [one, other]) assert.isTrue(Option.isNone(yield* sessions.find(cookie)))
    assert.deepStrictEqual(yield* sessions.enter(waiting.token), Result.fail("expired"))
    const left = yield* admin`select actor, ip from audit_log where action = 'portal_session.ended'`
    assert.deepStrictEqual(left, [{ actor: other.row.id, ip: "192.0.2.9" }])
    const error = yield* Effect.flip(inView(sessions.end({ ...account, id: "ps_none" })))
    assert.strictEqual(error.code, "resource_missing")
  })

  it.effect("stay invisible and unchanged for another account or mode", function* () {
    const { account, entered, service, sessions } = yield* setUp
    const { cookie, row } = yield* entered
    const page = { limit: 10, cursor: null }
    for (const other of [
      { ...account, livemode: true },
      { ...account, account_id: AccountId.make(`ten_${"z".repeat(26)}`) }
    ]) {
      assert.isTrue(Option.isNone(yield* sessions.retrieve(other, row.id)))
      assert.deepStrictEqual((yield* sessions.list(other, page)).rows, [])
      yield* Effect.flip(AccountView.within(service, other)(sessions.end({ ...other, id: row.id })))
    }
    assert.isTrue(Option.isSome(yield* sessions.find(cookie)))
    const { rows } = yield* sessions.list(account, page)
    assert.deepStrictEqual(
      rows.map(({ id }) => id),
      [row.id]
    )
  })

  it.effect(`number at most ${openSessionsMax} open in a mode, and an unused link makes room`, function* () {
    const { made, passes } = yield* setUp
    yield* Effect.forEach(Array.range(1, openSessionsMax), () => made(), { concurrency: 4 })
    assert.strictEqual((yield* Effect.flip(made())).code, "portal_session_limit_reached")
    yield* passes(61)
    yield* made()
  })

  it.effect("stay within the limit when two processes make the last two concurrently", function* () {
    const { account, apiKey, first, made, second } = yield* setUp
    yield* Effect.forEach(Array.range(2, openSessionsMax), () => made(), { concurrency: 4 })
    for (let round = 0; round < 5; round++) {
      const results = yield* Effect.forEach(
        [first, second, first, second],
        (owner) =>
          Effect.gen(function* () {
            const id = yield* Context.get(owner, Ids).portalSession
            const session = { ...account, id, api_key_id: ApiKeyId.make(apiKey), capabilities: ["view"] as const }
            const insert = Context.get(owner, PortalSessions).insert({
              ...session,
              token: newToken(),
              expires_in: 3600
            })
            const sql = Context.get(owner, SqlClient.SqlClient)
            return yield* Effect.result(AccountView.within(sql, account)(insert))
          }),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(Array.getSuccesses(results), 1)
      const [won] = Array.getSuccesses(results)
      if (won !== undefined) yield* Context.get(first, PortalSessions).end({ ...account, id: won.id })
    }
  })

  it.effect("disappear a week after their end, and together with their key", function* () {
    const { admin, apiKey, entered, first, made, passes } = yield* setUp
    const ids = Effect.map(admin<{ id: string }>`select id from portal_sessions`, (rows) => rows.map(({ id }) => id))
    const old = yield* entered
    yield* admin`update portal_sessions set id = 'ps_' || ${past(8)} || substr(id, 14)`
    yield* passes(8 * 86_400)
    const young = yield* made()
    const { portal_sessions: purgePortalSessions } = Context.get(first, Retention)
    assert.include(yield* ids, young.row.id)
    assert.deepStrictEqual([yield* purgePortalSessions, yield* purgePortalSessions], [1, 0])
    assert.deepStrictEqual(yield* ids, [young.row.id])
    assert.notStrictEqual(old.row.id, young.row.id)
    yield* admin`alter table api_keys disable trigger key_is_kept_for_a_day`
    yield* admin`delete from api_keys where id = ${apiKey}`
    yield* admin`alter table api_keys enable trigger key_is_kept_for_a_day`
    assert.deepStrictEqual(yield* ids, [])
  })

  it.effect("hide their hashes from requests, and let no role change their past", function* () {
    const { account, entered, service } = yield* setUp
    yield* entered
    const view = AccountView.within(service, account)
    const denied = "permission denied for table portal_sessions"
    for (const [statement, why] of [
      ["update portal_sessions set used_at = now() + interval '1 second'", "a link to the portal works once"],
      ["update portal_sessions set cookie_hash = 'x'", "a link to the portal works once"],
      ["update portal_sessions set expires_at = now()", denied],
      ["update portal_sessions set capabilities = '{view,setup}'", denied]
    ] as const) {
      assert.include(yield* refusal(service.unsafe(statement)), why, statement)
    }
    for (const statement of [
      service`select link_hash from portal_sessions`,
      service`select cookie_hash from portal_sessions`,
      service`update portal_sessions set cookie_hash = 'x'`,
      service`delete from portal_sessions`
    ]) {
      const exit = yield* Effect.exit(view(statement))
      assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "nothing was refused", "permission denied")
    }
    yield* service`update portal_sessions set ended_at = now()`
    const again = yield* refusal(service`update portal_sessions set ended_at = null`)
    assert.include(again, "a session that has ended stays ended")
  })
})
