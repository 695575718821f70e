import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { FakeReceiver } from "../support/apps/Fakes.ts"
import * as GuardedProfile from "../../src/documents/GuardedProfile.ts"
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
import { keys, layer } from "../support/apps/MemoryApp.ts"
import { addCustomer, addDraft, addEndpoint } from "../support/apps/MemoryRows.ts"
import { bearer, get, post, send, type Sent } from "../support/apps/Requests.ts"
import { patiently } from "../support/apps/Until.ts"
import * as Borduria from "../support/authority/Borduria.ts"
import { existing, MemoryTables } from "../support/memory/MemoryTables.ts"
import { describeOn, it as plain } from "../support/Tests.ts"
import { breakable, installed, plainFaultOf } from "./Faults.ts"
import { type Outcome, profile } from "./PortTable.ts"

const failures = { Unsignable: new Unsignable({ code: "no_software", message: "None." }) }

const violation = { param: "lines", code: "parameter_invalid", message: "No." }
const noViolations = [
  undefined,
  null,
  {},
  "none",
  "",
  new Set(),
  [null],
  [violation, { ...violation, code: "a code of its own" }]
]
const noTexts = [undefined, null, 20261121, "", "2026-11-21\u0000", new Date(0)]
const nonsense: Record<Method, ReadonlyArray<unknown>> = {
  localDate: [...noTexts, "2026-13-01", "21.11.2026", "2026-11-21T10:00"],
  issueTime: noTexts,
  "rules.invoice": noViolations,
  "rules.note": noViolations,
  "rules.customer": noViolations,
  "rules.issuer": noViolations,
  "rules.resolution": noViolations,
  lacksOf: [undefined, null, {}, "the issuer lacks nothing", [1]],
  tail: [undefined, null, "a tail", Result.succeed(""), Result.succeed(1), Result.fail("no tail")]
}

const rules = ["rules.invoice", "rules.note", "rules.customer", "rules.issuer", "rules.resolution"] as const
type Method = (typeof rules)[number] | "localDate" | "issueTime" | "tail" | "lacksOf"

const rows = <M extends keyof typeof profile>(...methods: ReadonlyArray<M>) =>
  methods.flatMap((method) =>
    Object.entries(profile[method]).map(([fault, outcome]) => [method, fault, outcome as Outcome] as const)
  )

const broken = Effect.fnUntraced(function* (method: Method) {
  const port = yield* NationalProfile
  const switched = breakable()
  if (method === "localDate" || method === "issueTime" || method === "tail" || method === "lacksOf")
    yield* installed(port, method, switched)
  else yield* installed(port.rules, method.slice("rules.".length) as keyof Rules, switched)
  return switched
})

let asked = 0

const live = bearer(keys.live)
const liveCustomer = Effect.map(
  Effect.suspend(() => post("/v1/customers", customerBody("900373115"), live)),
  ({ json }) => String(json.id)
)

const requestFor = Effect.fnUntraced(function* (method: (typeof rules)[number] | "localDate" | "lacksOf") {
  const headers = { "idempotency-key": `of the profile ${asked++}` }
  const create = { method: "POST", headers }
  if (method === "rules.note") {
    const { id } = yield* issue
    return { ...create, path: "/v1/credit-notes", body: noteBody(id) }
  }
  const requests: Record<typeof method, Sent> = {
    lacksOf: {
      ...create,
      path: "/v1/invoices",
      body: invoiceBody(yield* liveCustomer),
      headers: { ...headers, ...live }
    },
    localDate: { ...create, path: "/v1/invoices", body: invoiceBody(yield* addCustomer()) },
    "rules.invoice": { ...create, path: "/v1/invoices", body: invoiceBody(yield* addCustomer()) },
    "rules.customer": { ...create, path: "/v1/customers", body: customerBody() },
    "rules.issuer": { method: "PATCH", path: "/v1/account", body: { legal_name: `Emisor ${asked}` } },
    "rules.resolution": { ...create, path: "/v1/resolutions", body: resolutionBody({ prefix: `P${asked}` }) }
  }
  return requests[method]
})

