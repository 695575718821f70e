import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Net from "node:net"
import * as Path from "node:path"
import { readSignedDocument } from "../../src/documents/signature/SignedDocument.ts"
import { makeClient } from "../support/apps/Client.ts"
import { customerBody, endpointBody, invoiceBody, noteBody } from "../support/apps/Invoices.ts"
import { until } from "../support/apps/Until.ts"
import { keyFile, softwareSettings } from "../support/authority/LiveAccounts.ts"
import { accepted } from "../support/authority/StandInAnswers.ts"
import { grantedRange, rangesAnswer, standInAuthority } from "../support/authority/StandInAuthority.ts"
import { dataDirectory } from "../support/database/Postgres.ts"
import type { ServiceProcess } from "../support/processes/ServiceProcess.ts"
import { accountOf, issued, ownDatabase, posted, running, settled } from "./ExampleService.ts"
import { isCode, mailProvider, readJws, taxOffice, unknownBuyer } from "./ExampleStandIns.ts"
import { OwnHardwareKeys, OwnRemoteSigner } from "./SigningRuns.ts"

/* Runs each program of test/examples as a team does, from the folder with the installed packages. */

const filesIn = (folder: string) =>
  Fs.existsSync(folder) ? Fs.readdirSync(folder).filter((one) => one[0] !== ".") : []

const Unchanged = Effect.fnUntraced(function* (program: string) {
  const service = yield* running(program, yield* ownDatabase)
  const client = service.client()
  assert.strictEqual((yield* settled(client, yield* issued(client))).status, "accepted_by_authority")
  // The package contains the files of the documentation and of the portal.
  for (const page of ["docs/guides/webhooks", "docs/style.css", "portal/style.css", "portal/htmx.js"]) {
    const answer = yield* Effect.promise(() => fetch(`${service.url}/${page}`))
    assert.strictEqual(answer.status, 200, page)
    yield* Effect.promise(() => answer.arrayBuffer())
  }
})

const OwnProgram = Effect.fnUntraced(function* (program: string) {
  const service = yield* running(program, yield* ownDatabase)
  const client = service.client()
  assert.strictEqual((yield* settled(client, yield* issued(client))).status, "accepted_by_authority")
  assert.strictEqual((yield* client.get("/own/health")).text, "ours is well")
  const account = yield* client.get("/v1/account")
  assert.match(account.headers.get("ratelimit-policy") ?? "", /^"default";q=500;w=50$/, "a limit that was given")
  yield* service.signal("SIGTERM")
  assert.strictEqual((yield* service.ended).code, 0)
})

const OwnMailer = Effect.fnUntraced(function* (program: string) {
  const provider = yield* mailProvider
  const authority = yield* standInAuthority({ readCufe: (signed) => readSignedDocument(signed)?.cufe ?? null })
  authority.answerTo("GetNumberingRange", rangesAnswer([grantedRange]))
  authority.judgeBy(({ cufe }) => accepted("", cufe))
  const settings = yield* ownDatabase
  const mail = { MAIL_API_URL: provider.url, MAIL_API_KEY: "a secret", MAIL_FROM: "facturas@folio.test" }
  const service = yield* running(program, { ...settings, ...softwareSettings, AUTHORITY_URL: authority.url, ...mail })

  const live = makeClient(service.url, yield* accountOf(settings))
  const { password, pkcs12 } = keyFile()
  yield* posted(live, "/v1/account/certificate", { pkcs12, password }, 200)
  yield* posted(live, "/v1/resolutions/import", undefined, 200)

  provider.answers.set("unknown@buyer.example.com", 422)
  const buyer = { ...customerBody(), identification: { type: "31", number: "800197268", check_digit: "4" } }
  const statusOf = Effect.fnUntraced(function* (email: string) {
    const path = yield* issued(live, { ...buyer, email })
    const mailed = yield* until(
      live.get(`${path}/emails`),
      ({ json }) => json.data[0]?.status !== "pending" && json.data[0]
    )
    return mailed.json.data[0].status
  })
  assert.strictEqual(yield* statusOf("desk@buyer.example.com"), "delivered")
  assert.strictEqual(yield* statusOf("unknown@buyer.example.com"), "bounced")
  const [call] = provider.calls
  assert.strictEqual(call?.key, "Bearer a secret")
  assert.deepInclude(call?.body, { to: "desk@buyer.example.com", reply_to: "tienda@example.com" })

  // Folio retries when a provider is down.
  provider.answers.set("late@buyer.example.com", 503)
  const path = yield* issued(live, { ...buyer, email: "late@buyer.example.com" })
  yield* until(
    Effect.sync(() => provider.calls.filter(({ body }) => body["to"] === "late@buyer.example.com").length),
    (calls) => calls >= 1
  )
  assert.strictEqual((yield* live.get(`${path}/emails`)).json.data[0].status, "pending")
})

