import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { unzipSync } from "fflate"
import { NationalProfile, Unsignable } from "../../src/documents/NationalProfile.ts"
import type { FiscalDocument } from "../../src/documents/ubl/FiscalDocument.ts"
import { cufe } from "../../src/domain/documents/Cufe.ts"
import { Numbering } from "../../src/store/documents/Numbering.ts"
import { examples } from "../documents/Documents.ts"
import { aloneOn, commandsOf, invoiceOf, invoiceOwner } from "../support/apps/ActorsAlone.ts"
import { codeOf as refusalOf, settled } from "../support/apps/Correcting.ts"
import { FakeAuthority, FakeMailer } from "../support/apps/Fakes.ts"
import { customerBody, invoiceBody, noteBody, resolutionBody } from "../support/apps/Invoices.ts"
import { keys, rangeId, startOfTest, testMode } from "../support/apps/Accounts.ts"
import { layerOf, worldOf } from "../support/apps/MemoryApp.ts"
import { addCustomer, addDraft, become } from "../support/apps/MemoryRows.ts"
import { bearer, get, patch, post } from "../support/apps/Requests.ts"
import * as Borduria from "../support/authority/Borduria.ts"
import { colombia } from "../support/authority/LiveAccounts.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"

const it = itOn(layerOf(Borduria.layer))
const itWith = (change: Partial<NationalProfile["Service"]>) =>
  itOn(layerOf(Layer.succeed(NationalProfile, { ...Borduria.profile, ...change })))

/** The authority of the country, and a customer there; `create` asks for an invoice and gives its path. */
const inBorduria = Effect.fnUntraced(function* (headers: Readonly<Record<string, string>> = {}) {
  const authority = yield* FakeAuthority
  authority.onSubmit = (submission) => Effect.succeed(Borduria.judge(submission))
  const customer = yield* post("/v1/customers", { ...customerBody(), email: "desk@shop.borduria.test" }, headers)
  assert.strictEqual(customer.status, 201, customer.text)
  const body = { ...invoiceBody(customer.json.id), currency: Borduria.currency }
  const create = Effect.map(post("/v1/invoices", body, headers), (made) => {
    assert.strictEqual(made.status, 202, made.text)
    return `/v1/invoices/${made.json.id}`
  })
  return { authority, body, create }
})

const stepsOf = (path: string) =>
  Effect.map(get(`${path}/timeline`), ({ json }) =>
    json.data.flatMap(({ command }: { readonly command?: string }) => command ?? [])
  )

const register = (prefix: string, from_number: number) =>
  Effect.map(post("/v1/resolutions", resolutionBody({ prefix, from_number, to_number: from_number })), refusalOf)

