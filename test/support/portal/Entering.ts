import { Effect } from "effect"
import { post, type Reply, send, type Sent } from "../apps/Requests.ts"

/* Requests of browsers that enter the portal by a link. */

/** A new session by the API, and the path of its link. */
export const link = Effect.fnUntraced(function* (request: object = {}) {
  const { json } = yield* post("/v1/portal-sessions", request)
  return { id: String(json.id), path: new URL(json.url).pathname, url: String(json.url) }
})

/** Opens a URL like a browser whose user follows a link. */
export const open = (path: string, headers: Sent["headers"] = {}, method = "GET") =>
  send({
    method,
    path,
    headers: { authorization: undefined, "accept-language": "en", "sec-fetch-mode": "navigate", ...headers }
  })

export const cookieOf = ({ headers }: Reply) => String(headers["set-cookie"]?.[0] ?? "")
export const pairOf = (reply: Reply) => cookieOf(reply).split(";")[0] ?? ""

/** The browser of a session that has just entered. */
export const inside = Effect.fnUntraced(function* (request: object = {}) {
  const { id, path } = yield* link(request)
  const cookie = pairOf(yield* open(path))
  return { id, cookie, see: (at: string) => open(at, { cookie }) }
})
