import { assert, describe, it } from "@effect/vitest"
import { ApiError, createClient, NoAnswerError } from "@folio-einvoicing/client"
import { afterEach, beforeEach, vi } from "vitest"
import { collected, created, customer, customerRequest, page, refusal, type Said } from "./Answers.ts"

const text = (status: number, body: string): Response =>
  new Response(body, { status, headers: { "content-type": "text/html" } })

/** A service that gives one response after the other, or none, and the requests that it received. */
const service = (...script: ReadonlyArray<Said | Response | "nothing" | "for ever">) => {
  const sent: Array<{
    readonly url: string
    readonly init: RequestInit
    readonly headers: Headers
    readonly at: number
  }> = []
  const start = Date.now()
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const url = String(input)
    const count = sent.push({ url, init, headers: new Headers(init.headers), at: Date.now() - start })
    const said = script[Math.min(count, script.length) - 1] ?? "nothing"
    if (said === "nothing") throw new TypeError("fetch failed")
    if (said === "for ever") {
      return new Promise((_, reject) => init.signal?.addEventListener("abort", () => reject(init.signal?.reason)))
    }
    if (said instanceof Response) return said.clone()
    return new Response(JSON.stringify(said.body), {
      status: said.status,
      headers: { "content-type": "application/json; charset=utf-8", ...said.headers }
    })
  }
  return { sent, folio: createClient({ baseUrl: "http://folio.test", apiKey: "sk_test_x", fetch }) }
}

const startOfTests = new Date("2026-11-26T12:00:00Z")

/** An HTTP date, by the clock of these tests. */
const inSeconds = (seconds: number) => new Date(startOfTests.getTime() + seconds * 1_000).toUTCString()

/** A file of unknown size, which counts how much of it was read. */
const endless = (type: string) => {
  let read = 0
  const body = new ReadableStream({
    pull: (controller) => {
      read += 1 << 20
      controller.enqueue(new Uint8Array(1 << 20))
    }
  })
  return { response: new Response(body, { headers: { "content-type": type } }), read: () => read }
}

/** The result of a call, while the longest wait of a client passes. */
const outcome = async <A>(call: Promise<A>): Promise<{ readonly value?: A; readonly error?: unknown }> => {
  const settled = call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error })
  )
  await vi.advanceTimersByTimeAsync(30_000)
  return settled
}

