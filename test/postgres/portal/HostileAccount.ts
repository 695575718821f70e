import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { eventTypes } from "../../../schemas/Event.ts"
import type { Client } from "../../support/apps/Client.ts"
import { customerBody, invoiceBody, noteBody, scripted } from "../../support/apps/Invoices.ts"
import { listening } from "../../support/apps/Listening.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"

/**
 * A text that runs as a script and creates an element wherever a page uses it as markup, in text or in an attribute.
 */
export const hostile = `x'"><img src=x class=hostile onerror="document.title='hacked'"></textarea></pre><script>document.title='hacked'</script>`

/** Short enough for every field with a length. */
export const hostileName = `"><img src=x class=hostile>`

/** A name in the metadata contains no double quote. */
const hostileKey = hostileName.slice(1)

class HostilePort extends Context.Service<HostilePort, number>()("test/HostilePort") {}

/** A receiver with a hostile response body and header; returns its port. */
const hostileReceiver = listening((request, response) => {
  request.resume()
  request.once("end", () => {
    response.writeHead(500, { "content-type": "text/html", "x-hostile": "<img src=x class=hostile>" })
    response.end(hostile)
  })
})

/** The whole service on its own database, which may send webhooks only to the hostile receiver. */
export const layer = Layer.unwrap(
  Effect.map(hostileReceiver, (port) =>
    Layer.merge(TestApp.layer({ allow: `127.0.0.1:${port}` }), Layer.succeed(HostilePort, port))
  )
)

const made = Effect.fnUntraced(function* (client: Client, path: string, body: unknown) {
  const answer = yield* client.post(path, body, { key: `hostile ${path} ${performance.now()}` })
  assert.isBelow(answer.status, 300, answer.text)
  return answer.json as { readonly id: string }
})

const settled = (client: Client, id: string, path = "invoices") =>
  until(client.get(`/v1/${path}/${id}`), ({ json }) => json.status !== "draft")

/**
 * An account with content for each page: documents of all kinds and outcomes, customers, endpoints, failed deliveries.
 * Every text field contains a hostile text.
 */
export const hostileAccount = Effect.fnUntraced(function* (client: Client) {
  const port = yield* HostilePort
  const endpoint = yield* made(client, "/v1/webhook-endpoints", {
    url: `http://127.0.0.1:${port}/%3Cimg%20class=hostile%3E`,
    subscribed_events: eventTypes,
    description: hostileName
  })
  const named = (number: string) => ({
    ...customerBody(number),
    legal_name: hostileName,
    trade_name: hostileName,
    email: "hostile@example.com",
    metadata: { [hostileKey]: hostile }
  })
  const customer = yield* made(client, "/v1/customers", named("900123456"))
  const refused = yield* made(client, "/v1/customers", named(scripted.rejected))
  const failing = yield* made(client, "/v1/customers", named("900000004"))
  const body = (customer_id: string) => {
    const plain = invoiceBody(customer_id, { [hostileKey]: hostile })
    return {
      ...plain,
      notes: [hostile],
      order_reference: { id: hostileName },
      lines: plain.lines.map((line) => ({ ...line, description: hostile.slice(0, 200) }))
    }
  }
  const accepted = yield* made(client, "/v1/invoices", body(customer.id))
  const rejected = yield* made(client, "/v1/invoices", body(refused.id))
  const failed = yield* made(client, "/v1/invoices", body(failing.id))
  for (const { id } of [accepted, rejected, failed]) yield* settled(client, id)
  const note = yield* made(client, "/v1/credit-notes", { ...noteBody(accepted.id), reason: hostileName })
  yield* settled(client, note.id, "credit-notes")
  yield* made(client, "/v1/api-keys", { name: hostileName })
  yield* client.post("/v1/invoices", { hostile }, { key: hostileName })
  yield* until(client.get(`/v1/webhook-endpoints/${endpoint.id}/deliveries`), ({ json }) =>
    json.data.some(({ attempts_count }: { readonly attempts_count: number }) => attempts_count > 0)
  )
  return { customer, accepted, rejected, failed, note, endpoint }
})
