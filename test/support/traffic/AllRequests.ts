import { Effect, Fiber } from "effect"
import { invoiceBody } from "../apps/Invoices.ts"
import { until } from "../apps/Until.ts"
import type { Client } from "../apps/Client.ts"
import type { Journal } from "../database/Reconcile.ts"

/** A response, or that there was none (`status` 0). */
export interface Seen {
  readonly what: string
  readonly status: number
  readonly milliseconds: number
  readonly retryAfter: string | null
  readonly text: string
}

interface Request {
  readonly what: string
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
}

let made = 0

/** The cookie of a browser that entered the portal by a link. */
const portalCookie = Effect.fnUntraced(function* (url: string, client: Client) {
  const { json } = yield* client.post("/v1/portal-sessions", { capabilities: ["view", "documents"] }, { key: "portal" })
  const { pathname } = new URL(json.url)
  // By the button of the link's page: a fetch is not a person who follows the link.
  const entered = yield* Effect.promise(() =>
    fetch(url + pathname, { method: "POST", redirect: "manual", headers: { origin: url } })
  )
  return (entered.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
})

const get = (what: string, path: string, headers?: Readonly<Record<string, string>>) => () => ({
  what,
  method: "GET",
  path,
  ...(headers === undefined ? {} : { headers })
})

/** A request of every kind, built again each time. */
const kinds = Effect.fnUntraced(function* (url: string, client: Client, customer: string) {
  const first = yield* client.post("/v1/invoices", invoiceBody(customer, { key: "first" }), { key: "first" })
  const invoice = `/v1/invoices/${first.json.id}`
  yield* until(client.get(invoice), ({ json }) => json.status === "accepted_by_authority")
  // The first PDF starts the print threads, which takes seconds beside the other requests.
  yield* client.get(`${invoice}/pdf`)
  const cookie = yield* portalCookie(url, client)
  const { json: events } = yield* client.get("/v1/events?limit=1")
  const last = String(events.data[0]?.id)
  const requests: ReadonlyArray<() => Request> = [
    get("account", "/v1/account"),
    get("list", "/v1/invoices?limit=20"),
    get("invoice", invoice),
    get("timeline", `${invoice}/timeline`),
    get("PDF", `${invoice}/pdf`),
    get("XML", `${invoice}/xml`),
    get("events", `/v1/events?after=${last}&wait=1&type=invoice.failed`),
    get("requests", "/v1/requests?limit=5"),
    get("wrong key", "/v1/account", { authorization: "Bearer sk_test_0000000000000000000000000000000000000000000" }),
    get("portal", "/portal", { cookie }),
    get("documents of the portal", "/portal/documents", { cookie }),
    get("metrics", "/metrics"),
    get("live", "/health/live"),
    get("ready", "/health/ready"),
    get("reference", "/docs"),
    () => ({
      what: "replay",
      method: "POST",
      path: "/v1/invoices",
      body: invoiceBody(customer, { key: "first" }),
      key: "first"
    }),
    () => {
      const key = `made ${made++}`
      return { what: "invoice made", method: "POST", path: "/v1/invoices", body: invoiceBody(customer, { key }), key }
    },
    () => ({
      what: "customer changed",
      method: "PATCH",
      path: `/v1/customers/${customer}`,
      body: { legal_name: `Cliente ${made}` },
      key: `change ${made++}`
    }),
    () => ({
      what: "session of the portal",
      method: "POST",
      path: "/v1/portal-sessions",
      body: {},
      key: `session ${made++}`
    })
  ]
  return { requests, first }
})

/**
 * Makes requests of every kind without a pause, `concurrency` of each kind in parallel, and repeats each invoice by its
 * key until it is acknowledged. `stop` ends that and returns the responses.
 */
export const allRequests = Effect.fnUntraced(function* (options: {
  readonly url: string
  readonly client: Client
  readonly customer: string
  readonly journal: Journal
  readonly concurrency: number
}) {
  const { client, concurrency, customer, journal, url } = options
  const { first, requests } = yield* kinds(url, client, customer)
  journal.set("first", first)
  const seen: Array<Seen> = []
  const state = { stopped: false }

  const ask = async ({ body, headers = {}, key, method, path, what }: Request) => {
    const began = performance.now()
    const note = (status: number, retryAfter: string | null, text: string) =>
      seen.push({ what, status, milliseconds: performance.now() - began, retryAfter, text: text.slice(0, 400) })
    try {
      const answer = await fetch(url + path, {
        method,
        redirect: "manual",
        headers: {
          authorization: `Bearer ${client.apiKey}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(key === undefined ? {} : { "idempotency-key": key }),
          ...headers
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await answer.text()
      note(answer.status, answer.headers.get("retry-after"), text)
      if (what === "invoice made" && answer.status === 202) {
        const json = JSON.parse(text)
        if (json.object === "invoice") journal.set(key ?? "", { status: 202, headers: answer.headers, text, json })
        return json.object === "invoice"
      }
      return answer.status < 500
    } catch (error) {
      note(0, null, String(error))
      return false
    }
  }
  const loop = async (make: () => Request) => {
    while (!state.stopped) {
      const request = make()
      while (!(await ask(request))) {
        if (state.stopped && request.what !== "invoice made") break
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      // Leaves time for the rest of the machine.
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const loops = requests.flatMap((make) => Array.from({ length: concurrency }, () => Effect.promise(() => loop(make))))
  const work = yield* Effect.forkScoped(Effect.all(loops, { concurrency: "unbounded", discard: true }))
  yield* Effect.addFinalizer(() => Effect.sync(() => (state.stopped = true)))
  return {
    seen: seen as ReadonlyArray<Seen>,
    stop: Effect.suspend(() => {
      state.stopped = true
      return Fiber.join(work)
    })
  }
})
