import { Effect, Layer, Option, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Layers from "../../../src/service/Layers.ts"
import { LocalApi, type LocalRequest } from "../../../src/http/LocalApi.ts"
import { add } from "../../../src/portal/frame/PortalRoutes.ts"
import { PortalSessions } from "../../../src/accounts/store/PortalSessions.ts"
import { serving } from "../apps/PostgresApp.ts"
import { send } from "../apps/Requests.ts"
import { entered } from "./Visitor.ts"

const Asked = Schema.fromJsonString(
  Schema.Struct({
    cookie: Schema.String,
    method: Schema.Literals(["GET", "POST", "PUT", "PATCH", "DELETE"]),
    url: Schema.String,
    headers: Schema.Record(Schema.String, Schema.String),
    body: Schema.NullOr(Schema.String),
    /** Whether the session ends between the read of its cookie and the call. */
    ends: Schema.Boolean
  })
)

// Calls the API inside the process for a cookie's session, as a page does.
const door = add(
  "POST",
  "/door",
  Effect.gen(function* () {
    const api = yield* LocalApi
    const sessions = yield* PortalSessions
    const request = yield* HttpServerRequest.HttpServerRequest
    const { body, cookie, ends, ...asked } = yield* Schema.decodeEffect(Asked)(yield* request.text)
    const session = yield* Effect.flatMap(sessions.find(cookie), Effect.fromOption)
    if (ends) yield* sessions.leave(session)
    const call = { ...asked, session, address: Option.some("192.0.2.7") }
    const answer = yield* api.call(body === null ? call : { ...call, body })
    return HttpServerResponse.uint8Array(answer.body, { status: answer.status, contentType: "application/json" })
  })
)

/** The whole service, with a route to the API inside the process. */
export const app = serving(Layer.merge(Layers.routes, door), Layer.empty)

/** A person in the portal who calls the API as its pages do. */
export const insider = Effect.fnUntraced(function* (options: Parameters<typeof entered>[0] = {}) {
  const { cookie, id } = yield* entered(options)
  const [, value = ""] = cookie.split("=")
  const ask = (
    method: LocalRequest["method"],
    url: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
    ends = false
  ) =>
    send({
      method: "POST",
      path: "/door",
      headers: { authorization: undefined },
      body: {
        cookie: value,
        method,
        url,
        headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
        body: body === undefined ? null : JSON.stringify(body),
        ends
      }
    })
  return { ask, id }
})