const OwnWebhookSender = Effect.fnUntraced(function* (program: string) {
  const OUTBOX = Path.join(yield* dataDirectory, "outbox")
  const service = yield* running(program, { ...(yield* ownDatabase), OUTBOX })
  const client = service.client()
  yield* posted(client, "/v1/webhook-endpoints", endpointBody("https://hooks.example.com/in"))
  const first = yield* issued(client)
  yield* until(
    Effect.sync(() => filesIn(OUTBOX)),
    (files) => files.length === 1
  )
  yield* service.signal("SIGKILL")
  yield* service.ended
  yield* service.start()
  const second = yield* issued(client)
  const files = yield* until(
    Effect.sync(() => filesIn(OUTBOX)),
    (all) => all.length === 2
  )
  const contents = files.map((file) => JSON.parse(Fs.readFileSync(Path.join(OUTBOX, file), "utf8")))
  const about = contents.map(({ body }) => `/v1/invoices/${JSON.parse(body).data.object.id}`)
  assert.deepStrictEqual(new Set(about), new Set([first, second]))
  for (const { headers, url } of contents) {
    assert.strictEqual(url, "https://hooks.example.com/in")
    assert.match(headers["Svc-Signature"] ?? headers["svc-signature"], /./)
  }
})

const OwnDocumentFiles = Effect.fnUntraced(function* (program: string) {
  const ARCHIVE = Path.join(yield* dataDirectory, "archive")
  const service = yield* running(program, { ...(yield* ownDatabase), ARCHIVE })
  const client = service.client()
  const path = yield* issued(client)
  yield* settled(client, path)
  const [pdf, xml] = [yield* client.get(`${path}/pdf`), yield* client.get(`${path}/xml`)]
  assert.deepStrictEqual([pdf.status, xml.status], [200, 200])
  const files = filesIn(ARCHIVE)
  assert.sameMembers(
    files.map((file) => Path.extname(file)),
    [".pdf", ".xml"]
  )
  const archived = Path.join(ARCHIVE, files.find((file) => file.endsWith(".xml")) ?? "")
  assert.strictEqual(Fs.readFileSync(archived, "utf8"), xml.text)
  // Later responses come from the archive.
  Fs.writeFileSync(archived, "<archived/>")
  yield* service.signal("SIGTERM")
  yield* service.ended
  yield* service.start()
  assert.strictEqual((yield* client.get(`${path}/xml`)).text, "<archived/>")
  assert.strictEqual((yield* client.get(`${path}/pdf`)).text, pdf.text)
})

const OwnEgressGuard = Effect.fnUntraced(function* (program: string) {
  const service = yield* running(program, { ...(yield* ownDatabase), WEBHOOK_DOMAINS: "example.com,127.0.0.1" })
  const client = service.client()
  yield* posted(client, "/v1/webhook-endpoints", endpointBody("https://hooks.example.com/in"))
  for (const [url, why] of [
    ["https://hooks.example.org/in", /our own domains/],
    ["https://evilexample.com/in", /our own domains/],
    // On the list, but still not public.
    ["https://127.0.0.1/in", /not on the public internet/]
  ] as const) {
    const { error } = yield* posted(client, "/v1/webhook-endpoints", endpointBody(url), 400)
    assert.strictEqual(error.code, "url_not_allowed")
    assert.match(error.message, why)
  }
})

