import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Net from "node:net"
import { type Client, makeClient } from "../../support/apps/Client.ts"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { rowCount } from "../../support/database/Owners.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { describeLive } from "../../support/Tests.ts"

interface Swallowed {
  readonly status: number
  readonly location: string | undefined
  readonly body: string
}

/** A proxy between a client and the service, which breaks the connection after this much of a response. */
const cutter = Effect.fnUntraced(function* (service: string) {
  const target = new URL(service)
  const answers: Array<Swallowed> = []
  let cutAfter = 0
  const server = Net.createServer((client) => {
    const upstream = Net.connect(Number(target.port), target.hostname)
    let received = ""
    client.on("data", (chunk) => upstream.write(chunk))
    client.on("error", () => {})
    client.on("close", () => upstream.destroy())
    upstream.on("error", () => client.destroy())
    upstream.on("data", (chunk) => {
      received += chunk.toString("latin1")
      const [head = "", body = ""] = received.split("\r\n\r\n")
      if (body.length < Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? Number.POSITIVE_INFINITY)) return
      answers.push({
        status: Number(head.slice(9, 12)),
        location: /^location: (.*)$/im.exec(head)?.[1]?.trim(),
        body: Buffer.from(body, "latin1").toString()
      })
      client.write(Buffer.from(received.slice(0, cutAfter), "latin1"), () => client.resetAndDestroy())
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () => Effect.sync(() => server.close())
  )
  return {
    url: `http://127.0.0.1:${(server.address() as Net.AddressInfo).port}`,
    answers,
    cutAfter: (bytes: number) => void (cutAfter = bytes)
  }
})

class Cut extends Context.Service<Cut, Effect.Success<ReturnType<typeof cutter>>>()("test/Cut") {
  static readonly layer = Layer.effect(
    Cut,
    Effect.flatMap(TestApp.TestApp, ({ url }) => cutter(url))
  ).pipe(Layer.provideMerge(TestApp.layer()))
}

/** None of the response, a part of the head, the head, and all but the last byte of a short body. */
const cuts = [0, 40, 330, 450]

describeLive(Cut.layer)("A response that is lost after the commit", (it) => {
  const repeatedOnce = Effect.fnUntraced(function* (
    table: string,
    request: (client: Client, key: string) => ReturnType<Client["request"]>
  ) {
    const { apiKey, client, url } = yield* TestApp.TestApp
    const { answers, cutAfter, url: throughCutter } = yield* Cut
    for (const cut of cuts) {
      const before = yield* rowCount(table)
      cutAfter(cut)
      const key = `${table} cut after ${cut}`
      const lost = yield* Effect.exit(request(makeClient(throughCutter, apiKey), key))
      assert.strictEqual(lost._tag, "Failure", "the client has no response")
      const made = yield* rowCount(table)
      assert.include([before, before + 1], made)
      const swallowed = answers.at(-1)
      for (const again of [client, makeClient(url, apiKey)]) {
        const retried = yield* request(again, key)
        assert.strictEqual(retried.headers.get("svc-idempotency-cached"), "true", retried.text)
        assert.deepStrictEqual(
          { status: retried.status, location: retried.headers.get("location") ?? undefined, body: retried.text },
          swallowed
        )
      }
      assert.strictEqual(yield* rowCount(table), made)
    }
    assert.strictEqual(answers.length, cuts.length)
    answers.length = 0
  })

  it.effect("repeats to the byte for a customer", () =>
    repeatedOnce("customers", (client, key) => client.post("/v1/customers", customerBody(), { key }))
  )

  it.effect("repeats to the byte for an invoice", function* () {
    const { client: own } = yield* TestApp.TestApp
    const customer = yield* TestApp.newCustomer(own)
    yield* repeatedOnce("invoices", (client, key) => client.post("/v1/invoices", invoiceBody(customer), { key }))
  })

  it.effect("repeats to the byte for an endpoint, its change and its new secret", function* () {
    const { client: own } = yield* TestApp.TestApp
    const body = endpointBody("https://example.com/hooks")
    yield* repeatedOnce("webhook_endpoints", (client, key) => client.post("/v1/webhook-endpoints", body, { key }))
    const path = `/v1/webhook-endpoints/${(yield* own.get("/v1/webhook-endpoints")).json.data[0].id}`
    yield* repeatedOnce("webhook_endpoints", (client, key) =>
      client.request("PATCH", path, { key: `change ${key}`, body: { metadata: { key } } })
    )
    yield* repeatedOnce("webhook_endpoints", (client, key) =>
      client.request("POST", `${path}/rotate-secret`, { key: `rotate ${key}` })
    )
  })
})
