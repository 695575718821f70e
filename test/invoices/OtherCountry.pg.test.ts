import { assert } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { unzipSync } from "fflate"
import { NationalProfile, Unsignable } from "../../src/documents/NationalProfile.ts"
import { cufe } from "../../src/documents/rules/Cufe.ts"
import { keys } from "../support/apps/Accounts.ts"
import { FakeAuthority, FakeMailer } from "../support/apps/Fakes.ts"
import { customerBody, invoiceBody, noteBody, resolutionBody } from "../support/apps/Invoices.ts"
import { serviceWith } from "../support/apps/PostgresApp.ts"
import { bearer, fetchBytes, get, patch, post, type Reply } from "../support/apps/Requests.ts"
import { until } from "../support/apps/Until.ts"
import * as Borduria from "../support/authority/Borduria.ts"
import { describeLive } from "../support/Tests.ts"

let hasSeal = true
const seal = new Unsignable({ code: "no_seal", message: "The seal is not there." })
const profileWith = (change: Partial<NationalProfile["Service"]>) =>
  Layer.succeed(NationalProfile, { ...Borduria.profile, ...change })
const borduria = serviceWith(
  Layer.empty,
  profileWith({ code: (document) => (hasSeal ? Borduria.profile.code(document) : Result.fail(seal)) })
)

const headersOf = (isLive: boolean) => (isLive ? bearer(keys.live) : {})

/** The authority of the country, and a customer there; `create` creates an invoice and returns its path. */
const inBorduria = Effect.fnUntraced(function* (isLive = false) {
  const headers = headersOf(isLive)
  const authority = yield* FakeAuthority
  authority.calls.length = 0
  authority.onSubmit = (submission) => Effect.succeed(Borduria.judge(submission))
  const customer = yield* post(
    "/v1/customers",
    { ...customerBody(isLive ? "900373115" : undefined), email: "desk@shop.borduria.test" },
    headers
  )
  assert.strictEqual(customer.status, 201, customer.text)
  const body = { ...invoiceBody(customer.json.id), currency: Borduria.currency }
  const create = Effect.map(post("/v1/invoices", body, headers), (made) => {
    assert.strictEqual(made.status, 202, made.text)
    return `/v1/invoices/${made.json.id}`
  })
  return { authority, body, create }
})

const settled = (path: string) =>
  Effect.map(
    until(get(path, headersOf(false)), ({ json }) => json.status !== "draft"),
    ({ json }) => json
  )

const stepsOf = (path: string) =>
  Effect.map(get(`${path}/timeline`), ({ json }) =>
    json.data.flatMap(({ command }: { readonly command?: string }) => command ?? [])
  )

const refusalOf = ({ json, status }: Reply) => [status, json.error?.code]
const register = (prefix: string, from_number: number) =>
  Effect.map(post("/v1/resolutions", resolutionBody({ prefix, from_number, to_number: from_number })), refusalOf)

/** The next number of the account's own range. */
const nextNumber = Effect.map(
  get("/v1/resolutions"),
  ({ json }) => json.data.find(({ prefix }: { readonly prefix: string }) => prefix === "SETP").next_number
)

