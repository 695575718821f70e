import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { NoteKind } from "../../../schemas/DocumentKinds.ts"
import { apiKeyIds, keys, rangeId, startOfTest, testMode } from "../../support/apps/Accounts.ts"
import { serviceWith } from "../../support/apps/MemoryApp.ts"
import { addCustomer, addDelivery, addEndpoint, addNote, addNumbered, become } from "../../support/apps/MemoryRows.ts"
import { keyFile } from "../../support/authority/LiveAccounts.ts"
import { bearer, post, send } from "../../support/apps/Requests.ts"
import { rows } from "../inputs/routeRows.ts"
import { describeOn } from "../../support/Tests.ts"
import { Limits } from "../../../src/runtime/Limits.ts"

// They share a transaction, change nothing, or wait for the authority first.
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
// Memory has no platforms.
const withTurn = Object.entries(rows).filter(
  ([route, { key }]) => key === undefined && !route.startsWith("GET ") && !withoutTurn.includes(route)
)

const onlyLive = ["certificate", "enablement", "software"].map((name) => `/v1/account/${name}`)

const noTurns = { ofOwnerAtOnce: 0, waiting: { ofAsker: 0, ofOwner: 0, inAll: 0 } }

const accepted = Effect.gen(function* () {
  const { id } = yield* Effect.orDie(Effect.flatMap(addCustomer(), addNumbered))
  yield* become(id, { state: "accepted_by_authority", next_action_at: null })
  return String(id)
})
const delivery = Effect.flatMap(addEndpoint(), (endpoint) => addDelivery(endpoint, "inv_1"))
const noteOf = (kind: NoteKind) => Effect.flatMap(accepted, (id) => addNote(kind, id))

const certificateBody = () => {
  const { password, pkcs12 } = keyFile({ now: startOfTest })
  return { pkcs12, password }
}

/** The object that a route names, created without a command. */
const idFor = (pattern: string) => {
  const [resource = "", isNamed] = pattern.slice("/v1/".length).split("/:id")
  if (isNamed === undefined) return accepted
  switch (resource) {
    case "api-keys":
      return Effect.succeed<string>(apiKeyIds.secondTest)
    case "resolutions":
      return Effect.succeed<string>(rangeId(testMode))
    case "portal-sessions":
      return Effect.succeed(`ps_${"a".repeat(26)}`)
    case "webhook-endpoints":
      return Effect.map(addEndpoint(), ({ id }) => String(id))
    case "webhook-deliveries":
      return Effect.map(delivery, ({ id }) => String(id))
    case "credit-notes":
      return Effect.map(noteOf("credit_note"), ({ id }) => String(id))
    case "debit-notes":
      return Effect.map(noteOf("debit_note"), ({ id }) => String(id))
    case "customers":
      return Effect.map(addCustomer(), String)
    default:
      return accepted
  }
}

describeOn(serviceWith(Limits.layerChanged({ commands: noTurns })))("an account that has no turn", (it) => {
  it.effect.each(withTurn.map(([route, row]) => ({ route, row })))(
    "rejects the command: $route",
    function* ({ route, row }) {
      const [method = "", pattern = ""] = route.split(" ")
      const id = method === "PUT" ? "13-100000001" : yield* idFor(pattern)
      // Valid at the time of the tests in memory.
      const body = pattern.endsWith("/certificate") ? certificateBody() : row.body?.(id)
      const key = onlyLive.includes(pattern) ? keys.live : keys.test
      const { json, status } = yield* send({
        method,
        path: pattern.replace(/:\w+/, id),
        headers: bearer(key),
        body
      })
      assert.deepStrictEqual([status, json?.error?.code], [429, "rate_limited"], json?.error?.message)
      assert.match(json.error.message, /has 0 commands waiting already/)
    }
  )

  it.effect.each(["POST /v1/customers", "POST /v1/invoices"].map((route) => ({ route })))(
    "creates drafts and customers: $route",
    function* ({ route }) {
      const row = rows[route]!
      const { status } = yield* post(route.slice(5), row.body?.(yield* addCustomer()))
      assert.include([201, 202], status)
    }
  )
})
