import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId, ResolutionId } from "../../../schemas/Id.ts"
import { insertPublic, newRange } from "../../../src/accounts/store/Resolutions.ts"
import { colombianSandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { checkDigit } from "../../../src/documents/rules/parties/CheckDigit.ts"
import * as AuthorityLive from "../../../src/invoices/authority/AuthorityLive.ts"
import * as AuthoritySandbox from "../../../src/invoices/authority/AuthoritySandbox.ts"
import type { Client } from "../../support/apps/Client.ts"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { keyFile, softwareSettings } from "../../support/authority/LiveAccounts.ts"
import { copyAccount } from "../../support/database/Owners.ts"
import { receiver, type Receiver } from "../../support/receiver/Receiver.ts"
import { accepted, rejectedBy, unknown } from "../../support/authority/StandInAnswers.ts"
import { grantedRange, rangesAnswer, standInAuthority } from "../../support/authority/StandInAuthority.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

const readCufe = (signed: Uint8Array) => readSignedDocument(signed)?.cufe ?? null
type StandIn = Effect.Success<ReturnType<typeof standInAuthority>>

class World extends Context.Service<World, { readonly service: StandIn; readonly hooks: Receiver }>()("test/World") {}

/** The service, an authority for live documents, and a customer's server. */
const world = Layer.unwrap(
  Effect.gen(function* () {
    const service = yield* standInAuthority({ readCufe })
    const hooks = yield* receiver
    const software = { provider: { number: "900373115" }, id: softwareSettings.SOFTWARE_ID }
    const authority = AuthorityLive.layerByMode({
      test: AuthoritySandbox.layer({ read: readSignedDocument, latency: 0 }),
      live: AuthorityLive.layer({ url: service.url, software, readCufe })
    })
    return Layer.merge(
      TestApp.layer({ allow: `127.0.0.1:${hooks.port}`, authority }),
      Layer.succeed(World, { service, hooks })
    )
  })
)

const file = keyFile()
const upload = { pkcs12: file.pkcs12, password: file.password }
const buyer = {
  ...customerBody(),
  identification: { type: "31", number: "800197268", check_digit: checkDigit("800197268") }
}

let keys = 0
const newKey = () => ({ key: `live ${keys++}` })

/** A live client of an account that can issue, and a customer of it. */
const ready = Effect.gen(function* () {
  const { withNewKey } = yield* TestApp.TestApp
  const { service } = yield* World
  service.answerTo("GetNumberingRange", rangesAnswer([grantedRange]))
  service.judgeBy(({ cufe }) => accepted("", cufe))
  const live = yield* withNewKey("live")
  assert.strictEqual((yield* live.post("/v1/account/certificate", upload)).status, 200)
  assert.strictEqual((yield* live.post("/v1/resolutions/import", undefined, newKey())).status, 200)
  const made = yield* live.post("/v1/customers", buyer, newKey())
  return { live, customer: String(made.json.id), service }
})

const issue = Effect.fnUntraced(function* (live: Client, customer: string) {
  const made = yield* live.post("/v1/invoices", invoiceBody(customer), newKey())
  assert.strictEqual(made.status, 202, made.text)
  return `/v1/invoices/${made.json.id}`
})

const settled = (live: Client, path: string) =>
  Effect.map(
    until(live.get(path), ({ json }) => json.status !== "draft"),
    ({ json }) => json
  )

const operations = (service: StandIn, from: number) => service.calls.slice(from).map(({ operation }) => operation)

const rangeOf = ({ from_number, prefix }: Record<string, unknown>) => [prefix, from_number]

describeLive(world)("a live account", (it) => {
  it.effect("learns its missing requirements, fulfils them, and issues", function* () {
    const { accountId, client, withNewKey } = yield* TestApp.TestApp
    const { hooks, service } = yield* World
    const sql = yield* SqlClient.SqlClient
    const live = yield* withNewKey("live")
    yield* live.post("/v1/webhook-endpoints", endpointBody(hooks.url("/live")))
    const customer = String((yield* live.post("/v1/customers", buyer, newKey())).json.id)

    const early = yield* live.post("/v1/invoices", invoiceBody(customer), { key: "early" })
    assert.deepStrictEqual([early.status, early.json.error.code], [403, "account_not_live"])
    assert.match(early.json.error.message, /no signing certificate .*\/v1\/account\/certificate/)
    const noRanges = yield* live.post("/v1/resolutions/import", undefined, newKey())
    assert.deepStrictEqual([noRanges.status, noRanges.json.error.code], [403, "account_not_live"])
    assert.isNull((yield* live.get("/v1/account")).json.certificate)
    assert.strictEqual((yield* client.get("/v1/account")).json.certificate.subject, "CN=Folio test")

    const uploaded = yield* live.post("/v1/account/certificate", upload, { key: "upload" })
    assert.strictEqual(uploaded.status, 200, uploaded.text)
    assert.strictEqual(uploaded.json.certificate.subject, "CN=Tienda S.A.S.")
    const again = yield* live.post("/v1/account/certificate", upload, { key: "upload" })
    assert.strictEqual(again.text, uploaded.text)
    assert.deepStrictEqual((yield* live.get("/v1/account")).json, uploaded.json)
    const stored = yield* sql`select account_id, livemode, sealed from certificates`
    assert.lengthOf(stored, 1)
    assert.deepInclude(stored[0], { account_id: accountId, livemode: true })
    assert.match(String(stored[0]?.["sealed"]), /^v1\.[A-Za-z0-9+/=]{2000,}$/)
    const log = yield* sql`select action, details from audit_log where action = 'certificate.uploaded'`
    assert.deepStrictEqual(log, [{ action: "certificate.uploaded", details: { subject: "CN=Tienda S.A.S." } }])

    const shortKey = { ...grantedRange, Prefix: "KEY", TechnicalKey: "a".repeat(38) }
    service.answerTo("GetNumberingRange", rangesAnswer([grantedRange, shortKey]))
    const imported = yield* live.post("/v1/resolutions/import", undefined, { key: "import" })
    assert.strictEqual(imported.status, 200, imported.text)
    assert.deepStrictEqual(
      imported.json.data.map((one: Record<string, unknown>) => [one["prefix"], one["from_number"], one["to_number"]]),
      [["FE", 1, 5_000]]
    )
    assert.deepStrictEqual(
      imported.json.skipped.map(({ message, prefix }: Record<string, string>) => [prefix, /40 hex/.test(message!)]),
      [["KEY", true]]
    )
    assert.deepStrictEqual((yield* live.get("/v1/resolutions")).json.data, imported.json.data)
    const replayed = yield* live.post("/v1/resolutions/import", undefined, { key: "import" })
    assert.strictEqual(replayed.text, imported.text)
    const twice = yield* live.post("/v1/resolutions/import", undefined, newKey())
    assert.deepStrictEqual(twice.json, imported.json)
    service.answerWith(() => ({ _tag: "Raw", status: 503, type: "text/plain", text: "" }))
    const down = yield* live.post("/v1/resolutions/import", undefined, newKey())
    assert.deepStrictEqual([down.status, down.json.error.code], [503, "service_unavailable"])
    service.answerWith(() => undefined)

    // A rejection is not stored for its key: the first request that can run uses the same key.
    const made = yield* live.post("/v1/invoices", invoiceBody(customer), { key: "early" })
    assert.strictEqual(made.status, 202, made.text)
    const invoice = yield* settled(live, `/v1/invoices/${made.json.id}`)
    assert.deepInclude(invoice, { status: "accepted_by_authority", full_number: "FE1", livemode: true })
    const [event] = yield* until(
      Effect.sync(() => hooks.received),
      ({ length }) => length > 0
    )
    assert.deepInclude(event?.event, { type: "invoice.accepted_by_authority", livemode: true })
    const document = service.documents.get(invoice.cufe)
    assert.strictEqual(document?.times, 1)
    assert.strictEqual(service.calls.at(-1)?.certificate, file.certificate)
    assert.include(Buffer.from(document?.bytes ?? []).toString(), file.certificate)
    const answers = yield* sql<{ answer: Record<string, unknown> }>`
      select authority_answer as answer from invoice_documents where invoice_id = ${made.json.id}`
    assert.deepInclude(answers[0]?.answer, { StatusCode: "00", XmlDocumentKey: invoice.cufe })
    assert.isString(answers[0]?.answer["XmlBase64Bytes"])
    assert.deepStrictEqual(service.refusals, [])
  })

  it.effect("queries by the code after a lost answer, and sends no second document", function* () {
    const { customer, live, service } = yield* ready
    const from = service.calls.length
    service.answerTo("SendBillSync", { _tag: "Reset", after: "work" })
    const invoice = yield* settled(live, yield* issue(live, customer))
    assert.strictEqual(invoice.status, "accepted_by_authority")
    assert.deepStrictEqual(operations(service, from), ["SendBillSync", "GetStatus"])
    assert.strictEqual(service.documents.get(invoice.cufe)?.times, 1)
  })

  it.effect(
    "sends the same document again if the authority does not know it, and trusts code 90 for its own document",
    function* () {
      const { customer, live, service } = yield* ready
      const from = service.calls.length
      // The answer is lost, and the document that arrived is invisible for a moment. The repetition gets 90.
      service.answerWith(() => {
        const known = operations(service, from)
        if (known.length === 1) return { _tag: "Reset", after: "work" }
        return known.length === 2 ? { _tag: "Dian", response: unknown } : undefined
      })
      const invoice = yield* settled(live, yield* issue(live, customer))
      assert.strictEqual(invoice.status, "accepted_by_authority")
      assert.deepStrictEqual(operations(service, from), ["SendBillSync", "GetStatus", "SendBillSync", "GetStatus"])
      const [first, second] = service.calls.slice(from).filter(({ operation }) => operation === "SendBillSync")
      assert.deepStrictEqual(second?.parameters, first?.parameters)
      assert.strictEqual([...service.documents.values()].filter(({ cufe }) => cufe === invoice.cufe).length, 1)
    }
  )

  it.effect("gets the authority's rules after a rejection", function* () {
    const { customer, live, service } = yield* ready
    service.judgeBy(({ cufe }) =>
      rejectedBy(
        [
          "Regla: FAD06, Rechazo: Valor del CUFE no está calculado correctamente",
          "Regla: FAJ43b, Notificación: Nombre informado No corresponde al registrado en el RUT."
        ],
        cufe
      )
    )
    const invoice = yield* settled(live, yield* issue(live, customer))
    assert.strictEqual(invoice.status, "rejected_by_authority")
    assert.deepStrictEqual(
      [...invoice.authority_errors, ...invoice.authority_notifications].map(({ rule }: { rule: string }) => rule),
      ["FAD06", "FAJ43b"]
    )
  })

  it.effect("keeps the number of a document that the authority rejects for good, and can retry it", function* () {
    const { customer, live, service } = yield* ready
    const StatusDescription = "NIT 900373115 no autorizado a enviar documentos."
    service.answerWith(() => ({ _tag: "Dian", response: { StatusCode: "89", IsValid: "false", StatusDescription } }))
    const path = yield* issue(live, customer)
    const failed = yield* settled(live, path)
    assert.deepStrictEqual(
      [
        failed.status,
        failed.failure.code,
        failed.failure.retryable,
        failed.failure.message.includes(StatusDescription)
      ],
      ["failed", "authority_refused", true, true]
    )
    service.answerWith(() => undefined)
    assert.strictEqual((yield* live.post(`${path}/retry`, undefined, newKey())).status, 202)
    const invoice = yield* settled(live, path)
    assert.deepInclude(invoice, { status: "accepted_by_authority", full_number: failed.full_number })
  })

  it.effect("with an expired certificate issues nothing until it uploads the next one", function* () {
    const { customer, live } = yield* ready
    const sql = yield* SqlClient.SqlClient
    yield* sql`update certificates set not_after = now()`
    const refused = yield* until(
      Effect.suspend(() => live.post("/v1/invoices", invoiceBody(customer), newKey())),
      ({ status }) => status === 403
    )
    assert.match(refused.json.error.message, /expired on \d{4}-\d\d-\d\d \(send its successor/)
    assert.isBelow(Date.parse((yield* live.get("/v1/account")).json.certificate.not_after), Date.now() + 1_000)
    assert.strictEqual((yield* live.post("/v1/account/certificate", upload)).status, 200)
    const invoice = yield* settled(live, yield* issue(live, customer))
    assert.strictEqual(invoice.status, "accepted_by_authority")
    // No role can change the history.
    const [counted] = yield* sql<{ count: number }>`select count(*)::int as count from certificates`
    assert.isAbove(counted?.count ?? 0, 1)
  })

  it.effect(
    "imports no range with numbers of another live account of its issuer, but imports the others",
    function* () {
      const { accountId } = yield* TestApp.TestApp
      const { live, service } = yield* ready
      const sql = yield* SqlClient.SqlClient
      const other = AccountId.make(`ten_${"0".repeat(26)}`)
      yield* copyAccount(accountId, other)
      const key = { account_id: other, livemode: true, id: ResolutionId.make(`res_${"0".repeat(26)}`) }
      const own = { ...colombianSandbox.range, prefix: "OTRA", from_number: 1, to_number: 100 }
      yield* insertPublic(sql, newRange(key, own, Date.now()))

      const met = { ...grantedRange, Prefix: "OTRA", FromNumber: "100", ToNumber: "200" }
      const free = { ...met, FromNumber: "101" }
      service.answerTo(
        "GetNumberingRange",
        rangesAnswer([{ ...met, Prefix: "ANT" }, met, { ...free, Prefix: "OTR" }, free])
      )
      const imported = yield* live.post("/v1/resolutions/import", undefined, newKey())
      assert.strictEqual(imported.status, 200, imported.text)
      const added = [
        ["ANT", 100],
        ["OTR", 101],
        ["OTRA", 101]
      ]
      assert.deepStrictEqual(imported.json.data.map(rangeOf), added)
      const [skipped, ...rest] = imported.json.skipped
      assert.deepStrictEqual([skipped.prefix, rest], ["OTRA", []])
      assert.match(skipped.message, /^The numbers 100 to 200 .* another live account whose issuer has the same/)
      assert.notInclude(imported.text, other)
      const stored = yield* sql`
      select prefix, from_number::int from resolutions where account_id = ${accountId} and prefix in ('ANT', 'OTR', 'OTRA')
      order by id`
      assert.deepStrictEqual(stored.map(rangeOf), added)
      const log =
        yield* sql`select object_id from audit_log where action = 'resolution.imported' order by seq desc limit 3`
      assert.sameMembers(
        log.map(({ object_id }) => object_id),
        imported.json.data.map(({ id }: { readonly id: string }) => id)
      )
    }
  )
})
