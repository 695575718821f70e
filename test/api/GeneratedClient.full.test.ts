import { assert } from "@effect/vitest"
import { HttpServer } from "effect/http"
import { compile, folderOf, generated, run } from "../support/apps/GeneratedClient.ts"
import { keys } from "../support/apps/Accounts.ts"
import { layer as app } from "../support/apps/PostgresApp.ts"
import { describeLive } from "../support/Tests.ts"

const program = (baseUrl: string, apiKey: string) => `
import createClient from "openapi-fetch"
import type { components, paths, webhooks } from "./folio.ts"

const client = createClient<paths>({ baseUrl: "${baseUrl}", headers: { Authorization: "Bearer ${apiKey}" } })

const create = (key: string) => client.POST("/v1/customers", {
  params: { header: { "idempotency-key": key } },
  body: {
    identification: { type: "31", number: "900000001", check_digit: "1" },
    legal_name: "Cliente de Prueba S.A.S.",
    organization_type: "1"
  }
})
const first: string = (await create("customer-1")).data?.id ?? ""
const second: string = (await create("customer-2")).data?.id ?? ""
const again: string | undefined = (await create("customer-1")).data?.id

const page = await client.GET("/v1/customers", { params: { query: { limit: "1" } } })
const next = await client.GET("/v1/customers", { params: { query: { starting_after: second } } })
const names: ReadonlyArray<string> = [page, next].flatMap(({ data }) => data?.data.map(({ legal_name }) => legal_name) ?? [])

const missing = await client.GET("/v1/customers/{id}", { params: { path: { id: "cust_1" } } })
const code: string | undefined = missing.error?.error.code

const subscribed: components["schemas"]["EventType"] = "invoice.accepted_by_authority"
const endpoint = await client.POST("/v1/webhook-endpoints", {
  body: { url: "https://hooks.example.com/folio", subscribed_events: [subscribed] }
})
const secret: string | undefined = endpoint.data?.secret

type Delivered = webhooks["debit_note.email.bounced"]["post"]["requestBody"]["content"]["application/json"]
export const typeOf = (event: Delivered): "debit_note.email.bounced" => event.type

console.log(JSON.stringify({ repeated: again === first, has_more: page.data?.has_more, names, code, secret }))
`

const mistakes: ReadonlyArray<readonly [from: string, to: string, says: string]> = [
  ['legal_name: "Cliente de Prueba S.A.S.",', "", "Property 'legal_name' is missing"],
  ['organization_type: "1"', 'organization_type: "3"', `Type '"3"' is not assignable`],
  ['"idempotency-key": key', "", "Property '\"idempotency-key\"' is missing"],
  ["endpoint.data?.secret", "endpoint.data?.secrets", "Property 'secrets' does not exist"],
  ['= "invoice.accepted_by_authority"', '= "invoice.accepted"', `Type '"invoice.accepted"' is not assignable`],
  ['): "debit_note.email.bounced"', '): "debit_note.failed"', "is not assignable"]
]

describeLive(app)("a client generated from the OpenAPI document", (it) => {
  it.effect("compiles and drives the service", function* () {
    const baseUrl = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
    const folder = yield* folderOf({ "folio.ts": yield* generated, "program.ts": program(baseUrl, keys.test) })
    assert.strictEqual(yield* compile(folder), "")
    const { secret, ...said } = JSON.parse(yield* run(folder, "program.ts"))
    assert.match(secret, /^whsec_/)
    assert.deepStrictEqual(said, {
      repeated: true,
      has_more: true,
      names: ["Cliente de Prueba S.A.S.", "Cliente de Prueba S.A.S."],
      code: "resource_missing"
    })
  })

  it.effect("fails to compile wrong uses", function* () {
    const right = program("http://127.0.0.1:3000", "sk_test_…")
    const wrong = mistakes.map(([from, to], index) => [`wrong${index}.ts`, right.replace(from, to)] as const)
    const folder = yield* folderOf({ "folio.ts": yield* generated, ...Object.fromEntries(wrong) })
    // Each complaint begins with its file. Its explanation is indented below it.
    const complaints = (yield* compile(folder)).split(/\n(?=\S)/)
    for (const [index, [, , says]] of mistakes.entries()) {
      const own = complaints.filter((complaint) => complaint.startsWith(`wrong${index}.ts`))
      assert.lengthOf(own, 1, complaints.join("\n"))
      assert.include(own[0], says)
    }
    assert.lengthOf(
      complaints.filter((complaint) => complaint.trim() !== ""),
      mistakes.length
    )
  })
})
