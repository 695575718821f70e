import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { openApi } from "../../../src/api/OpenApi.ts"
import { issue } from "../../support/apps/Correcting.ts"
import { keyFile } from "../../support/authority/LiveAccounts.ts"
import { noticeHeaders } from "../../support/mail/MailNotices.ts"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { bearer, get, send } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"
import { accountOf, acting, platform } from "../platforms/Platform.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- read as a client would, from the text
const document: any = JSON.parse(JSON.stringify(openApi))

const exampleIn = (method: string, path: string) => {
  const { example, examples } = document.paths[path][method].requestBody.content["application/json"]
  return example ?? Object.values<{ readonly value: unknown }>(examples)[0]?.value
}

/** All operations with a body and without an object in their path. */
const creations = Object.entries<Record<string, { readonly requestBody?: object }>>(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods)
      .filter(([, { requestBody }]) => requestBody !== undefined && !path.includes("{") && !path.endsWith("/logo"))
      .map(([method]) => ({ method, path }))
)

/** The headers of an example: those of a platform, if only a platform's key may send the request. */
const headersOf = Effect.fnUntraced(function* (path: string, others: Readonly<Record<string, string>>) {
  if (path !== "/v1/accounts" && path !== "/v1/portal-sessions") return others
  const made = yield* platform(null, ["app.example.com"])
  return path === "/v1/accounts" ? made.headers : acting(made, yield* accountOf(made))
})

describeLive(app)("the examples of the OpenAPI document", (it) => {
  it.effect.each(creations)("let $method $path work as described", function* ({ method, path }) {
    const body = { ...exampleIn(method, path) }
    if ("customer_id" in body) {
      const customer = yield* send({
        method: "POST",
        path: "/v1/customers",
        body: exampleIn("post", "/v1/customers")
      })
      body.customer_id = customer.json.id
    }
    if ("invoice_id" in body) body.invoice_id = (yield* issue).id
    // A key file cannot be published: the test's own replaces it, with a live key.
    const isFile = "pkcs12" in body
    if (isFile) {
      const { password, pkcs12 } = keyFile({ now: Date.now() })
      Object.assign(body, { pkcs12, password })
    }
    const notice = path === "/v1/email-notices" ? yield* noticeHeaders(JSON.stringify(body)) : {}
    const isLive = isFile || "pin" in body || "test_set_id" in body
    const ofMode = isLive ? bearer(keys.live) : notice
    const headers = yield* headersOf(path, ofMode)
    const reply = yield* send({ method: method.toUpperCase(), path, headers, body })
    const expected = Object.keys(document.paths[path][method].responses).find((status) => status < "300")
    assert.strictEqual(String(reply.status), expected, reply.text)
  })

  it.effect("appear at /v1/openapi.json, which the pages under /docs show", function* () {
    const { json, text } = yield* get("/v1/openapi.json")
    assert.deepStrictEqual(json, document)
    assert.include((yield* get("/docs/reference/customers")).text, "Cliente de Prueba S.A.S.")
    assert.include(text, "invoice.email.complained")
    assert.include(text, "Cliente de Prueba S.A.S.")
  })
})
