import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { Pool } from "undici"
import { invoiceBody } from "../support/apps/Invoices.ts"
import { wait } from "./Machine.ts"

/** A client that posts invoices: an API key, if the service has keys, and the customer of its invoices. */
export interface Shop {
  readonly key: string
  readonly customer: string
}

/** A real receiver of webhooks, which records the first arrival for each invoice. `/hang` never answers. */
export const receiver = async () => {
  const arrived = new Map<string, number>()
  const server = Http.createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += chunk))
    request.on("end", () => {
      if (request.url === "/hang") return
      response.end()
      const id: string = JSON.parse(body).data.object.id
      if (!arrived.has(id)) arrived.set(id, performance.now())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    arrived,
    address: `127.0.0.1:${port}`,
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

export type Receiver = Awaited<ReturnType<typeof receiver>>

export const client = (base: string, connections: number) => {
  const pool = new Pool(base, { connections, pipelining: 1 })
  type Options = { key?: string; body?: unknown; once?: string }
  /** Repeats temporarily refused requests, as Folio's clients do: an overloaded service then measures as slow. */
  const call = async (
    method: "GET" | "POST",
    path: string,
    options: Options
  ): Promise<ReturnType<typeof JSON.parse>> => {
    const answer = await pool.request({
      method,
      path,
      headers: {
        ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
        ...(options.body === undefined ? {} : { "content-type": "application/json" }),
        ...(options.once === undefined ? {} : { "idempotency-key": options.once })
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) })
    })
    const text = await answer.body.text()
    const retryAfter = Number(answer.headers["retry-after"] ?? Number.NaN)
    if (options.once !== undefined && [429, 503].includes(answer.statusCode) && retryAfter > 0) {
      await wait(retryAfter * 1_000)
      return call(method, path, options)
    }
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`)
    return JSON.parse(text)
  }
  return { call, close: () => pool.close() }
}

/** Posted invoices: each id with the start of its POST, and the durations of the POSTs. */
export interface Posted {
  readonly at: Map<string, number>
  readonly took: Array<number>
  readonly seconds: number
}

/** Runs `work` with this many workers: each takes the next index below `count` after it has finished one. */
export const inTurn = (count: number, workers: number, work: (index: number) => Promise<unknown>) => {
  let next = 0
  return Promise.all(
    Array.from({ length: workers }, async () => {
      while (next < count) await work(next++)
    })
  )
}

let requests = 0

/** Runs `work`, which posts invoices over this many connections; `index` selects the next shop. */
const posting = async (
  target: { readonly base: string; readonly path: string },
  shops: ReadonlyArray<Shop>,
  options: { readonly connections: number; readonly once?: string },
  work: (post: (index: number) => Promise<void>) => Promise<unknown>
): Promise<Posted> => {
  const { call, close } = client(target.base, options.connections)
  const at = new Map<string, number>()
  const took: Array<number> = []
  const begin = performance.now()
  await work(async (index) => {
    const { customer, key } = shops[index % shops.length]!
    const body = invoiceBody(customer, { order: "A-1" })
    const asked = performance.now()
    const { id } = await call("POST", target.path, { key, body, once: options.once ?? `bench ${requests++}` })
    took.push(performance.now() - asked)
    at.set(id, asked)
  })
  const seconds = (performance.now() - begin) / 1000
  await close()
  return { at, took, seconds }
}

/** Posts invoices over this many connections, one after the other on each, for the shops in turn. */
export const closedLoop = (
  target: { readonly base: string; readonly path: string },
  shops: ReadonlyArray<Shop>,
  options: { readonly count: number; readonly connections: number; readonly once?: string }
) => posting(target, shops, options, (post) => inTurn(options.count, options.connections, post))

/** Posts at a steady rate, without waiting for the responses. */
export const openLoop = (
  target: { readonly base: string; readonly path: string },
  shops: ReadonlyArray<Shop>,
  { rate, seconds }: { readonly rate: number; readonly seconds: number }
) =>
  posting(target, shops, { connections: 256 }, async (post) => {
    const begin = performance.now()
    const under: Array<Promise<void>> = []
    for (let index = 0; index < Math.round(rate * seconds); index++) {
      const due = begin + (index / rate) * 1000
      if (due > performance.now()) await wait(due - performance.now())
      under.push(post(index))
    }
    await Promise.all(under)
  })
