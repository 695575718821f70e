import { assert, it as test } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { errorCodes, type ErrorCode } from "../../../schemas/ErrorCode.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { baseUrl } from "../../support/apps/TestSettings.ts"
import { send } from "../../support/apps/Requests.ts"
import { badBodies } from "../inputs/badBodies.ts"
import { badStoredMoments } from "../inputs/badStoredMoments.ts"
import { badNotes } from "../inputs/badNotes.ts"
import { badResolutions } from "../inputs/badResolutions.ts"
import { badCertificates } from "../inputs/badCertificates.ts"
import { badEnablementMoments, badEnablements } from "../inputs/badEnablements.ts"
import { badSessionMoments, badSessions } from "../inputs/badSessions.ts"
import { badSoftwares } from "../inputs/badSoftwares.ts"
import { badRequests } from "../inputs/badRequests.ts"
import { assertRefused } from "../inputs/Refused.ts"
import { badMoments } from "../inputs/badMoments.ts"
import { describeLive } from "../../support/Tests.ts"

const tables = [
  "account_modes",
  "accounts",
  "api_keys",
  "attempts",
  "certificates",
  "customers",
  "deliveries",
  "emails",
  "enablements",
  "events",
  "idempotency_keys",
  "invoice_documents",
  "invoices",
  "issuers",
  "logos",
  "portal_sessions",
  "resolutions",
  "softwares",
  "transitions",
  "webhook_endpoints"
]

/** A digest of each table's rows, without the times at which keys were used. */
const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const digests = tables.map(
    (table) => sql`
      select ${table} as name, count(*), md5(string_agg(row, '' order by row))
      from (select (to_jsonb(t) - 'last_used_at')::text as row from ${sql(table)} t) as all_rows`
  )
  return yield* sql`${sql.join(" union all ", false)(digests)}`
})

const badAnytime = [
  ...badRequests,
  ...badBodies,
  ...badResolutions,
  ...badNotes,
  ...badCertificates,
  ...badSessions,
  ...badSoftwares,
  ...badEnablements
]

describeLive(app)("bad input", (it) =>
  it.effect.each(badAnytime)("$code: $name", function* (bad) {
    const before = yield* stored
    const reply = yield* send(bad.sent)
    assert.deepStrictEqual(yield* stored, before)
    yield* assertRefused(reply, bad)
  })
)

/**
 * Codes with cases in other files: RawServer.test.ts, RateLimit.test.ts, SlowReads.full.test.ts, those of the portal,
 * and those of platforms.
 */
const elsewhere: ReadonlyArray<ErrorCode> = [
  "request_timeout",
  "rate_limited",
  "query_too_slow",
  "form_foreign",
  "account_required",
  "platform_key_required",
  "account_suspended",
  "account_closed",
  "account_limit_reached",
  "account_not_closable"
]

const cases = [...badAnytime, ...badMoments, ...badStoredMoments, ...badEnablementMoments, ...badSessionMoments]

const codes = Object.keys(errorCodes) as Array<ErrorCode>

test("the table has a case for every error code that a client can get", () => {
  const covered = new Set(cases.map(({ code }) => code))
  assert.sameMembers(
    codes.filter((code) => !covered.has(code)),
    [...elsewhere]
  )
})

describeLive(app)("an error code", (it) => {
  it.effect.each(codes)("%s has a page with its meaning and the action to take", function* (code) {
    const { help, status, type } = errorCodes[code]
    assert.match(help, /\S[.:] \S/, "what it means, and what to do")
    const page = yield* send({ path: `/docs/errors/${code}`, headers: { authorization: undefined } })
    assert.strictEqual(page.status, 200)
    assert.match(page.headers["content-type"] ?? "", /^text\/html/)
    const text = page.text
      .replaceAll(/<\/?code>/g, "`")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'")
      .replaceAll("&amp;", "&")
    for (const said of [help, `<dd>${status}</dd>`, type]) assert.include(text, said)
    const { error } = JSON.parse(/<pre>`([^]*)`<\/pre>/.exec(text)?.[1] ?? "")
    assert.deepInclude(error, { code, type, doc_url: `${baseUrl}/docs/errors/${code}` })
    // The example has the service's own message.
    const known = cases.filter((one) => one.code === code)
    if (known.length > 0)
      assert.isTrue(
        known.some(({ message }) => message.test(error.message)),
        error.message
      )
    assert.include((yield* send({ path: "/docs/errors" })).text, `href="errors/${code}"`)
  })
})