/** Lets the sweeper look again and again until this holds. */
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
  it.effect.each(rows(...rules, "localDate", "lacksOf"))(
    "fails a request whose %s %s: %s",
    function* ([method, fault]) {
      const { tables } = yield* MemoryTables
      const sent = yield* requestFor(method)
      const switched = yield* broken(method)
      const count = () => [
        ...[tables.invoices, tables.customers, tables.resolutions].map(({ size }) => size),
        tables.auditLog.length
      ]
      const before = count()
      for (const answer of fault === "throws" ? [undefined] : nonsense[method]) {
        switched.fault = plainFaultOf(fault, failures, [answer])
        const reply = yield* patiently(send(sent))
        assert.deepStrictEqual(codeOf(reply), [500, "internal_error"], reply.text)
        assert.deepStrictEqual(count(), before, "nothing is half done")
        if (method !== "rules.invoice") continue
        const verdict = yield* post("/v1/invoices/validate", sent.body)
        assert.deepStrictEqual(codeOf(verdict), [500, "internal_error"], verdict.text)
      }
      switched.fault = null
      const well = yield* send(sent)
      assert.isBelow(well.status, 300, well.text)
    }
  )

  it.effect.each(rows("localDate", "issueTime"))("keeps a draft waiting whose %s %s: %s", function* ([method, fault]) {
    const { tables } = yield* MemoryTables
    // The actor has looked for drafts once it has answered.
    yield* issue
    const switched = yield* broken(method)
    switched.fault = plainFaultOf(fault, failures, nonsense[method])
    const draft = yield* addDraft(yield* addCustomer())
    yield* swept(() => switched.calls > 20)
    const { failure, full_number, state } = existing(tables.invoices, draft.id)
    assert.deepStrictEqual([state, failure, full_number], ["queued", null, null])
    switched.fault = null
    yield* swept(() => existing(tables.invoices, draft.id).state === "accepted_by_authority")
  })

  it.effect.each(rows("tail"))("ends a draft whose %s %s: %s", function* ([method, fault, outcome]) {
    const { tables } = yield* MemoryTables
    const port = yield* NationalProfile
    const own = port.tail ?? assert.fail("no tail")
    const switched = yield* broken(method)
    const fails = plainFaultOf(fault, failures, nonsense[method])
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

  it.effect.each(rows("pageOf"))("is done without whose %s %s: %s", function* ([, fault]) {
    const { tables } = yield* MemoryTables
    const receiver = yield* FakeReceiver
    const switched = breakable()
    yield* installed(yield* NationalProfile, "pageOf", switched)
    yield* addEndpoint()
    switched.fault = plainFaultOf(fault, failures, [undefined, 1, "", {}, "https://x.test/\u0000"])
    const made = yield* post("/v1/invoices", invoiceBody(yield* addCustomer()))
    const id = String(made.json.id)
    const told = () =>
      receiver.requests
        .map(({ body }) => JSON.parse(Buffer.from(body).toString()).data.object)
        .filter((one) => one.id === id)
    yield* swept(() => told().some(({ status }) => status === "accepted_by_authority"))
    assert.strictEqual(existing(tables.invoices, id).state, "accepted_by_authority")
    const shown = yield* get(`/v1/invoices/${id}`)
    assert.deepStrictEqual([shown.status, shown.json.status, shown.json.qr_url], [200, "accepted_by_authority", null])
    assert.strictEqual((yield* get("/v1/invoices")).status, 200)
    switched.fault = null
    assert.isString((yield* get(`/v1/invoices/${id}`)).json.qr_url)
  })

  it.effect.each(rows("rules.named"))("is done without whose %s %s: %s", function* ([, fault]) {
    const port = yield* NationalProfile
    const switched = breakable()
    yield* installed(port.rules, "named", switched)
    const refuse = post("/v1/invoices", { ...invoiceBody(yield* addCustomer()), currency: "peso" })
    const well = yield* refuse
    assert.isString(well.json.error.errors[0].rule)
    const unnamed = [() => undefined, () => ({ ...violation, code: "a code of its own" }), undefined]
    for (const answer of fault === "throws" ? [undefined] : unnamed) {
      switched.fault = plainFaultOf(fault, failures, [answer])
      const reply = yield* refuse
      assert.deepStrictEqual(codeOf(reply), codeOf(well), reply.text)
      assert.isUndefined(reply.json.error.errors[0].rule)
    }
    switched.fault = null
    assert.isString((yield* refuse).json.error.errors[0].rule)
  })

  it.effect.each(rows("rules.warnings", "rules.noteWarnings"))(
    "is done without whose %s %s: %s",
    function* ([field, fault]) {
      const port = yield* NationalProfile
      const switched = breakable()
      const customer = yield* addCustomer()
      const body = invoiceBody(customer)
      const lines = body.lines.map((line) => ({ ...line, taxes: [{ ...line.taxes[0], code: "02" }] }))
      const inexact = body.lines.map((line) => ({ ...line, taxes: [{ ...line.taxes[0], value: "19000.01" }] }))
      const judge =
        field === "rules.warnings"
          ? post("/v1/invoices/validate", { ...body, lines })
          : post("/v1/credit-notes/validate", { ...periodNoteBody(customer), lines: inexact })
      yield* installed(port.rules, field === "rules.warnings" ? "warnings" : "noteWarnings", switched)
      const well = yield* judge
      assert.deepStrictEqual([well.json.valid, well.json.warnings.length], [true, 1])
      for (const answer of fault === "throws" ? [undefined] : noViolations) {
        switched.fault = plainFaultOf(fault, failures, [answer])
        assert.deepStrictEqual((yield* judge).json, { object: "validation", valid: true, errors: [] })
      }
      switched.fault = null
      assert.deepStrictEqual((yield* judge).json, well.json)
    }
  )
})

const values = {
  numbering: [
    undefined,
    null,
    {},
    { separator: 1, digits: 0 },
    { separator: "", digits: 19 },
    { separator: "\u0000", digits: 0 }
  ],
  lacks: [undefined, null, {}, "the service lacks nothing", [1]],
  lackOfSoftware: [null, {}, "", ["no software"]]
}

describe("The national profile", () => {
  plain.effect.each(rows("numbering", "lacks", "lackOfSoftware"))(
    "keeps a service from starting whose %s %s: %s",
    function* ([field, fault]) {
      for (const value of fault === "throws" ? [undefined] : values[field]) {
        const read = () => {
          if (fault === "throws") throw new Error("a bug of the port")
          return value
        }
        const port = Object.defineProperty({ ...Borduria.profile }, field, { get: read })
        const exit = yield* GuardedProfile.layer.pipe(
          Layer.provide(Layer.succeed(NationalProfile, port)),
          Layer.build,
          Effect.scoped,
          Effect.exit
        )
        assert.isTrue(Exit.isFailure(exit), JSON.stringify(value))
        if (fault !== "throws") assert.include(String(exit), `NationalProfile.${field}`)
      }
    }
  )
})
