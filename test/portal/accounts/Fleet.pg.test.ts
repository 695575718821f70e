import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../../schemas/Id.ts"
import { Capability } from "../../../schemas/PortalSession.ts"
import { Platforms } from "../../../src/accounts/store/Platforms.ts"
import { PortalSessions } from "../../../src/accounts/store/PortalSessions.ts"
import { Notices } from "../../../src/operations/store/Notices.ts"
import { accountOf, acting, newAccount, platform } from "../../http/platforms/Platform.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { get, post, send } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { seedDrafts } from "../../support/database/Owners.ts"
import { open as openLink, pairOf } from "../../support/portal/Entering.ts"
import { auditLog } from "../../support/portal/Tables.ts"
import { formOf, noticeOf, type Shown, visitor } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"

type Made = Effect.Success<ReturnType<typeof platform>>

const inside = (
  { account_id, api_key_id }: Made,
  capabilities: ReadonlyArray<Capability> = Capability.literals,
  language = "en"
) =>
  visitor({
    account: { account_id, livemode: false },
    apiKeyId: api_key_id,
    capabilities,
    language
  })
type Visitor = Effect.Success<ReturnType<typeof inside>>

const cookieIn = ({ headers }: Shown) => headers.get("set-cookie")?.split(";")[0] ?? ""

/** Sends a form of a page with this cookie, and follows no redirect. */
const press = (browser: Visitor, page: string, action: string, cookie = browser.cookie) =>
  browser.fetched(action, {
    method: "POST",
    body: new URLSearchParams(formOf(page, action)),
    headers: { cookie, origin: browser.url, "sec-fetch-site": "same-origin" }
  })

/** Opens an account from the platform's first page. */
const opened = Effect.fnUntraced(function* (browser: Visitor, account: string) {
  const fleet = yield* browser.see("/portal")
  const answer = yield* press(browser, fleet.text, `/portal/accounts/${account}/open`)
  assert.strictEqual(answer.status, 303, answer.text)
  const cookie = cookieIn(answer)
  return { cookie, see: (path: string) => browser.fetched(path, { headers: { cookie } }) }
})

