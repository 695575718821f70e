import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { apiKeyIds, keys, rangeId, testMode } from "../../support/apps/Accounts.ts"
import { serviceWith } from "../../support/apps/MemoryApp.ts"
import { bearer, post, send } from "../../support/apps/Requests.ts"
import { noId, rows } from "../inputs/routeRows.ts"
import { describeOn } from "../../support/Tests.ts"
import { Limits } from "../../../src/settings/Limits.ts"

// They share a transaction, or change nothing, or wait for the authority first.
const withoutTurn = [
  "POST /v1/customers",
  "POST /v1/customers/validate",
  "POST /v1/invoices",
  "POST /v1/invoices/validate",
  "POST /v1/credit-notes/validate",
  "POST /v1/debit-notes/validate",
  "POST /v1/email-notices",
  "POST /v1/resolutions/import"
]
const withTurn = Object.entries(rows).filter(([route]) => !route.startsWith("GET ") && !withoutTurn.includes(route))

const onlyLive = ["certificate", "enablement", "software"].map((name) => `/v1/account/${name}`)

const noTurns = { ofOwnerAtOnce: 0, waiting: { ofAsker: 0, ofOwner: 0, inAll: 0 } }

describeOn(serviceWith(Limits.layerChanged({ commands: noTurns })))("an account that has no turn", (it) => {
  it.effect.each(withTurn.map(([route, row]) => ({ route, row })))("has refused: $route", function* ({ route, row }) {
    const [method = "", pattern = ""] = route.split(" ")
    // They are made by commands.
    const made = pattern.startsWith("/v1/api-keys/")
      ? Effect.succeed(apiKeyIds.secondTest)
      : pattern.startsWith("/v1/resolutions/")
        ? Effect.succeed(rangeId(testMode))
        : pattern.startsWith("/v1/portal-sessions/")
          ? Effect.succeed(`ps_${"a".repeat(26)}`)
          : (row.id ?? noId)
    const id = yield* made
    const key = onlyLive.includes(pattern) ? keys.live : keys.test
    const { json, status } = yield* send({
      method,
      path: pattern.replace(/:\w+/, id),
      headers: bearer(key),
      ...(row.body === undefined ? {} : { body: row.body(id) })
    })
    assert.deepStrictEqual([status, json?.error?.code], [429, "rate_limited"], json?.error?.message)
    assert.match(json.error.message, /has 0 commands waiting already/)
  })

  it.effect.each(["POST /v1/customers", "POST /v1/invoices"].map((route) => ({ route })))(
    "makes its drafts and customers all the same: $route",
    function* ({ route }) {
      const row = rows[route]!
      const id = yield* row.id ?? noId
      const { status } = yield* post(route.slice(5), row.body?.(id))
      assert.include([201, 202], status)
    }
  )
})