describeLive(borduria)("A document of another country", (it) => {
  it.effect("has that country's date, number, code, signature and page", function* () {
    const days = [Borduria.localDate(Date.now())]
    const { create } = yield* inBorduria()
    const path = yield* create
    const invoice = yield* settled(path)
    days.push(Borduria.localDate(Date.now()))
    assert.deepInclude(invoice, {
      status: "accepted_by_authority",
      full_number: "SETP-000990000000",
      exchange_rate: null
    })
    assert.include(days, invoice.issue_date)
    assert.match(invoice.cufe, new RegExp(`^BO:2:invoice:${invoice.issue_date}:900373115:SETP-000990000000:\\d$`))
    assert.strictEqual(invoice.qr_url, Borduria.pageOf(invoice.cufe))
    assert.deepStrictEqual(yield* stepsOf(path), ["create", "number", "redate", "sign", "submit", "accept"])
  })

  it.effect("corrects another document by that document's number and code", function* () {
    const { authority, create } = yield* inBorduria()
    const invoice = yield* settled(yield* create)
    const made = yield* post("/v1/credit-notes", noteBody(invoice.id))
    assert.strictEqual(made.status, 202, made.text)
    const note = yield* settled(`/v1/credit-notes/${made.json.id}`)
    assert.deepInclude(note, { status: "accepted_by_authority", full_number: "NC-000000000001" })
    assert.match(note.cude, new RegExp(`^BO:2:credit_note:${note.issue_date}:900373115:NC-000000000001:\\d$`))
    const [text = ""] = Buffer.from(authority.calls.at(-1)?.signed ?? "", "hex")
      .toString()
      .split("\n")
    assert.deepInclude(JSON.parse(text).correction.invoice, { full_number: invoice.full_number, cufe: invoice.cufe })
  })

  it.effect("sends that country's file by email", function* () {
    const { sent } = yield* FakeMailer
    const { create } = yield* inBorduria(true)
    const path = yield* create
    yield* until(
      Effect.sync(() => sent.length),
      (count) => count === 1
    )
    const file = unzipSync(sent[0]!.message.archive!.bytes)["SETP-000990000000.xml"]
    const { answer, document, of } = JSON.parse(Buffer.from(file!).toString().split("\n")[0] ?? "")
    assert.deepStrictEqual([answer, of], ["<accepted/>", "SETP-000990000000"])
    const { bytes } = yield* fetchBytes({ path: `${path}/xml`, headers: headersOf(true) })
    assert.strictEqual(document, bytes.toString())
  })

  it.effect("fails that country's rules before it uses a number", function* () {
    const { body, create } = yield* inBorduria()
    const invoice = yield* settled(yield* create)
    const before = yield* nextNumber
    const [line] = body.lines
    const note = { ...noteBody(invoice.id), lines: [line, line] }
    const refusals = yield* Effect.all([
      post("/v1/invoices", { ...body, currency: "COP" }),
      post("/v1/credit-notes", note),
      post("/v1/customers", customerBody("12345678")),
      patch("/v1/account", { legal_name: "Astrid S.A." }),
      post("/v1/resolutions", resolutionBody({ prefix: "" }))
    ])
    for (const reply of refusals) {
      assert.strictEqual(reply.status, 400, reply.text)
      assert.strictEqual(reply.json.error.errors[0].rule, "BO-1", reply.text)
    }
    const { json: verdict } = yield* post("/v1/invoices/validate", { ...body, currency: "COP" })
    assert.strictEqual(verdict.errors[0].rule, "BO-1")
    const { json: form } = yield* post("/v1/invoices", { ...body, lines: [] })
    assert.strictEqual(form.error.errors[0].rule, "BO-2", "a rule of /v1, by that country's name")
    assert.strictEqual(yield* nextNumber, before)
    // The rules of Colombia would reject this.
    assert.strictEqual((yield* patch("/v1/account", { legal_name: "Borduria", city_code: "99999" })).status, 200)
  })

  it.effect("fails without its code, keeps its number, and is issued when it is retried", function* () {
    const { authority, create } = yield* inBorduria()
    const before = yield* nextNumber
    hasSeal = false
    const path = yield* create
    const failed = yield* settled(path)
    const full_number = `SETP-000${before}`
    const failure = { code: "no_seal", message: "The seal is not there.", retryable: true }
    assert.deepInclude(failed, { status: "failed", full_number, cufe: null, qr_url: null, failure })
    assert.lengthOf(authority.calls, 0)
    hasSeal = true
    assert.strictEqual((yield* post(`${path}/retry`)).status, 202)
    assert.deepInclude(yield* settled(path), { status: "accepted_by_authority", full_number })
    assert.lengthOf(authority.calls, 1)
    assert.strictEqual(yield* nextNumber, before + 1)
  })

  it.effect("needs ranges whose full numbers, as that country writes them, are all different", function* () {
    // Q123 twice in Colombia; Q-000000000123 and Q1-000000000023 here.
    assert.deepStrictEqual(yield* register("Q", 123), [201, undefined])
    assert.deepStrictEqual(yield* register("Q1", 23), [201, undefined])
    assert.deepStrictEqual(yield* register("Q", 123), [409, "resolution_overlap"])
  })
})

describeLive(serviceWith(Layer.empty, profileWith({ lacks: ["the operator has no seal"] })))("A profile", (it) => {
  it.effect("issues no live document while its service lacks something", function* () {
    const reply = yield* post("/v1/invoices", invoiceBody("cust_01k0000000000000000000000a"), bearer(keys.live))
    assert.deepStrictEqual(refusalOf(reply), [403, "account_not_live"])
    assert.include(reply.json.error.message, "the operator has no seal")
  })
})

const breaking = profileWith({
  tail: ({ acquirer_number }) => {
    if (acquirer_number === "900000002") throw new Error("a profile that breaks")
    return Result.succeed("-tail")
  }
})

describeLive(serviceWith(Layer.empty, breaking))("A document for which the profile breaks", (it) => {
  it.effect("takes no number, and its neighbours keep theirs", function* () {
    const { body, create } = yield* inBorduria()
    const other = yield* post("/v1/customers", customerBody("900000002"))
    const bad = yield* post("/v1/invoices", { ...body, customer_id: other.json.id })
    const good = yield* settled(yield* create)
    assert.deepInclude(good, { full_number: "SETP-000990000000", cufe: cufe("SETP-000990000000", "-tail") })
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* until(
      sql<{
        attempts: number
        state: string
        number: bigint | null
      }>`select attempts, state, number from invoices where id = ${bad.json.id}`,
      ([found]) => found!.attempts > 0
    )
    assert.deepInclude(row, { state: "queued", number: null })
  })
})
