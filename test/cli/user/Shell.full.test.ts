import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { customerBody, endpointBody, invoiceBody, noteBody, scripted } from "../../support/apps/Invoices.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { freePort } from "../../support/processes/ServiceProcess.ts"
import { describeLive } from "../../support/Tests.ts"
import { app, directory, envOf, Hook, jsonLines, row, rows, run } from "./ShellService.ts"
import { type Ended, folio, folioInTerminal, hasTerminals } from "./Spawned.ts"

/* Each command as a process of its own, against a service on a real database. */

const assertRefused = ({ code, error, out }: Ended, wanted: string) => {
  assert.deepStrictEqual({ code, out }, { code: 1, out: "" })
  const body = JSON.parse(error)
  assert.strictEqual(body.error.code, wanted)
  assert.include(body.error.doc_url, `/docs/errors/${wanted}`)
}

const file = (name: string, content: unknown) => {
  Fs.writeFileSync(Path.join(directory, name), JSON.stringify(content))
  return name
}

const newInvoice = Effect.fnUntraced(function* (number?: string) {
  const { client } = yield* TestApp.TestApp
  const customer = yield* TestApp.newCustomer(client, number)
  return { customer, order: file(`order-${number ?? "accepted"}.json`, invoiceBody(customer, { order: "4711" })) }
})

