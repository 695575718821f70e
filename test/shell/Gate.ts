import { Effect } from "effect"
import * as Http from "node:http"
import { listening } from "../support/apps/Listening.ts"

/**
 * Stands in front of a service, and passes requests on to it: so many that make an invoice, and all others. What makes another invoice is
 * held, and never answered.
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
    /** Lets so many more invoices be made. */
    letPass: (count: number) => {
      left = count
      held = 0
    },
    held: () => held
  }
})