describe("A document of another country", () => {
  it.effect("has that country's date, number, code, signature and page", function* () {
    const { create } = yield* inBorduria()
    const path = yield* create
    const invoice = yield* settled(path)
    assert.deepInclude(invoice, {
      status: "accepted_by_authority",
      full_number: "SETP-000990000000",
      exchange_rate: null
    })
    // The tests begin at three in the afternoon of UTC, half past midnight there.
    assert.strictEqual(invoice.issue_date, "2026-11-22")
    assert.match(invoice.cufe, /^BO:2:invoice:2026-11-22:900373115:SETP-000990000000:\d$/)
    assert.strictEqual(invoice.qr_url, Borduria.pageOf(invoice.cufe))
    assert.deepStrictEqual(yield* stepsOf(path), ["create", "number", "redate", "sign", "submit", "accept"])
  })

  it.effect("corrects another one by that one's number and code", function* () {
    const { authority, create } = yield* inBorduria()
    const invoice = yield* settled(yield* create)
    const made = yield* post("/v1/credit-notes", noteBody(invoice.id))
    assert.strictEqual(made.status, 202, made.text)
    const note = yield* settled(`/v1/credit-notes/${made.json.id}`)
    assert.deepInclude(note, { status: "accepted_by_authority", full_number: "NC-000000000001" })
    assert.match(note.cude, /^BO:2:credit_note:2026-11-22:900373115:NC-000000000001:\d$/)
    const [text = ""] = Buffer.from(authority.calls.at(-1)?.signed ?? "", "hex")
      .toString()
      .split("\n")
    assert.deepInclude(JSON.parse(text).correction.invoice, { full_number: invoice.full_number, cufe: invoice.cufe })
  })

  it.effect("is mailed as that country's file", function* () {
    const { sent } = yield* FakeMailer
    const { create } = yield* inBorduria(bearer(keys.live))
    const id = (yield* create).split("/").at(-1) ?? ""
    yield* (yield* MemoryTables).until(() => sent.length === 1)
    const file = unzipSync(sent[0]!.message.archive.bytes)["SETP-000990000000.xml"]
    const { answer, document, of } = JSON.parse(Buffer.from(file!).toString().split("\n")[0] ?? "")
    assert.deepStrictEqual([answer, of], ["<accepted/>", "SETP-000990000000"])
    const { documents } = (yield* MemoryTables).tables
    assert.strictEqual(document, Buffer.from(documents.get(id)!.signed).toString())
  })

  it.effect("is refused by that country's rules, before a number is used", function* () {
    const { body, create } = yield* inBorduria()
    const { tables } = yield* MemoryTables
    const invoice = yield* settled(yield* create)
    const before = tables.resolutions.get(rangeId(testMode))?.next_number
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
    assert.strictEqual(tables.resolutions.get(rangeId(testMode))?.next_number, before)
    // What the rules of Colombia would refuse.
    assert.strictEqual((yield* patch("/v1/account", { legal_name: "Borduria", city_code: "99999" })).status, 200)
  })

  it.effect("comes from ranges whose full numbers, as they are written there, are all different", function* () {
    yield* inBorduria()
    // Q123 twice in Colombia; Q-000000000123 and Q1-000000000023 here.
    assert.deepStrictEqual(yield* register("Q", 123), [201, undefined])
    assert.deepStrictEqual(yield* register("Q1", 23), [201, undefined])
    assert.deepStrictEqual(yield* register("Q", 123), [409, "resolution_overlap"])
  })

  itWith({ lacks: ["the operator has no seal"] }).effect("is not live while its service lacks something", function* () {
    const reply = yield* post("/v1/invoices", invoiceBody("cust_01k0000000000000000000000a"), bearer(keys.live))
    assert.deepStrictEqual(refusalOf(reply), [403, "account_not_live"])
    assert.include(reply.json.error.message, "the operator has no seal")
  })

  let hasSeal = true
  const seal = new Unsignable({ code: "no_seal", message: "The seal is not there." })
  itWith({
    code: (document) => (hasSeal ? Borduria.profile.code(document) : Result.fail(seal))
  }).effect("that cannot have its code fails, keeps its number, and goes on when it is retried", function* () {
    hasSeal = false
    const { authority, create } = yield* inBorduria()
    const path = yield* create
    const failed = yield* settled(path)
    const failure = { code: "no_seal", message: "The seal is not there.", retryable: true }
    assert.deepInclude(failed, {
      status: "failed",
      full_number: "SETP-000990000000",
      cufe: null,
      qr_url: null,
      failure
    })
    assert.lengthOf(authority.calls, 0)
    hasSeal = true
    assert.strictEqual((yield* post(`${path}/retry`)).status, 202)
    const { tables, until } = yield* MemoryTables
    yield* until(() => authority.calls.length === 1)
    const after = yield* settled(path)
    assert.deepInclude(after, { status: "accepted_by_authority", full_number: "SETP-000990000000" })
    assert.strictEqual(tables.resolutions.get(rangeId(testMode))?.next_number, 990_000_001n)
  })

  itWith({
    tail: ({ acquirer_number }) => {
      if (acquirer_number === "900000002") throw new Error("a profile that breaks")
      return Result.succeed("-tail")
    }
  }).effect("for which the profile breaks takes no number, and none of its neighbours with it", function* () {
    const { tables, until } = yield* MemoryTables
    const { body, create } = yield* inBorduria()
    const other = yield* post("/v1/customers", customerBody("900000002"))
    const bad = yield* post("/v1/invoices", { ...body, customer_id: other.json.id })
    const good = yield* settled(yield* create)
    assert.deepInclude(good, { full_number: "SETP-000990000000", cufe: cufe("SETP-000990000000", "-tail") })
    yield* until(({ invoices }) => (invoices.get(bad.json.id)?.attempts ?? 0) > 0)
    assert.deepInclude(tables.invoices.get(bad.json.id), { state: "queued", number: null })
  })

  itOn(aloneOn(worldOf(Borduria.layer))).effect("is dated and coded anew after that country's midnight", function* () {
    const authority = yield* FakeAuthority
    authority.onSubmit = (submission) => Effect.succeed(Borduria.judge(submission))
    const proceed = yield* invoiceOwner
    const numbering = yield* Numbering
    const date = { issue_date: Borduria.localDate(startOfTest), issue_time: "00:30:00", issuer_version: 1 }
    const numbered = Effect.gen(function* () {
      const key = yield* addDraft(yield* addCustomer())
      yield* become(key.id, { currency: Borduria.currency })
      yield* numbering.number({ key, resolution_id: rangeId(testMode), ...date, cufe_tail: null })
      return key
    })
    const [uncoded, coded] = [yield* numbered, yield* numbered]
    yield* become(coded.id, { cufe: "the code of that day" })
    yield* TestClock.adjust("23 hours")
    // Four in the afternoon of UTC is the same day in Colombia, and still the day of the number here.
    assert.strictEqual(Borduria.localDate(startOfTest + 23 * 3_600_000), "2026-11-22")
    yield* TestClock.adjust("1 hour")
    for (const [key, number] of [
      [uncoded, "SETP-000990000000"],
      [coded, "SETP-000990000001"]
    ] as const) {
      yield* proceed(key)
      const row = yield* invoiceOf(key)
      assert.deepInclude(row, { state: "accepted_by_authority", full_number: number, issue_date: "2026-11-23" })
      assert.include(row.cufe, `:2026-11-23:900373115:${number}:`)
      assert.deepStrictEqual(yield* commandsOf(key), ["Number", "Redate", "Sign", "Submit", "Accept"])
    }
  })
})

describe("The Colombian profile", () => {
  const cases = Object.values(examples).flatMap((document) =>
    (["1", "2"] as const).map((environment): FiscalDocument => ({ ...document, environment }))
  )
  itOn(colombia).effect.each(cases)(
    "makes a code of the number and the tail: $kind, $environment",
    function* (document) {
      const { code, tail } = yield* NationalProfile
      const technical_key = document.kind === "invoice" ? "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c" : ""
      const draft = {
        ...document,
        technical_key,
        livemode: document.environment === "1",
        issuer_number: document.issuer.identification.number,
        acquirer_number: document.acquirer.identification.number
      }
      const expected = Result.map(tail!(draft), (text) => cufe(document.full_number, text))
      assert.isTrue(Result.isSuccess(expected))
      assert.deepStrictEqual(code({ ...document, technical_key }), expected)
    }
  )
})