const OwnRateLimit = Effect.fnUntraced(function* (program: string) {
  const settings = yield* ownDatabase
  const service = yield* running(program, settings)
  const client = service.client()
  const first = yield* client.get("/v1/account")
  const account = first.json.id
  assert.strictEqual(first.headers.get("ratelimit-policy"), '"default";q=1000;w=5')
  // A minute may end during these requests: of 130 requests, more than 60 fall into the same minute.
  const answers = yield* Effect.replicateEffect(client.get("/v1/account"), 130)
  const refused = answers.find(({ status }) => status === 429)
  assert.strictEqual(refused?.json.error.code, "rate_limited", "a small account")
  assert.strictEqual(refused?.headers.get("ratelimit-policy"), '"small";q=60;w=60')
  assert.match(refused?.headers.get("retry-after") ?? "", /^\d+$/)
  yield* service.signal("SIGTERM")
  yield* service.ended

  const larger = yield* running(program, { ...settings, LARGE_ACCOUNTS: account })
  const large = makeClient(larger.url, client.apiKey)
  const all = yield* Effect.replicateEffect(large.get("/v1/account"), 130)
  assert.deepStrictEqual([...new Set(all.map(({ status }) => status))], [200], "a large account")
})

const form = { company: "Panadería", email: "pan@example.com", tax_number: "800197268", check_digit: "4" }

/**
 * Sends the head of a request, and half of its body after the service has started to handle it.
 * Returns the effect that sends the rest, and the wait for a response.
 */
const halfSent = Effect.fnUntraced(function* (service: ServiceProcess, body: string) {
  const socket = Net.connect(Number(new URL(service.url).port), "127.0.0.1")
  yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
  let received = ""
  socket.on("data", (chunk: Buffer) => (received += chunk.toString())).on("error", () => {})
  const head = ["POST /own/sign-up HTTP/1.1", "Host: own", "Authorization: Bearer of the shop", "Expect: 100-continue"]
  const ofBody = ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]
  socket.write([...head, ...ofBody, "", ""].join("\r\n"))
  const comes = (status: number) =>
    until(
      Effect.sync(() => received),
      (text) => text.includes(`HTTP/1.1 ${status} `)
    )
  yield* comes(100)
  socket.write(body.slice(0, 20))
  const end = Effect.sync(() => socket.write(body.slice(20)))
  return { end, comes }
})

const OwnRoutes = Effect.fnUntraced(function* (program: string) {
  const limits = { RATE_LIMIT: "1", RATE_LIMIT_BURST: "10" }
  const service = yield* running(program, { ...(yield* ownDatabase), ...limits, SHOP_TOKEN: "of the shop" })
  const shop = makeClient(service.url, "of the shop")
  const made = yield* posted(shop, "/own/sign-up", form)
  const customer = makeClient(service.url, made.key)
  assert.strictEqual((yield* customer.get("/v1/account")).json.id, made.account)
  assert.strictEqual((yield* settled(customer, yield* issued(customer))).status, "accepted_by_authority")
  // On a slow machine, the wait for the outcome uses up the key's requests of the next seconds.
  const read = (path: string) => until(customer.get(path), ({ status }) => status !== 429)
  assert.strictEqual((yield* read(made.customer)).status, 200, "made by a call inside the process")
  const { data } = (yield* read("/v1/api-keys")).json
  assert.deepStrictEqual(data.map(({ name }: { readonly name: string | null }) => name).toSorted(), ["LocalApi", null])

  const wrong = yield* posted(shop, "/own/sign-up", { ...form, check_digit: "5" }, 400)
  assert.strictEqual(wrong.error.errors[0].rule, "FAJ24b")
  const stranger = yield* posted(makeClient(service.url, "of a stranger"), "/own/sign-up", form, 401)
  assert.strictEqual(stranger.error.code, "invalid_api_key")
  // The service finishes a started request to the team's own route before it stops.
  const begun = yield* halfSent(service, JSON.stringify(form))
  const answers = yield* Effect.replicateEffect(shop.post("/own/sign-up", {}), 15)
  assert.include(
    answers.map(({ status }) => status),
    429,
    "limited by address"
  )
  yield* service.signal("SIGTERM")
  yield* until(service.ready, (status) => status !== 200)
  yield* begun.end
  yield* begun.comes(201)
  assert.deepStrictEqual(yield* service.ended, { code: 0, signal: null })
})

