import { Effect } from "effect"
import * as Http from "node:http"
import { listening } from "../../support/apps/Listening.ts"

/**
 * A proxy that passes requests to a service, with a limit for requests that create invoices. It holds further ones
 * without a response.
 */
export const gate = Effect.fnUntraced(function* (url: string) {
  const { hostname, port } = new URL(url)
  let [left, held] = [Infinity, 0]
  const own = yield* listening((request, response) => {
    const { headers, method, url: path } = request
    if (method === "POST" && path === "/v1/invoices" && left-- <= 0) {
      held += 1
      return
    }
    const passed = Http.request({ agent: false, headers, hostname, method, path, port }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on("error", () => response.destroy())
    request.pipe(passed)
  })
  return {
    url: `http://127.0.0.1:${own}`,
    /** Sets the number of further invoices that may be created. */
    letPass: (count: number) => {
      left = count
      held = 0
    },
    held: () => held
  }
})
