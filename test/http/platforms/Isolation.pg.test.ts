import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { keys } from "../../support/apps/Accounts.ts"
import { accountOf, acting, platform } from "./Platform.ts"
import { Limits } from "../../../src/runtime/Limits.ts"
import { layer as app, serviceWith } from "../../support/apps/PostgresApp.ts"
import { bearer, get, post, send, type Sent } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"
import { rows } from "../inputs/routeRows.ts"

/** All routes that need an API key. The mail provider signs its notices instead. */
const routes = Object.entries(rows)
  .filter(([route, { answers }]) => answers["no key"][0] === 401 && !route.endsWith("/email-notices"))
  .map(([route]) => {
    const [method = "", path = ""] = route.split(" ")
    return { route, method, path }
  })
const ofAccounts = routes.filter(({ path }) => !path.startsWith("/v1/accounts"))
const ofPlatforms = routes.filter(({ path }) => path.startsWith("/v1/accounts"))
const named = ofPlatforms.filter(({ path }) => path.includes(":id"))
const ownOfPlatform = /^\/v1\/(api-keys|audit-log|catalogs|portal-sessions|requests)/

const id = `inv_${"0".repeat(26)}`
const outcome = (sent: Sent) => Effect.map(send(sent), ({ json, status }) => [status, json?.error?.code] as const)
const ask = ({ method, path }: (typeof routes)[number], headers: NonNullable<Sent["headers"]>, of = id) =>
  outcome({ method, path: path.replace(/:\w+/, of), headers })

const world = Effect.gen(function* () {
  const [mine, theirs] = [yield* platform(), yield* platform()]
  return { mine, account: yield* accountOf(mine), foreign: yield* accountOf(theirs) }
})

describeLive(app)("every route", (it) => {
  it.effect("hides another platform's account, as an account that does not exist", function* () {
    const { foreign, mine } = yield* world
    for (const route of ofAccounts) {
      for (const account of [foreign, `${foreign.slice(0, -6)}zzzzzz`, "ten_1", ""]) {
        assert.deepStrictEqual(
          yield* ask(route, acting(mine, account)),
          [404, "resource_missing"],
          `${route.route} ${account}`
        )
      }
    }
    for (const route of named) {
      assert.deepStrictEqual(yield* ask(route, mine.headers, foreign), [404, "resource_missing"], route.route)
    }
  })

  it.effect("shows in its error the account that the platform lacks, and where to find its own", function* () {
    const { account, foreign, mine } = yield* world
    for (const sent of [foreign, `${account}, ${account}`]) {
      const { json } = yield* get("/v1/customers", acting(mine, sent))
      assert.deepInclude(json.error, {
        param: "Svc-Account",
        message: `This platform has no account "${sent}". Send the id of one of its accounts: GET /v1/accounts lists them.`
      })
    }
  })

  it.effect("requires the account of a platform's request", function* () {
    const { mine } = yield* world
    for (const route of ofAccounts) {
      const [status, code] = yield* ask(route, mine.headers)
      if (ownOfPlatform.test(route.path)) assert.notStrictEqual(code, "account_required", route.route)
      else assert.deepStrictEqual([status, code], [400, "account_required"], route.route)
    }
  })

  it.effect("takes no account of an account's own key, and no management of accounts", function* () {
    const { account, mine } = yield* world
    const own = yield* post(`/v1/accounts/${account}/api-keys`, {}, mine.headers)
    const refused = [403, "platform_key_required"] as const
    for (const key of [keys.test, String(own.json.key)]) {
      for (const route of ofAccounts) assert.deepStrictEqual(yield* ask(route, acting({ key }, account)), refused)
      for (const route of ofPlatforms) assert.deepStrictEqual(yield* ask(route, bearer(key), account), refused)
    }
  })

  it.effect("takes no header for the management of accounts", function* () {
    const { account, mine } = yield* world
    for (const route of ofPlatforms) {
      assert.deepStrictEqual(yield* ask(route, acting(mine, account), account), [400, "parameter_unknown"], route.route)
    }
  })

  it.effect("creates no customer and no document for a suspended account", function* () {
    const { account, mine } = yield* world
    yield* post(`/v1/accounts/${account}/suspend`, { reason: "Mora" }, mine.headers)
    const headers = acting(mine, account)
    const creation = { method: "POST", path: "/v1/invoices", headers }
    yield* until(outcome(creation), ([, code]) => code === "account_suspended")
    const refused: Array<string> = []
    for (const route of ofAccounts) {
      const [, code] = yield* ask(route, headers)
      if (code === "account_suspended") refused.push(route.route)
    }
    assert.sameMembers(refused, [
      "POST /v1/customers",
      "PUT /v1/customers/:id",
      "POST /v1/invoices",
      "POST /v1/credit-notes",
      "POST /v1/debit-notes",
      "POST /v1/invoices/:id/annul"
    ])
  })
})

const limited = serviceWith(Limits.layerChanged({ rate: { perSecond: 0.001, burst: 4 } }))
describeLive(limited)("The rate limit of a platform's key", (it) => {
  it.effect("counts the requests of each account in the header or in the path separately", function* () {
    const mine = yield* platform()
    const [one, other] = [yield* accountOf(mine), yield* accountOf(mine)]
    const status = (path: string, headers = mine.headers) => Effect.map(get(path, headers), (reply) => reply.status)
    const first = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => status(`/v1/accounts/${one}`))
    assert.deepStrictEqual(first, [200, 200, 200, 200, 429, 429])
    const ofOthers = [yield* status(`/v1/accounts/${other}`), yield* status("/v1/accounts")]
    const byHeader = yield* Effect.forEach([one, other], (account) => status("/v1/invoices", acting(mine, account)))
    assert.deepStrictEqual(
      [ofOthers, byHeader],
      [
        [200, 200],
        [429, 200]
      ]
    )
  })
})