const syldavian = (number: string) => ({ ...customerBody(), identification: { type: "31", number } })

const OwnCountry = Effect.fnUntraced(function* (program: string) {
  const office = yield* taxOffice
  const settings = { ...(yield* ownDatabase), TAX_OFFICE_URL: office.url }
  const service = yield* running(program, settings)
  const client = service.client()
  const syk = { currency: "SYK" }

  const customer = yield* posted(client, "/v1/customers", syldavian("123"), 400)
  assert.strictEqual(customer.error.errors[0].rule, "S-1")
  const { id } = yield* posted(client, "/v1/customers", syldavian("20000006"))
  const pesos = yield* posted(client, "/v1/invoices", invoiceBody(id), 400)
  assert.strictEqual(pesos.error.errors[0].rule, "S-2")

  const first = yield* issued(client, syldavian("20000006"), syk)
  const second = yield* issued(client, syldavian(unknownBuyer), syk)
  // When the kill happens, both documents have their tickets and at least one status query without a verdict.
  yield* until(
    Effect.sync(() => [...office.documents.values()].map(({ asked }) => asked)),
    (times) => times.length === 2 && times.every((asked) => asked > 0)
  )
  yield* service.signal("SIGKILL")
  yield* service.ended
  office.state.open = true
  yield* service.start()
  // The next status query may be up to five minutes away: the waits double, and a busy machine has sent more queries.
  yield* posted(client, "/v1/test-helpers/advance", { seconds: 300 }, 200)

  const invoice = yield* settled(client, first)
  assert.deepInclude(invoice, { status: "accepted_by_authority", full_number: "KLOW-00000001", currency: "SYK" })
  assert.isTrue(isCode(invoice.cufe), invoice.cufe)
  assert.strictEqual(invoice.qr_url, `https://tax.syldavia.test/documents/${invoice.cufe}`)
  const rejected = yield* settled(client, second)
  assert.deepInclude(rejected, { status: "rejected_by_authority", full_number: "KLOW-00000002" })
  assert.deepInclude(rejected.authority_errors[0], { rule: "S-9", message: "The buyer is not in the register." })
  assert.deepStrictEqual(
    [...office.documents.values()].map(({ times }) => times),
    [1, 1],
    "submitted once"
  )

  const signed = yield* client.get(`${first}/xml`)
  assert.strictEqual(signed.text, office.documents.get(invoice.cufe)?.bytes)
  assert.deepInclude(readJws(signed.text), { full_number: "KLOW-00000001", cufe: invoice.cufe, currency: "SYK" })
  const pdf = yield* client.get(`${first}/pdf`)
  assert.match(pdf.text, /^%PDF-/)
  const note = yield* posted(client, "/v1/credit-notes", noteBody(invoice.id), 202)
  const correction = yield* settled(client, `/v1/credit-notes/${note.id}`)
  assert.deepInclude(correction, { status: "accepted_by_authority", full_number: "NC-00000001" })
})

/** The programs of test/examples that a team starts, with the check of each. */
export const exampleRuns = {
  "test/examples/Unchanged.ts": Unchanged,
  "test/examples/OwnMailer.ts": OwnMailer,
  "test/examples/OwnWebhookSender.ts": OwnWebhookSender,
  "test/examples/OwnDocumentFiles.ts": OwnDocumentFiles,
  "test/examples/OwnEgressGuard.ts": OwnEgressGuard,
  "test/examples/OwnRateLimit.ts": OwnRateLimit,
  "test/examples/OwnRoutes.ts": OwnRoutes,
  "test/examples/OwnCountry.ts": OwnCountry,
  "test/examples/OwnProgram.ts": OwnProgram,
  "test/examples/OwnRemoteSigner.ts": OwnRemoteSigner,
  "test/examples/OwnHardwareKeys.ts": OwnHardwareKeys
}
