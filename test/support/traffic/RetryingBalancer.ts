import { Effect } from "effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"

const triesMax = 40
const pauseMs = 50

interface Whole {
  readonly status: number
  readonly headers: Http.IncomingHttpHeaders
  readonly body: Buffer
}

const bodyOf = async (message: Http.IncomingMessage) => Buffer.concat(await message.toArray())

/** Sends a request once, and returns the whole response; fails if the connection breaks before that. */
const once = (target: URL, { headers, method, url }: Http.IncomingMessage, agent: Http.Agent, body: Buffer) =>
  new Promise<Whole>((resolve, reject) => {
    const to = { agent, host: target.hostname, port: target.port, path: url, method, headers }
    const request = Http.request(to, (answer) => {
      bodyOf(answer).then(
        (whole) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: whole }),
        reject
      )
    })
    request.on("error", reject)
    request.end(body)
  })

const isRepeatable = ({ headers, method }: Http.IncomingMessage) =>
  method === "GET" || headers["idempotency-key"] !== undefined

/**
 * An HTTP balancer in front of one address, like HAProxy with `retry-on`: it repeats a request whose connection broke
 * before a response, if the request can be repeated. Counts the repetitions. Listens while the scope is open.
 */
export const retryingBalancer = Effect.fnUntraced(function* (url: string) {
  const target = new URL(url)
  const agent = new Http.Agent({ keepAlive: true, maxSockets: 32 })
  let repeated = 0
  const pass = async (request: Http.IncomingMessage, response: Http.ServerResponse) => {
    const body = await bodyOf(request)
    for (let tries = 1; ; tries++) {
      try {
        const answer = await once(target, request, agent, body)
        const { connection: _, "transfer-encoding": __, ...headers } = answer.headers
        return void response.writeHead(answer.status, headers).end(answer.body)
      } catch (error) {
        if (tries === triesMax || !isRepeatable(request)) return void response.writeHead(502).end(String(error))
        repeated += 1
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    }
  }
  const server = Http.createServer((request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
        agent.destroy()
      })
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, repeated: () => repeated }
})