/** The names of the accounts that a page lists, in order. */
const namesOn = ({ text }: Shown) =>
  [...text.matchAll(/<a href="[^"]*accounts\/ten_\w+">([^<]*)<\/a>/gu)].map(([, name]) => name)

const named = Effect.fnUntraced(function* (of: Made, name: string) {
  const body = { ...newAccount(), name }
  const made = yield* post("/v1/accounts", body, of.headers)
  assert.strictEqual(made.status, 201, made.text)
  return { id: String(made.json.id), nit: body.identification.number }
})

const row = ({ text }: Shown, id: string) => {
  const at = text.indexOf(`accounts/${id}"`)
  assert.isAbove(at, 0, id)
  return text.slice(at, text.indexOf("</tr>", at))
}

const ended = (see: (path: string) => Effect.Effect<Shown>) =>
  Effect.map(see("/portal"), ({ status }) => assert.strictEqual(status, 401))

describeLive(app)("the accounts of a platform in the portal", (it) => {
  it.effect("appear on the first page of a session by the API, with a menu of the platform's pages", function* () {
    const mine = yield* platform()
    const { id } = yield* named(mine, "Tornillo")
    const session = yield* post("/v1/portal-sessions", {}, mine.headers)
    assert.strictEqual(session.status, 201, session.text)
    const cookie = pairOf(yield* openLink(new URL(session.json.url).pathname))
    const { text } = yield* openLink("/portal", { cookie })
    assert.include(text, `accounts/${id}"`)
    const menu = /<nav aria-label="Pages">([^]*?)<\/nav>/u.exec(text)?.[1] ?? ""
    assert.deepStrictEqual(
      [...menu.matchAll(/>([^<>]+)<\/a>/gu)].map(([, name]) => name),
      ["Accounts", "API keys", "Portal sessions", "Requests", "Audit log"]
    )
    for (const [, path = ""] of menu.matchAll(/href="([^"]*)"/gu)) {
      const page = yield* openLink(new URL(path, "http://folio.test/portal").pathname, { cookie })
      assert.strictEqual(page.status, 200, path)
    }
    const missing = ["documents", "customers", "events", "endpoints", "bench", "setup", "setup/issuer", "setup/ranges"]
    for (const path of missing) {
      assert.strictEqual((yield* openLink(`/portal/${path}`, { cookie })).status, 404, path)
    }
  })

  it.effect("have no page in the session of an account", function* () {
    const mine = yield* platform()
    const id = yield* accountOf(mine)
    const { see } = yield* visitor()
    for (const path of ["new", id]) assert.strictEqual((yield* see(`/portal/accounts/${path}`)).status, 404, path)
  })

  it.effect("show what each needs, with filters, search and order", function* () {
    const mine = yield* platform()
    const sql = yield* SqlClient.SqlClient
    const [bolt, lamp, sea] = [yield* named(mine, "Bolt"), yield* named(mine, "Álamo"), yield* named(mine, "Sea 100%")]
    const endpoint = { url: "https://hooks.example.com/folio", subscribed_events: ["invoice.accepted_by_authority"] }
    const made = yield* post("/v1/webhook-endpoints", endpoint, acting(mine, bolt.id))
    assert.strictEqual(made.status, 201, made.text)
    yield* sql`update webhook_endpoints set failing_since = now() - interval '2 hours' where id = ${made.json.id}`
    yield* sql`update resolutions set next_number = to_number where account_id = ${bolt.id}`
    yield* (yield* Notices).search
    const [draft] = yield* seedDrafts(AccountId.make(sea.id), 1, "queued")
    assert.isDefined(draft)
    yield* post(`/v1/accounts/${lamp.id}/suspend`, { reason: "Mora <b>" }, mine.headers)
    const { see } = yield* inside(mine)
    const all = yield* see("/portal")
    assert.deepStrictEqual(namesOn(all), ["Sea 100%", "Álamo", "Bolt"])
    assert.include(row(all, bolt.id), "Webhook endpoint hooks.example.com has accepted no delivery since")
    assert.match(row(all, bolt.id), /class="wait">Range SETP for invoices has 1 /u)
    assert.notInclude(row(all, sea.id), "failing")
    assert.match(row(all, bolt.id), /\d steps left/u)
    assert.match(row(all, bolt.id), /To go live: .*Certificate.*Numbering range\./u)
    assert.include(row(all, lamp.id), "Mora &lt;b&gt;")
    for (const [query, names] of [
      ["sort=name", ["Álamo", "Bolt", "Sea 100%"]],
      ["sort=needs", ["Bolt", "Sea 100%", "Álamo"]],
      ["status=suspended", ["Álamo"]],
      ["status=active&sort=name", ["Bolt", "Sea 100%"]],
      ["only=ready", []],
      ["only=not_ready", ["Sea 100%", "Álamo", "Bolt"]],
      [`search=${bolt.nit}`, ["Bolt"]],
      [`search=${bolt.nit.slice(0, 3)}.${bolt.nit.slice(3, 6)}.${bolt.nit.slice(6)}-1`, ["Bolt"]],
      ["search=0%25", ["Sea 100%"]],
      ["search=o_t", []],
      ["search=ÁLA", ["Álamo"]],
      ["sort=never&only=x&status=y&page=-3&after=z", ["Sea 100%", "Álamo", "Bolt"]],
      [`after=${sea.id}`, ["Álamo", "Bolt"]]
    ] as const) {
      assert.deepStrictEqual(namesOn(yield* see(`/portal?${query}`)), [...names], query)
    }
    const spanish = yield* (yield* inside(mine, ["view"], "es")).see("/portal")
    assert.include(row(spanish, bolt.id), "hooks.example.com")

    // A closed account needs nothing before live documents.
    const done = yield* named(mine, "Done")
    yield* post(`/v1/accounts/${done.id}/close`, { reason: "Fin" }, mine.headers)
    assert.notMatch(row(yield* see("/portal"), done.id), /steps left/u)
    for (const only of ["ready", "not_ready"]) {
      assert.notInclude(namesOn(yield* see(`/portal?only=${only}`)), "Done")
    }
  })

  it.effect("fill pages of fifty", function* () {
    const mine = yield* platform()
    for (let count = 0; count < 52; count++) yield* accountOf(mine)
    const { see } = yield* inside(mine)
    const [first, second] = [yield* see("/portal"), yield* see("/portal?page=2")]
    assert.deepStrictEqual([namesOn(first).length, namesOn(second).length], [50, 2])
    assert.match(first.text, /href="[^"]*page=2"/u)
    assert.lengthOf(new Set([...namesOn(first), ...namesOn(second)]), 52)
  })

  it.effect("belong to their platform only", function* () {
    const [mine, theirs] = [yield* platform(), yield* platform()]
    const [own, foreign] = [yield* accountOf(mine), yield* accountOf(theirs)]
    const browser = yield* inside(mine)
    const { text } = yield* browser.see("/portal")
    assert.include(text, own)
    assert.notInclude(text, foreign)
    const before = (yield* auditLog).length
    assert.strictEqual((yield* browser.see(`/portal/accounts/${foreign}`)).status, 404)
    const page = text.replaceAll(own, foreign)
    assert.strictEqual((yield* press(browser, page, `/portal/accounts/${foreign}/open`)).status, 404)
    const form = (yield* browser.see(`/portal/accounts/${own}`)).text.replaceAll(own, foreign)
    for (const name of ["suspend", "close"]) {
      assert.strictEqual((yield* press(browser, form, `/portal/accounts/${foreign}/${name}`)).status, 404, name)
    }
    assert.lengthOf(yield* auditLog, before)
  })

  it.effect("open with the capabilities of the platform's session, and lead back", function* () {
    const mine = yield* platform()
    const account = yield* named(mine, "Tornillo")
    const browser = yield* inside(mine, ["view", "documents"])
    const { cookie, see } = yield* opened(browser, account.id)
    assert.deepInclude((yield* auditLog).at(-1), { account_id: account.id, action: "portal_session.created" })
    const { data } = (yield* get("/v1/audit-log?limit=1", acting(mine, account.id))).json
    assert.strictEqual(data[0].actor.type, "platform")
    const home = yield* see("/portal")
    assert.match(home.text, /<b title="Tornillo">Tornillo<\/b>/u)
    assert.include(home.text, "Back to accounts")
    assert.include(home.text, "view, documents")
    assert.strictEqual((yield* see("/portal/documents")).status, 200)
    assert.notInclude((yield* see("/portal/setup/keys")).text, "Create key")
    // The form of the platform's page belongs to another session.
    const fleet = yield* browser.see("/portal")
    const mixed = yield* press(browser, fleet.text, `/portal/accounts/${account.id}/open`, cookie)
    assert.include([403, 404], mixed.status)
    const returned = yield* press(browser, home.text, "/portal/back", cookie)
    assert.deepStrictEqual([returned.status, cookieIn(returned)], [303, browser.cookie])
    assert.strictEqual((yield* see("/portal")).status, 401)
    const again = yield* browser.see("/portal?notice=back")
    assert.deepStrictEqual([again.status, noticeOf(again.text)], [200, "back"])
  })

  it.effect("close with the platform's session", function* () {
    const mine = yield* platform()
    const account = yield* accountOf(mine)
    // By the API.
    const browser = yield* inside(mine)
    const first = yield* opened(browser, account)
    const child = yield* opened(browser, account)
    // Opening an account again ends its session before.
    yield* ended(first.see)
    const sessions = yield* PortalSessions
    const own = yield* Effect.fromOption(yield* sessions.find(browser.cookie.split("=")[1] ?? ""))
    const target = yield* Effect.fromOption(yield* (yield* Platforms).actFor(own.principal, account))
    const removed = yield* send({
      method: "DELETE",
      path: `/v1/portal-sessions/${browser.id}`,
      headers: mine.headers
    })
    assert.strictEqual(removed.status, 200, removed.text)
    yield* ended(child.see)
    // A form that was still arriving opens no session.
    const late = sessions.openFrom(own, target)
    assert.strictEqual((yield* Effect.flip(late)).code, "invalid_api_key")
    // By logging out of the account.
    const other = yield* inside(mine)
    const inner = yield* opened(other, account)
    const home = yield* inner.see("/portal")
    assert.strictEqual((yield* press(other, home.text, "/portal/leave", inner.cookie)).status, 200)
    yield* ended(inner.see)
    yield* ended(other.see)
  })

  it.effect("stay closed to a cookie with another token for the way back", function* () {
    const [mine, theirs] = [yield* platform(), yield* platform()]
    const account = yield* accountOf(mine)
    const browser = yield* inside(mine)
    const stranger = yield* inside(theirs)
    const { cookie } = yield* opened(browser, account)
    const forged = `${cookie.split(".")[0]}.${stranger.cookie.split("=")[1]}`
    const home = yield* browser.fetched("/portal", { headers: { cookie: forged } })
    const refused = yield* press(browser, home.text, "/portal/back", forged)
    assert.deepStrictEqual([refused.status, cookieIn(refused)], [403, ""])
  })

  it.effect("change by forms: created, suspended, resumed and closed as by the platform", function* () {
    const mine = yield* platform()
    const browser = yield* inside(mine)
    const { check_digit, number } = newAccount().identification
    const fields = {
      "identification.type": "31",
      "identification.number": number,
      legal_name: "Ferretería S.A.S.",
      organization_type: "1",
      email: "facturas@ferreteria.test",
      address: "Calle 1",
      city_code: "11001",
      country_code: "CO",
      tax_responsibilities: "R-99-PN"
    }
    const path = "/portal/accounts/new"
    const wrong = yield* browser.submit(path, path, { ...fields, "identification.check_digit": "x" })
    assert.strictEqual(wrong.status, 400)
    assert.include(wrong.text, 'value="Ferretería S.A.S."')
    const created = yield* browser.submit(path, path, { ...fields, "identification.check_digit": check_digit })
    assert.strictEqual(noticeOf(created.text), "created", created.text)
    const [account] = (yield* get("/v1/accounts", mine.headers)).json.data
    assert.deepInclude(account, { legal_name: "Ferretería S.A.S.", name: "Ferretería S.A.S.", status: "active" })
    const page = `/portal/accounts/${account.id}`
    const change = (name: string, reason?: string) =>
      browser.submit(page, `${page}/${name}`, reason === undefined ? {} : { reason })
    const refused = yield* change("suspend", "")
    assert.strictEqual(refused.status, 400)
    assert.include(refused.text, "must not be empty")
    const suspended = yield* change("suspend", "Mora")
    assert.strictEqual(noticeOf(suspended.text), "suspended")
    assert.include(suspended.text, "Mora")
    const resumed = yield* until(change("resume"), ({ text }) => noticeOf(text) === "resumed")
    assert.notInclude(resumed.text, "Mora")
    const closed = yield* change("close", "Fin")
    assert.strictEqual(noticeOf(closed.text), "closed")
    assert.notInclude(closed.text, "Change status")
    const { data } = (yield* get("/v1/audit-log", acting(mine, account.id))).json
    assert.deepStrictEqual(
      data.map(({ action, actor }: Record<string, { readonly type: string }>) => [action, actor?.type]).slice(0, 3),
      [
        ["account.closed", "platform"],
        ["account.resumed", "platform"],
        ["account.suspended", "platform"]
      ]
    )
  })

  it.effect("cannot change without the capability setup", function* () {
    const mine = yield* platform()
    const account = yield* accountOf(mine)
    const all = yield* inside(mine)
    const view = yield* inside(mine, ["view"])
    const shown = yield* view.see(`/portal/accounts/${account}`)
    assert.notInclude(shown.text, "Suspend account")
    assert.notInclude((yield* view.see("/portal")).text, "Create account")
    const csrf = formOf(shown.text, "/portal/leave")["csrf"] ?? ""
    const form = { ...formOf((yield* all.see(`/portal/accounts/${account}`)).text, "/suspend"), csrf, reason: "Mora" }
    const refused = yield* view.post(`/portal/accounts/${account}/suspend`, new URLSearchParams(form))
    assert.strictEqual(refused.status, 403, refused.text)
    assert.strictEqual((yield* get(`/v1/accounts/${account}`, mine.headers)).json.status, "active")
  })
})