const typed = (type: string, body: string) => new Response(body, { headers: { "content-type": type } })
const fetched = (response: Response, name: "retrieveInvoicePdf" | "retrieveInvoiceXml" | "retrieveInvoice") => {
  const { folio, sent } = service(response)
  const calls = { ...folio.files, ...folio.invoices }
  return Promise.all([outcome<unknown>(calls[name]({ params: { id: "inv_1" } })), sent])
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: startOfTests })
  vi.spyOn(Math, "random").mockReturnValue(0)
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe("@folio-einvoicing/client", () => {
  it.each([
    ["no response arrives", ["nothing", "nothing", "nothing", created], [0, 1_000, 3_000, 7_000]],
    ["the service fails", [refusal(500, "internal_error"), created], [0, 1_000]],
    ["the service is too busy", [refusal(503, "service_unavailable", { "retry-after": "1" }), created], [0, 1_000]],
    ["the rate limit is reached", [refusal(429, "rate_limited", { "retry-after": "9" }), created], [0, 9_000]],
    ["retry-after is a date", [refusal(429, "rate_limited", { "retry-after": inSeconds(9) }), created], [0, 9_000]],
    [
      "retry-after is a past date",
      [refusal(429, "rate_limited", { "retry-after": inSeconds(-9) }), created],
      [0, 1_000]
    ],
    ["retry-after is malformed", [refusal(429, "rate_limited", { "retry-after": "soon" }), created], [0, 1_000]],
    [
      "the first request is still under way",
      [{ status: 202, headers: { "retry-after": "1" }, body: {} }, created],
      [0, 1_000]
    ],
    [
      "the service asks for a retry",
      [refusal(404, "resource_missing", { "svc-should-retry": "true" }), created],
      [0, 1_000]
    ],
    ["a proxy cannot reach the service", [text(502, "<html>"), created], [0, 1_000]]
  ] as const)("retries a request with the same key when %s", async (_, script, times) => {
    const { folio, sent } = service(...script)
    const { value } = await outcome(folio.customers.createCustomer({ payload: customerRequest }))
    assert.deepStrictEqual(value, customer)
    assert.deepStrictEqual(
      sent.map(({ at }) => at),
      [...times]
    )
    const keys = new Set(sent.map(({ headers }) => headers.get("idempotency-key")))
    assert.strictEqual(keys.size, 1)
    assert.match([...keys][0] ?? "", /^[0-9a-f-]{36}$/)
  })

  it.each([
    ["another body under the same key", refusal(409, "idempotency_conflict", { "svc-should-retry": "true" })],
    ["a wrong request", refusal(400, "parameter_missing")],
    ["an error whose retry-after is a day", refusal(429, "rate_limited", { "retry-after": "86400" })],
    [
      "an error whose retry-after is a distant date",
      refusal(503, "service_unavailable", { "retry-after": inSeconds(86_400) })
    ],
    ["a permanent failure", refusal(500, "internal_error", { "svc-should-retry": "false" })]
  ] as const)("never retries: %s", async (_, said) => {
    const { folio, sent } = service(said)
    const { error } = await outcome(folio.customers.createCustomer({ payload: customerRequest }))
    assert.instanceOf(error, ApiError)
    assert.deepInclude(error, { status: said.status, message: "No.", request_id: "req_1", param: undefined })
    assert.lengthOf(sent, 1)
  })

  it("sends the given key, the version and the body, and no key if the request changes nothing", async () => {
    const { folio, sent } = service(created)
    const headers = { "idempotency-key": "mine", "svc-version": "2026-01-01" } as const
    await folio.customers.createCustomer({ headers, payload: customerRequest })
    await folio.customers.retrieveCustomer({ params: { id: "cust_ä/1" } })
    const [first, second] = sent
    assert.deepInclude(Object.fromEntries(first?.headers ?? []), {
      authorization: "Bearer sk_test_x",
      "content-type": "application/json",
      ...headers
    })
    assert.deepInclude(first?.init, { method: "POST", body: JSON.stringify(customerRequest), redirect: "manual" })
    assert.deepStrictEqual(Object.fromEntries(second?.headers ?? []), { authorization: "Bearer sk_test_x" })
    assert.strictEqual(second?.url, "http://folio.test/v1/customers/cust_%C3%A4%2F1")
  })

  it("rejects ids that would lead to another address", async () => {
    const { folio, sent } = service(created)
    for (const id of ["", ".", "..", undefined as never]) {
      const { error } = await outcome(folio.customers.deleteCustomer({ params: { id } }))
      assert.instanceOf(error, TypeError)
    }
    assert.lengthOf(sent, 0)
  })

  it("stops after four attempts, and reports the key to continue with", async () => {
    for (const [script, status] of [
      [["nothing"], undefined],
      [[text(502, "<html>")], 502],
      [[{ status: 202, headers: { "retry-after": "1" }, body: {} }], 202]
    ] as const) {
      const { folio, sent } = service(...script)
      const { error } = await outcome(folio.customers.createCustomer({ payload: customerRequest }))
      assert.instanceOf(error, NoAnswerError)
      assert.strictEqual(error.status, status)
      assert.strictEqual(error.idempotencyKey, sent[0]?.headers.get("idempotency-key"))
      assert.lengthOf(sent, 4)
      if (status === undefined) assert.instanceOf(error.cause, TypeError)
    }
    const { folio, sent } = service(text(301, ""))
    const { error } = await outcome(folio.account.retrieveAccount())
    assert.deepInclude(error, { status: 301, idempotencyKey: undefined })
    assert.lengthOf(sent, 1)
  })

  it("returns files as bytes, and rejects a response of a wrong media type", async () => {
    for (const [name, type] of [
      ["retrieveInvoicePdf", "application/pdf"],
      ["retrieveInvoiceXml", "application/xml; charset=utf-8"]
    ] as const) {
      const [{ value }] = await fetched(typed(type, "file"), name)
      assert.deepStrictEqual(value, new TextEncoder().encode("file"))
    }
    for (const [name, response] of [
      ["retrieveInvoice", typed("text/html", "<html>Log in")],
      ["retrieveInvoice", typed("application/pdf", "%PDF-")],
      ["retrieveInvoice", typed("application/json", "<html>Log in")],
      ["retrieveInvoice", typed("application/json", "5")],
      ["retrieveInvoicePdf", typed("text/html", "<html>Log in")],
      ["retrieveInvoiceXml", typed("application/json", "{}")],
      ["retrieveInvoicePdf", new Response("%PDF-", { headers: { "content-type": "" } })]
    ] as const) {
      const [{ error }, sent] = await fetched(response, name)
      assert.instanceOf(error, NoAnswerError, `${name} ${response.headers.get("content-type")}`)
      assert.deepInclude(error, { status: 200 })
      assert.include(error.message, "Check the base URL")
      assert.lengthOf(sent, 1)
    }
  })

  it("reads at most 32 MiB, and does not retry after that", async () => {
    for (const type of ["application/pdf", "application/json"]) {
      const { read, response } = endless(type)
      let attempts = 0
      const fetch: typeof globalThis.fetch = () => Promise.resolve((attempts++, response))
      const folio = createClient({ baseUrl: "http://folio.test", apiKey: "sk_test_x", fetch })
      const { error } = await outcome(folio.files.retrieveInvoicePdf({ params: { id: "inv_1" } }))
      assert.instanceOf(error, NoAnswerError)
      assert.include(error.message, "more than 33554432 bytes")
      assert.isBelow(read(), 35 << 20)
      assert.strictEqual(attempts, 1)
    }
  })

  it("stops on the caller's signal, during an attempt and between two attempts", async () => {
    for (const said of ["for ever", "nothing"] as const) {
      const { folio, sent } = service(said)
      const controller = new AbortController()
      const call = folio.account.retrieveAccount({}, { signal: controller.signal }).catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(500)
      controller.abort("enough")
      assert.strictEqual(await call, "enough")
      await vi.advanceTimersByTimeAsync(30_000)
      assert.lengthOf(sent, 1)
    }
  })

  it("makes no other attempt when the signal has already aborted the call", async () => {
    const controller = new AbortController()
    const fetch: typeof globalThis.fetch = () => {
      controller.abort("enough")
      return Promise.resolve(Response.json({}, { status: 503 }))
    }
    const folio = createClient({ baseUrl: "http://folio.test", apiKey: "sk_test_x", fetch })
    const call = folio.account.retrieveAccount({}, { signal: controller.signal }).catch((error: unknown) => error)
    assert.strictEqual(await Promise.race([call, vi.advanceTimersByTimeAsync(500)]), "enough")
  })

  it("treats an attempt that times out as one without a response", async () => {
    const { sent } = service("for ever")
    const fetch: typeof globalThis.fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        sent.push({ url: "", init: init ?? {}, headers: new Headers(), at: 0 })
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason))
      })
    // The platform's time-out signal does not follow the clock of this test.
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      const controller = new AbortController()
      setTimeout(() => controller.abort(new DOMException("late", "TimeoutError")), ms)
      return controller.signal
    })
    const folio = createClient({ baseUrl: "http://folio.test", apiKey: "sk_test_x", fetch, timeoutMs: 2_000 })
    const { error } = await outcome(folio.account.retrieveAccount())
    assert.instanceOf(error, NoAnswerError)
    assert.deepInclude(error.cause, { name: "TimeoutError" })
    assert.lengthOf(sent, 4)
    assert.deepStrictEqual(
      timeout.mock.calls.map(([ms]) => ms),
      [2_000, 2_000, 2_000, 2_000]
    )
  })

  it("yields all objects of a list, page by page", async () => {
    const [first, second] = [customer, { ...customer, id: `cust_${"b".repeat(26)}` }]
    const { folio, sent } = service(page("customers", [first], true), page("customers", [second]))
    assert.deepStrictEqual(await collected(folio.customers.allCustomers()), [first, second])
    assert.deepStrictEqual(
      sent.map(({ url }) => url),
      [
        "http://folio.test/v1/customers?limit=100",
        `http://folio.test/v1/customers?limit=100&starting_after=${first.id}`
      ]
    )
  })

  it("sends numbers, booleans and lists of a query as text, and omits undefined values", async () => {
    const { folio, sent } = service(page("events", []))
    const query = { wait: 0, "types[]": ["invoice.failed", "debit_note.failed"], after: undefined as never } as const
    await folio.events.listEvents({ query })
    await folio.invoices.listInvoiceEmails({ params: { id: "inv_1" }, query: { content: true } })
    assert.deepStrictEqual(
      sent.map(({ url }) => decodeURIComponent(url)),
      [
        "http://folio.test/v1/events?wait=0&types[]=invoice.failed&types[]=debit_note.failed",
        "http://folio.test/v1/invoices/inv_1/emails?content=true"
      ]
    )
  })
})
