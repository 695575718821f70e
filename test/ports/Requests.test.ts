import { assert } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { hash } from "node:crypto"
import { ApiError } from "../../schemas/ApiError.ts"
import * as Layers from "../../src/service/Layers.ts"
import { DocumentFiles } from "../../src/invoices/DocumentFiles.ts"
import { Printer } from "../../src/documents/print/Printer.ts"
import { Authority, AuthorityRefusal, AuthorityUnavailable } from "../../src/invoices/authority/Authority.ts"
import { EgressGuard } from "../../src/webhooks/sender/EgressGuard.ts"
import { invoiceBody, outcomeEvents } from "../support/apps/Invoices.ts"
import { keys } from "../support/apps/Accounts.ts"
import { serving } from "../support/apps/MemoryApp.ts"
import { addCustomer } from "../support/apps/MemoryRows.ts"
import { bearer, post, type Reply, send, type Sent } from "../support/apps/Requests.ts"
import { patiently } from "../support/apps/Until.ts"
import { existing, MemoryTables } from "../support/memory/MemoryTables.ts"
import { describeOn } from "../support/Tests.ts"
import { breakable, faultOf, installed } from "./Faults.ts"
import { authority, files, guard, type Outcome, printer } from "./PortTable.ts"

const failures = {
  AuthorityUnavailable: new AuthorityUnavailable({ message: "503\u0000".repeat(1_000) }),
  AuthorityRefusal: new AuthorityRefusal({ message: "no sender\u0000".repeat(1_000) }),
  ApiError: new ApiError({ code: "resource_missing", message: "There is none." })
}

const range = {
  number: "18760000777",
  prefix: "LIVE",
  from_number: "1",
  to_number: "5000",
  valid_from: "2019-01-19",
  valid_to: "2030-01-19",
  technical_key: "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c"
}

type Method =
  | "EgressGuard.checkUrl"
  | "Authority.ranges"
  | "Authority.acquirer"
  | "Printer.pdf"
  | "DocumentFiles.pdf"
  | "DocumentFiles.xml"
  | "DocumentFiles.emailPackage"

const rows = (method: Method, row: Readonly<Record<string, Outcome>>) =>
  Object.entries(row).map(([fault, outcome]) => [method, fault, outcome] as const)

const cases = [
  ...rows("EgressGuard.checkUrl", guard.checkUrl),
  ...rows("Authority.ranges", authority.ranges),
  ...rows("Authority.acquirer", authority.acquirer),
  ...rows("Printer.pdf", printer.pdf),
  ...rows("DocumentFiles.pdf", files.pdf),
  ...rows("DocumentFiles.xml", files.xml),
  ...rows("DocumentFiles.emailPackage", files.emailPackage)
]

const ends: Partial<Record<Outcome, readonly [status: number, code?: string]>> = {
  "request: not live": [403, "account_not_live"],
  "request: unavailable": [503, "service_unavailable"],
  "request: no response": [503, "service_unavailable"],
  "request: internal error": [500, "internal_error"],
  "request: its own error": [404, "resource_missing"],
  "shown without content": [200]
}

/** Breaks the method until the test ends. */
const broken = Effect.fnUntraced(function* (method: Method) {
  const switched = breakable()
  if (method === "EgressGuard.checkUrl") yield* installed(yield* EgressGuard, "checkUrl", switched)
  if (method === "Authority.ranges") {
    yield* installed(yield* Authority, "ranges", switched, { ranges: () => Effect.succeed([range]) })
  }
  if (method === "Authority.acquirer") {
    yield* installed(yield* Authority, "acquirer", switched, {
      acquirer: () => Effect.succeed({ name: "Ana", email: null })
    })
  }
  if (method === "Printer.pdf") yield* installed(yield* Printer, "pdf", switched)
  if (method === "DocumentFiles.pdf") yield* installed(yield* DocumentFiles, "pdf", switched)
  if (method === "DocumentFiles.xml") yield* installed(yield* DocumentFiles, "xml", switched)
  if (method === "DocumentFiles.emailPackage") yield* installed(yield* DocumentFiles, "emailPackage", switched)
  return switched
})

/** An accepted invoice with an email. */
const acceptedInvoice = Effect.gen(function* () {
  const { tables, until } = yield* MemoryTables
  const customer = yield* addCustomer()
  const row = existing(tables.customers, customer)
  tables.customers.set(customer, { ...row, acquirer: { ...row.acquirer, email: "compras@cliente.test" } })
  const made = yield* post("/v1/invoices", invoiceBody(customer))
  yield* until(({ invoices }) => invoices.get(made.json.id)?.state === "accepted_by_authority")
  return String(made.json.id)
})

type Needed = Effect.Services<typeof acceptedInvoice>

/** The request that needs the method, always with the same Idempotency-Key. */
const requestFor = Effect.fnUntraced(function* (method: Method, name: string): Effect.fn.Return<Sent, unknown, Needed> {
  const key = { "idempotency-key": name }
  if (method === "EgressGuard.checkUrl") {
    const body = { url: "https://hooks.example.com/folio", subscribed_events: outcomeEvents }
    return { method: "POST", path: "/v1/webhook-endpoints", body, headers: key }
  }
  if (method === "Authority.ranges") {
    return { method: "POST", path: "/v1/resolutions/import", headers: { ...bearer(keys.live), ...key } }
  }
  if (method === "Authority.acquirer") {
    return {
      path: `/v1/acquirers/13-${hash("sha256", name).replaceAll(/\D/g, "").slice(0, 20)}`,
      headers: bearer(keys.live)
    }
  }
  const id = yield* acceptedInvoice
  if (method === "DocumentFiles.emailPackage") return { path: `/v1/invoices/${id}/emails` }
  return { path: `/v1/invoices/${id}/${method === "DocumentFiles.xml" ? "xml" : "pdf"}` }
})

// The routes, with the ports that they require, so that a test can break the ports.
const routes = Layer.provideMerge(Layers.routes, Layers.layerDocuments)

describeOn(serving(routes, Layer.empty))("A request", (it) => {
  it.effect.each(cases)("has the documented outcome when %s %s: %s", function* ([method, fault, outcome]) {
    const { tables } = yield* MemoryTables
    const switched = yield* broken(method)
    const request = send(yield* requestFor(method, `${method} ${fault}`))
    const [status, code] = ends[outcome] ?? assert.fail(outcome)
    const count = () => [tables.endpoints.size, tables.resolutions.size, tables.auditLog.length]
    const before = count()
    switched.fault = faultOf(fault, failures, [])
    const fiber = yield* Effect.forkScoped(request, { startImmediately: true })
    if (fault.startsWith("hangs")) {
      yield* patiently(Effect.repeat(Effect.yieldNow, { until: () => switched.calls > 0 }))
      yield* TestClock.adjust(method === "Authority.ranges" ? "9 seconds" : "15 seconds")
    }
    const reply: Reply = yield* patiently(Fiber.join(fiber))
    assert.deepStrictEqual([reply.status, reply.json?.error?.code], [status, code], reply.text)
    assert.isBelow(reply.text.length, 2_000)
    if (code === undefined) {
      assert.deepInclude(reply.json.data[0], { status: "delivered", subject: null, text: null, archive: null })
    }
    assert.deepStrictEqual(count(), before, "nothing is half done")
    switched.fault = null
    const well: Reply = yield* request
    assert.isTrue(well.status === 200 || well.status === 201, well.text.slice(0, 500))
    if (method === "DocumentFiles.emailPackage") assert.isString(well.json.data[0].subject)
    if (method === "Authority.ranges") assert.strictEqual(well.json.data[0].prefix, "LIVE")
  })
})
