import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { NationalProfile, type Rules, Unsignable } from "../../src/documents/NationalProfile.ts"
import { codeOf, issue } from "../support/apps/Correcting.ts"
import {
  customerBody,
  invoiceBody,
  noteBody,
  periodNoteBody,
  resolutionBody,
  scripted
} from "../support/apps/Invoices.ts"
import { keys } from "../support/apps/Accounts.ts"
import { layer } from "../support/apps/MemoryApp.ts"
import { addCustomer, addDraft } from "../support/apps/MemoryRows.ts"
import { bearer, get, post, send, type Sent } from "../support/apps/Requests.ts"
import { patiently } from "../support/apps/Until.ts"
import { targetOf } from "../support/LateBound.ts"
import { existing, MemoryTables } from "../support/memory/MemoryTables.ts"
import { describeOn } from "../support/Tests.ts"
import { breakable, installed, plainFaultOf } from "./Faults.ts"
import { profile } from "./PortTable.ts"

const failures = { Unsignable: new Unsignable({ code: "no_software", message: "None." }) }

type Method = keyof typeof profile
/** The functions that a request needs. */
type OfRequest = Extract<Method, `rules.${string}`> | "lacksOf" | "localDate"

const ofRequests = (Object.keys(profile) as ReadonlyArray<Method>).filter(
  (name): name is OfRequest => profile[name].throws === "request: internal error" || name === "localDate"
)

const broken = Effect.fnUntraced(function* (method: Method) {
  const port = yield* NationalProfile
  const switched = breakable()
  const rule = method.replace("rules.", "")
  if (rule === method) yield* installed(port, method as keyof typeof port, switched)
  else yield* installed(port.rules, rule as keyof Rules, switched)
  return switched
})

const throwing = plainFaultOf("throws")

let asked = 0

const live = bearer(keys.live)
const liveCustomer = Effect.map(
  Effect.suspend(() => post("/v1/customers", customerBody("900373115"), live)),
  ({ json }) => String(json.id)
)

type Needed = Effect.Services<typeof issue | typeof liveCustomer>

/** The request that needs a function, and its status when the function works. */
const requestFor = Effect.fnUntraced(function* (method: OfRequest) {
  const headers = { "idempotency-key": `of the profile ${asked++}` }
  const create = { method: "POST", headers }
  const customer = yield* addCustomer()
  const invoice = { ...create, path: "/v1/invoices", body: invoiceBody(customer) }
  const requests: Record<OfRequest, Effect.Effect<readonly [Sent, number], unknown, Needed>> = {
    lacksOf: Effect.map(liveCustomer, (of) => [
      { ...create, path: "/v1/invoices", body: invoiceBody(of), headers: { ...headers, ...live } },
      202
    ]),
    localDate: Effect.succeed([invoice, 202]),
    "rules.invoice": Effect.succeed([invoice, 202]),
    "rules.note": Effect.map(issue, ({ id }) => [{ ...create, path: "/v1/credit-notes", body: noteBody(id) }, 202]),
    "rules.customer": Effect.succeed([{ ...create, path: "/v1/customers", body: customerBody() }, 201]),
    "rules.issuer": Effect.succeed([
      { method: "PATCH", path: "/v1/account", body: { legal_name: `Emisor ${asked}` } },
      200
    ]),
    "rules.resolution": Effect.succeed([
      { ...create, path: "/v1/resolutions", body: resolutionBody({ prefix: `P${asked}` }) },
      201
    ]),
    "rules.named": Effect.succeed([{ ...invoice, body: { ...invoice.body, currency: "peso" } }, 400]),
    "rules.warnings": Effect.succeed([
      { method: "POST", path: "/v1/invoices/validate", body: invoiceBody(customer) },
      200
    ]),
    "rules.noteWarnings": Effect.succeed([
      { method: "POST", path: "/v1/credit-notes/validate", body: periodNoteBody(customer) },
      200
    ])
  }
  return yield* requests[method]
})

/** Runs the sweeper repeatedly until the condition holds. */
const swept = (holds: () => boolean) =>
  patiently(
    Effect.repeat(
      Effect.andThen(
        TestClock.adjust("10 seconds"),
        Effect.promise(() => new Promise(setImmediate))
      ),
      { until: holds }
    )
  )

