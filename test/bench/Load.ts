import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { Pool } from "undici"
import { wait } from "./Machine.ts"

/** Who posts: an API key, if the service knows keys, and the customer it sells to. */
export interface Shop {
  readonly key: string
  readonly customer: string
}

export const invoice = (customer: string) => ({
  customer_id: customer,
  currency: "COP",
  operation_type: "10",
  payment_means: { code: "10", type: "1" },
  lines: [
    {
      description: "Servicio",
      quantity: "1.00",
      unit_code: "94",
      unit_price: "100000.00",
      line_extension_amount: "100000.00",
      taxes: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }]
    }
  ],
  metadata: { order: "A-1" }
})

/** A real receiver of webhooks: notes when the first one of each invoice arrived. `/hang` never answers. */
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
  const call = async (
    method: "GET" | "POST",
    path: string,
    options: { key?: string; body?: unknown; once?: string }
  ) => {
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
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`)
    return JSON.parse(text)
  }
  return { call, close: () => pool.close() }
}

/** What was posted: each invoice's id with the moment its POST began, and how long the POSTs took. */
export interface Posted {
  readonly at: Map<string, number>
  readonly took: Array<number>
  readonly seconds: number
}

let requests = 0
const poster = (base: string, path: string, connections: number, once?: string) => {
  const { call, close } = client(base, connections)
  const at = new Map<string, number>()
  const took: Array<number> = []
  const one = async (shop: Shop) => {
    const begin = performance.now()
    const { id } = await call("POST", path, {
      key: shop.key,
      body: invoice(shop.customer),
      once: once ?? `bench ${requests++}`
    })
    took.push(performance.now() - begin)
    at.set(id, begin)
  }
  return { one, close, at, took }
}

/** As many connections, each posting one invoice after the other, for the shops in turn. */
export const closedLoop = async (
  target: { readonly base: string; readonly path: string },
  shops: ReadonlyArray<Shop>,
  options: { readonly count: number; readonly connections: number; readonly once?: string }
): Promise<Posted> => {
  const { at, close, one, took } = poster(target.base, target.path, options.connections, options.once)
  const begin = performance.now()
  let next = 0
  await Promise.all(
    Array.from({ length: options.connections }, async () => {
      while (next < options.count) await one(shops[next++ % shops.length]!)
    })
  )
  const seconds = (performance.now() - begin) / 1000
  await close()
  return { at, took, seconds }
}

/** Posts at a steady rate, whether the answers come or not. */
export const openLoop = async (
  target: { readonly base: string; readonly path: string },
  shops: ReadonlyArray<Shop>,
  options: { readonly rate: number; readonly seconds: number }
): Promise<Posted> => {
  const { at, close, one, took } = poster(target.base, target.path, 256)
  const begin = performance.now()
  const under: Array<Promise<void>> = []
  const count = Math.round(options.rate * options.seconds)
  for (let index = 0; index < count; index++) {
    const due = begin + (index / options.rate) * 1000
    if (due > performance.now()) await wait(due - performance.now())
    under.push(one(shops[index % shops.length]!))
  }
  await Promise.all(under)
  const seconds = (performance.now() - begin) / 1000
  await close()
  return { at, took, seconds }
}