describeLive(app)("the CLI", (it) => {
  it.effect("drives an invoice from its draft to its annulment", function* () {
    const { customer, order } = yield* newInvoice()
    assert.isTrue((yield* row(["invoices", "validate", "-f", order])).valid)
    const wrong = JSON.stringify({ ...invoiceBody(customer), currency: "XXX" })
    const refused = yield* run(["invoices", "validate", "-f", "-"], { input: wrong })
    assert.strictEqual(refused.code, 1)
    assert.isFalse(jsonLines(refused.out)[0].valid)

    const invoice = yield* row(["invoices", "create", "-f", order, "--wait", "--idempotency-key", "order-4711"])
    assert.strictEqual(invoice.status, "accepted_by_authority")
    const again = yield* row(["invoices", "create", "-f", order, "--idempotency-key", "order-4711"])
    assert.strictEqual(again.id, invoice.id)

    const number: string = invoice.full_number
    assert.strictEqual((yield* row(["invoices", "get", number])).id, invoice.id)
    assert.strictEqual((yield* row(["invoices", "get", invoice.id])).full_number, number)
    const listed = yield* rows([
      "invoices",
      "list",
      "--customer",
      customer,
      "--status",
      "accepted_by_authority",
      "--since",
      "10m"
    ])
    assert.deepStrictEqual(
      listed.map(({ id }) => id),
      [invoice.id]
    )
    const happened = yield* rows(["invoices", "timeline", number])
    assert.includeMembers(
      happened.map(({ type }) => type),
      ["transition", "event"]
    )

    const pdf = yield* row(["invoices", "pdf", number])
    assert.deepStrictEqual(pdf.file, `${number}.pdf`)
    assert.strictEqual(Fs.readFileSync(Path.join(directory, pdf.file), "latin1").slice(0, 5), "%PDF-")
    const xml = yield* run(["invoices", "xml", invoice.id, "-o", "-"])
    assert.match(xml.out, /^<(\?xml|Invoice )/)
    const opened = yield* row(["open", number])
    assert.strictEqual(Fs.statSync(opened.file).mode & 0o777, 0o600)
    assert.strictEqual(Fs.statSync(Path.dirname(opened.file)).mode & 0o777, 0o700)
    Fs.rmSync(Path.dirname(opened.file), { recursive: true })

    assert.strictEqual((yield* row(["invoices", "email", number, "--to", "a@example.com"])).to, "a@example.com")
    assertRefused(yield* run(["invoices", "cancel", number]), "invoice_not_cancelable")
    assertRefused(yield* run(["invoices", "retry", invoice.id]), "invoice_not_retryable")

    const debit = yield* row(["debit-notes", "create", "-f", file("debit.json", noteBody(invoice.id)), "--wait"])
    assert.strictEqual(debit.status, "accepted_by_authority")
    const note = yield* row(["invoices", "annul", number, "--reason", "Pedido cancelado", "--wait"])
    assert.deepStrictEqual([note.object, note.invoice_id], ["credit_note", invoice.id])
    assert.strictEqual((yield* row(["credit-notes", "get", note.full_number])).id, note.id)
    assert.lengthOf(yield* rows(["credit-notes", "list", "--invoice", invoice.id]), 1)
    const other = yield* run(["invoices", "get", note.id])
    assert.strictEqual(other.code, 2)
    assert.include(other.error, "folio credit-notes")
  })

  it.effect("exits with 1 if the authority rejects the awaited document, and shows the reason", function* () {
    const { order } = yield* newInvoice(scripted.rejected)
    const { code, error, out } = yield* run(["invoices", "create", "-f", order, "--wait"])
    assert.strictEqual(code, 1)
    const [invoice] = jsonLines(out)
    assert.strictEqual(invoice.status, "rejected_by_authority")
    assert.include(error, invoice.authority_errors[0].rule)
    const absent = yield* run(["invoices", "get", "NOPE1"])
    assert.deepStrictEqual([absent.code, absent.out], [1, ""])
  })

  it.effect("manages customers", function* () {
    const made = yield* row(["customers", "create", "-f", "-"], { input: JSON.stringify(customerBody("900000005")) })
    const change = { input: '{"email": "nueva@example.com"}' }
    assert.strictEqual((yield* row(["customers", "update", made.id, "-f", "-"], change)).email, "nueva@example.com")
    assert.strictEqual((yield* row(["customers", "get", made.id])).email, "nueva@example.com")
    assert.include(
      (yield* rows(["customers", "list", "--all"])).map(({ id }) => id),
      made.id
    )
    for (const words of [
      ["--identification", "31-900000005"],
      ["--email", "NUEVA@example.com", "--name", made.legal_name.slice(2, 9).toUpperCase()]
    ]) {
      const found = yield* rows(["customers", "find", ...words])
      assert.include(
        found.map(({ id }) => id),
        made.id
      )
    }
    assert.deepStrictEqual(yield* rows(["customers", "find", "--email", "missing@example.com"]), [])
    assert.strictEqual((yield* run(["customers", "find"])).code, 2)
    assert.isTrue((yield* row(["customers", "delete", made.id])).deleted)
    assertRefused(yield* run(["customers", "get", made.id]), "resource_missing")
  })

  it.effect("follows events, shows their bytes, repeats deliveries, and recovers an endpoint", function* () {
    const { client } = yield* TestApp.TestApp
    const hook = yield* Hook
    const { json: endpoint } = yield* client.post("/v1/webhook-endpoints", endpointBody(hook.url("/hook")), {
      key: "hook"
    })
    const { order } = yield* newInvoice()
    const invoice = yield* row(["invoices", "create", "-f", order, "--wait"])
    const [delivered] = yield* until(
      Effect.sync(() => hook.received.filter(({ answered }) => answered === 200)),
      (all) => all.length > 0
    )
    assert.isDefined(delivered)

    const tail = ["events", "tail", "--since", "10m", "--events", "invoice.acc*", "--object", invoice.id]
    const event = yield* row([...tail, "--limit", "1"])
    assert.strictEqual(event.data.object.id, invoice.id)
    const shown = yield* run(["events", "get", event.id])
    assert.strictEqual(shown.out, delivered?.body)

    const headers = ["svc-signature", "webhook-id", "webhook-timestamp", "webhook-signature"].flatMap((name) => [
      "--header",
      `${name}: ${delivered?.headers[name]}`
    ])
    const verify = ["webhooks", "verify", "--secret", endpoint.secret, ...headers]
    assert.isTrue((yield* row(verify, { input: shown.out })).valid)
    const changed = yield* run(verify, { input: JSON.stringify(JSON.parse(shown.out), null, 2) })
    assert.strictEqual(changed.code, 1)
    assert.strictEqual(jsonLines(changed.out)[0].faults[0].code, "body_reserialized")

    const before = hook.received.length
    assert.lengthOf(yield* rows(["events", "resend", event.id]), 1)
    yield* until(
      Effect.sync(() => hook.received.length),
      (count) => count > before
    )
    assert.deepStrictEqual(
      (yield* rows(["deliveries", "--endpoint", endpoint.id])).map(({ event_id }) => event_id),
      [event.id]
    )
    assert.lengthOf(yield* rows(["deliveries", "--failed"]), 0)
    assert.lengthOf(yield* rows(["deliveries", "--event", event.id]), 1)
    assert.strictEqual((yield* row(["recover", endpoint.id, "--since", "2h"])).webhook_endpoint_id, endpoint.id)
    const nothing = yield* run(["events", "tail", "--events", "invoise.*"])
    assert.strictEqual(nothing.code, 2)
  })

  it.effect("prints the address of a page or an object, and sends a custom request", function* () {
    const { url } = yield* TestApp.TestApp
    assert.strictEqual((yield* row(["open", "idempotency_conflict"])).url, `${url}/docs/errors/idempotency_conflict`)
    const id = `evt_${"0".repeat(26)}`
    assert.strictEqual((yield* row(["open", id])).url, `${url}/v1/events/${id}`)
    assert.strictEqual((yield* row(["api", "GET", "/v1/account"])).object, "account")
    assertRefused(yield* run(["api", "GET", "/v1/nothing"]), "route_not_found")
  })

  it.effect("exits with 3 without a response, and with 2 without a key", function* () {
    const url = `http://127.0.0.1:${yield* freePort}`
    const away = yield* run(["customers", "list"], { env: { FOLIO_URL: url } })
    assert.deepStrictEqual([away.code, away.out], [3, ""])
    assert.include(away.error, `folio: ${url} doesn't respond (ECONNREFUSED).`)
    const data = Path.join(directory, "data")
    Fs.mkdirSync(data)
    Fs.writeFileSync(Path.join(data, "test-key"), "sk_test_beside")
    // The key next to a service on this machine is for no other service.
    const env = { HOME: directory, FOLIO_URL: "http://folio.example" }
    const keyless = yield* folio(["customers", "list"], { env, cwd: directory })
    assert.deepStrictEqual([keyless.code, keyless.out], [2, ""])
  })

  it.effect("saves a profile that only its owner can read, and accepts no key as an argument", function* () {
    const { apiKey, url } = yield* TestApp.TestApp
    const env = { HOME: directory }
    const own = (words: ReadonlyArray<string>, input = "") => folio(words, { cwd: directory, env, input })
    const asArgument = yield* own(["login", "--url", url, "--key", apiKey])
    assert.strictEqual(asArgument.code, 2)
    assert.strictEqual((yield* own(["login", "--url", url], "sk_test_nobody\n")).code, 1)
    const kept = yield* own(["login", "--url", url], `${apiKey}\n`)
    assert.strictEqual(kept.code, 0, kept.error)
    assert.notInclude(kept.out + kept.error, apiKey)
    const { profile } = JSON.parse(kept.out)
    assert.strictEqual(Fs.statSync(profile).mode & 0o777, 0o600)
    assert.strictEqual((yield* own(["customers", "list", "--limit", "1"])).code, 0)
    Fs.chmodSync(profile, 0o644)
    const open = yield* own(["customers", "list"])
    assert.strictEqual(open.code, 2)
    assert.include(open.error, "chmod 600")
  })

  it.effect("changes nothing with a live key without a confirmation", function* () {
    const { withNewKey } = yield* TestApp.TestApp
    const live = yield* withNewKey("live")
    const env = { FOLIO_API_KEY: live.apiKey }
    const words = ["customers", "create", "-f", file("customer.json", customerBody("900000003"))]
    const count = Effect.map(live.get("/v1/customers"), ({ json }) => json.data.length)
    const asked = yield* run(words, { env })
    assert.strictEqual(asked.code, 2)
    assert.match(asked.error, /LIVE.*--yes/)
    assert.strictEqual(yield* count, 0)
    assert.strictEqual((yield* run([...words, "--yes"], { env })).code, 0)
    assert.strictEqual(yield* count, 1)
    if (!hasTerminals) return
    const all = { cwd: directory, env: { ...(yield* envOf), ...env } }
    const denied = yield* folioInTerminal(words, [["LIVE", "n"]], all)
    assert.deepStrictEqual([denied.code, yield* count], [1, 1], denied.out)
    const allowed = yield* folioInTerminal([...words, "--idempotency-key", "k"], [["LIVE", "y"]], all)
    assert.deepStrictEqual([allowed.code, yield* count], [0, 2], allowed.out)
  })
})
