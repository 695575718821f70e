import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { NationalProfile, Unsignable } from "../../../src/documents/NationalProfile.ts"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { checkDigit } from "../../../src/documents/rules/parties/CheckDigit.ts"
import { colombianSandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import { cufe, softwareSecurityCode } from "../../../src/documents/rules/Cufe.ts"
import * as AuthorityLive from "../../../src/invoices/authority/AuthorityLive.ts"
import * as AuthoritySandbox from "../../../src/invoices/authority/AuthoritySandbox.ts"
import { createAccount } from "../../../src/accounts/store/Operations.ts"
import { type Client, makeClient } from "../../support/apps/Client.ts"
import { invoiceBody, noteBody } from "../../support/apps/Invoices.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { colombia, keyFile, softwareSettings } from "../../support/authority/LiveAccounts.ts"
import { grantedRange, rangesAnswer, standInAuthority } from "../../support/authority/StandInAuthority.ts"
import { describeLive } from "../../support/Tests.ts"

type StandIn = Effect.Success<ReturnType<typeof standInAuthority>>

class World extends Context.Service<World, { readonly service: StandIn; isHeld: boolean }>()("test/World") {}

const readCufe = (signed: Uint8Array) => readSignedDocument(signed)?.cufe ?? null

/** The service, an authority for live documents, and a signer that a test can suspend. */
const world = Layer.unwrap(
  Effect.gen(function* () {
    const service = yield* standInAuthority({ readCufe })
    service.answerTo("GetNumberingRange", rangesAnswer([grantedRange]))
    const state = World.of({ service, isHeld: false })
    const profile = Layer.effect(
      NationalProfile,
      Effect.map(NationalProfile, (own) => ({
        ...own,
        sign: (...asked: Parameters<typeof own.sign>) =>
          Effect.suspend(() =>
            state.isHeld ? Effect.fail(new Unsignable({ code: "held", message: "Held up." })) : own.sign(...asked)
          )
      }))
    ).pipe(Layer.provide(colombia))
    const software = { provider: { number: "900373115" }, id: softwareSettings.SOFTWARE_ID }
    const authority = AuthorityLive.layerByMode({
      test: AuthoritySandbox.layer({ read: readSignedDocument, latency: 0 }),
      live: AuthorityLive.layer({ url: service.url, software, readCufe })
    })
    return Layer.merge(TestApp.layer({ authority, profile }), Layer.succeed(World, state))
  })
)

let keys = 0
let issuers = 0
const newKey = () => ({ key: `software ${keys++}` })

const idOf = (letter: string) => `${letter.repeat(8)}-9812-4fad-9255-08fcfcd5ccb0`
const softwareA = { id: idOf("a"), pin: "canary-pin-of-a" }
const softwareB = { id: idOf("b"), pin: "canary-pin-of-b", provider_nit: "800197268-4" }

const put = (client: Client, software: object) =>
  Effect.map(client.request("PUT", "/v1/account/software", { body: software }), (reply) => {
    assert.strictEqual(reply.status, 200, reply.text)
    return reply
  })

const buyer = {
  identification: { type: "31", number: "800197268", check_digit: "4" },
  legal_name: "Cliente S.A.S.",
  organization_type: "1"
}

/** A live account with a certificate, a range and a customer. */
const account = Effect.fnUntraced(function* (name: string) {
  const { url } = yield* TestApp.TestApp
  // Each account has its own issuer: one issuer's documents with one number, made in one second, have one code.
  const number = String(900373115 + issuers++)
  const identification = { type: "31", number, check_digit: checkDigit(number) } as const
  const issuer = { ...colombianSandbox.issuer, identification, vat_responsible: true }
  const made = yield* createAccount(name, issuer, "live").pipe(Effect.provide(colombia))
  const client = makeClient(url, made.key)
  const file = keyFile()
  const upload = { pkcs12: file.pkcs12, password: file.password }
  assert.strictEqual((yield* client.post("/v1/account/certificate", upload)).status, 200)
  const customer = String((yield* client.post("/v1/customers", buyer, newKey())).json.id)
  return { client, customer, id: made.account.account_id, number }
})
type Account = Effect.Success<ReturnType<typeof account>>

const importRanges = ({ client }: Account) => client.post("/v1/resolutions/import", undefined, newKey())

const outcome = (client: Client, path: string, status: string) =>
  Effect.map(
    until(client.get(path), ({ json }) => json.status === status),
    ({ json }) => json
  )

const issue = Effect.fnUntraced(function* ({ client, customer }: Account, status = "accepted_by_authority") {
  const made = yield* client.post("/v1/invoices", invoiceBody(customer), newKey())
  assert.strictEqual(made.status, 202, made.text)
  return yield* outcome(client, `/v1/invoices/${made.json.id}`, status)
})

const credit = Effect.fnUntraced(function* ({ client }: Account, invoice: string, status = "accepted_by_authority") {
  const made = yield* client.post("/v1/credit-notes", noteBody(invoice), newKey())
  assert.strictEqual(made.status, 202, made.text)
  return yield* outcome(client, `/v1/credit-notes/${made.json.id}`, status)
})

/** The software that a document names, and whether the document's codes use the PIN. */
const namedIn = Effect.fnUntraced(function* (
  document: { cude?: string; cufe?: string; full_number: string },
  pin: string,
  issuer: string
) {
  const { service } = yield* World
  const xml = Buffer.from(service.documents.get(document.cude ?? document.cufe ?? "")?.bytes ?? []).toString()
  const leaf = (name: string) => new RegExp(`<${name}(?: [^>]*)?>([^<]*)<`, "u").exec(xml)?.[1] ?? ""
  const id = leaf("sts:SoftwareID")
  assert.strictEqual(leaf("sts:SoftwareSecurityCode"), softwareSecurityCode(id, pin, document.full_number))
  if (document.cude !== undefined) {
    const total = (scheme: string) =>
      new RegExp(
        `<cac:TaxTotal><cbc:TaxAmount[^>]*>([^<]*)<(?:(?!</cac:TaxTotal>).)*<cbc:ID>${scheme}</cbc:ID>`,
        "u"
      ).exec(xml)?.[1] ?? "0.00"
    const text =
      leaf("cbc:IssueDate") +
      leaf("cbc:IssueTime") +
      leaf("cbc:LineExtensionAmount") +
      `01${total("01")}04${total("04")}03${total("03")}` +
      leaf("cbc:PayableAmount") +
      `${issuer}800197268${pin}1`
    assert.strictEqual(document.cude, cufe(document.full_number, text))
  }
  return { id, provider: leaf("sts:ProviderID") }
})

const softwareOfCalls = Effect.map(World, ({ service }) =>
  service.calls
    .filter(({ operation }) => operation === "GetNumberingRange")
    .map(({ parameters }) => [parameters["softwareCode"], parameters["accountCodeT"]])
)

describeLive(world)("The software of an account", (it) => {
  it.effect(
    "belongs to the account: Folio uses it in range queries and documents, and its PIN in their codes",
    function* () {
      const [a, b, plain] = [yield* account("A"), yield* account("B"), yield* account("Without")]
      yield* put(a.client, softwareA)
      yield* put(b.client, softwareB)
      for (const one of [a, b, plain]) assert.strictEqual((yield* importRanges(one)).status, 200)
      assert.deepStrictEqual(yield* softwareOfCalls, [
        [softwareA.id, a.number],
        [softwareB.id, "800197268"],
        [softwareSettings.SOFTWARE_ID, "900373115"]
      ])
      const rows = [
        [a, softwareA.id, softwareA.pin, a.number],
        [b, softwareB.id, softwareB.pin, "800197268"],
        [plain, softwareSettings.SOFTWARE_ID, softwareSettings.SOFTWARE_PIN, "900373115"]
      ] as const
      for (const [one, id, pin, provider] of rows) {
        const invoice = yield* issue(one)
        assert.deepStrictEqual(yield* namedIn(invoice, pin, one.number), { id, provider })
        const note = yield* credit(one, invoice.id)
        assert.deepStrictEqual(yield* namedIn(note, pin, one.number), { id, provider })
      }
    }
  )

  it.effect("applies from the number on: a change or a removal affects later documents only", function* () {
    const a = yield* account("Held")
    const state = yield* World
    yield* put(a.client, softwareA)
    yield* importRanges(a)
    const invoice = yield* issue(a)
    state.isHeld = true
    const held = yield* credit(a, invoice.id, "failed")
    assert.isString(held.full_number)
    yield* put(a.client, softwareB)
    const next = yield* issue(a, "failed")
    const removed = yield* a.client.request("DELETE", "/v1/account/software")
    assert.deepStrictEqual([removed.status, removed.json.software], [200, null])
    state.isHeld = false
    for (const path of [`/v1/credit-notes/${held.id}`, `/v1/invoices/${next.id}`]) {
      assert.strictEqual((yield* a.client.post(`${path}/retry`, undefined, newKey())).status, 202)
    }
    const note = yield* outcome(a.client, `/v1/credit-notes/${held.id}`, "accepted_by_authority")
    assert.deepStrictEqual(yield* namedIn(note, softwareA.pin, a.number), { id: softwareA.id, provider: a.number })
    const second = yield* outcome(a.client, `/v1/invoices/${next.id}`, "accepted_by_authority")
    assert.deepStrictEqual(yield* namedIn(second, softwareB.pin, a.number), { id: softwareB.id, provider: "800197268" })
    const { id } = yield* namedIn(yield* issue(a), softwareSettings.SOFTWARE_PIN, a.number)
    assert.strictEqual(id, softwareSettings.SOFTWARE_ID)
  })

  it.effect("appears without its PIN, and no table contains the PIN in the clear", function* () {
    const sql = yield* SqlClient.SqlClient
    const a = yield* account("Shown")
    const first = yield* put(a.client, softwareB)
    assert.deepInclude(first.json.software, { id: softwareB.id, provider_nit: "800197268-4" })
    assert.deepStrictEqual((yield* a.client.get("/v1/account")).json.software, first.json.software)
    const again = yield* put(a.client, softwareB)
    assert.deepStrictEqual(again.json.software, first.json.software)
    const versions = sql<{
      count: number
    }>`select count(*)::int as count from issuers where account_id = ${a.id} and livemode`
    assert.deepStrictEqual(yield* versions, [{ count: 2 }], "a repeated request changes nothing")
    yield* put(a.client, { ...softwareB, pin: "canary-pin-of-c" })
    assert.deepStrictEqual(yield* versions, [{ count: 3 }], "another PIN is a change")
    const tables = yield* sql<{ name: string }>`
      select c.oid::regclass::text as name from pg_class c
      where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace`
    for (const { name } of tables) {
      const rows = yield* sql`select t::text as row from ${sql.literal(name)} t`
      assert.notMatch(JSON.stringify(rows), /canary-pin/, name)
    }
    const log = yield* sql`select details from audit_log where account_id = ${a.id} and action like 'software.%'`
    assert.deepStrictEqual(
      log,
      Array.from({ length: 3 }, () => ({ details: { software_id: softwareB.id } }))
    )
  })
})