describeOn(layer)("The national profile", (it) => {
  it.effect.each(ofRequests)("fails only the request whose %s throws", function* (method) {
    const { tables } = yield* MemoryTables
    const [sent, status] = yield* requestFor(method)
    const switched = yield* broken(method)
    const count = () => [
      ...[tables.invoices, tables.customers, tables.resolutions].map(({ size }) => size),
      tables.auditLog.length
    ]
    const before = count()
    switched.fault = throwing
    const reply = yield* patiently(send(sent))
    assert.deepStrictEqual(codeOf(reply), [500, "internal_error"], reply.text)
    assert.deepStrictEqual(count(), before, "nothing is half done")
    assert.strictEqual((yield* get("/v1/customers")).status, 200, "the next request")
    if (method === "rules.invoice") {
      const verdict = yield* post("/v1/invoices/validate", sent.body)
      assert.deepStrictEqual(codeOf(verdict), [500, "internal_error"], verdict.text)
    }
    switched.fault = null
    const well = yield* send(sent)
    assert.strictEqual(well.status, status, well.text)
  })

  it.effect.each(["localDate", "issueTime"] as const)("leaves a draft waiting while its %s throws", function* (method) {
    const { tables } = yield* MemoryTables
    // The actor has looked for drafts when it answers.
    yield* issue
    const switched = yield* broken(method)
    switched.fault = throwing
    const draft = yield* addDraft(yield* addCustomer())
    yield* swept(() => switched.calls > 20)
    const { failure, full_number, state } = existing(tables.invoices, draft.id)
    assert.deepStrictEqual([state, failure, full_number], ["queued", null, null])
    switched.fault = null
    yield* swept(() => existing(tables.invoices, draft.id).state === "accepted_by_authority")
  })

  it.effect.each(Object.entries(profile.tail))("ends a draft when its tail %s: %s", function* ([fault, outcome]) {
    const { tables } = yield* MemoryTables
    const port = yield* NationalProfile
    const own = targetOf(port).tail ?? assert.fail("no tail")
    const switched = yield* broken("tail")
    const fails = plainFaultOf(fault, failures)
    switched.fault = ((draft: Parameters<typeof own>[0]) =>
      draft.acquirer_number === scripted.notified ? (fails as () => ReturnType<typeof own>)() : own(draft)) as never
    const customer = yield* post("/v1/customers", customerBody(scripted.notified))
    const bad = yield* post("/v1/invoices", invoiceBody(customer.json.id))
    const good = yield* post("/v1/invoices", invoiceBody(yield* addCustomer()))
    const other = yield* post("/v1/customers", customerBody(), bearer(keys.otherAccount))
    const others = yield* post("/v1/invoices", invoiceBody(other.json.id), bearer(keys.otherAccount))
    const row = ({ json }: typeof bad) => existing(tables.invoices, json.id)
    assert.deepStrictEqual([bad.status, good.status, others.status], [202, 202, 202])
    yield* swept(() => [good, others].every((one) => row(one).state === "accepted_by_authority"))
    yield* swept(() => row(bad).state === "failed")
    const { attempts, failure, full_number } = row(bad)
    assert.isNull(full_number, "no number is lost")
    const code = outcome === "unsignable" ? "no_software" : "internal_error"
    assert.deepInclude(failure, { code, retryable: true })
    assert.isAtMost(attempts, 5)
    switched.fault = null
    const retried = yield* post(`/v1/invoices/${bad.json.id}/retry`)
    assert.strictEqual(retried.status, 202, retried.text)
    yield* swept(() => row(bad).state === "accepted_by_authority")
  })

  it.effect("leaves only the document waiting whose pageOf throws", function* () {
    const { tables } = yield* MemoryTables
    const port = yield* NationalProfile
    const own = targetOf(port).pageOf
    const switched = yield* broken("pageOf")
    const bad = yield* post("/v1/invoices", invoiceBody(yield* addCustomer()))
    switched.fault = ((document: Parameters<typeof own>[0]) =>
      document.cufe === existing(tables.invoices, bad.json.id).cufe ? throwing() : own(document)) as never
    const good = yield* post("/v1/invoices", invoiceBody(yield* addCustomer()))
    const row = ({ json }: typeof bad) => existing(tables.invoices, json.id)
    yield* swept(() => row(good).state === "accepted_by_authority" && row(bad).attempts > 6)
    assert.strictEqual(row(bad).state, "submitted")
    assert.deepStrictEqual(codeOf(yield* get(`/v1/invoices/${bad.json.id}`)), [500, "internal_error"])
    assert.isString((yield* get(`/v1/invoices/${good.json.id}`)).json.qr_url)
    switched.fault = null
    yield* swept(() => row(bad).state === "accepted_by_authority")
    assert.isString((yield* get(`/v1/invoices/${bad.json.id}`)).json.qr_url)
  })
})
