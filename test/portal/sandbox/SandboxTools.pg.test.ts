import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { signatureHeaders } from "../../../src/webhooks/rules/WebhookSignature.ts"
import { SandboxAuthorities } from "../../../src/accounts/store/sandbox/SandboxAuthorities.ts"
import { apiKeyIds, otherAccount, testMode } from "../../support/apps/Accounts.ts"
import { answered, FakeReceiver } from "../../support/apps/Fakes.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { endpointBody } from "../../support/apps/Invoices.ts"
import { get, post } from "../../support/apps/Requests.ts"
import { attempted, endpointAlone, issued } from "../../support/portal/Deliveries.ts"
import { formOf, noticeOf, visitor } from "../../support/portal/Visitor.ts"
import { beside } from "../../support/portal/Forms.ts"
import { describeLive } from "../../support/Tests.ts"

const bench = "/portal/bench"
const signature = `${bench}/signature`

/** An endpoint of the account, and a webhook to it, signed at the time of the test. */
const webhook = Effect.gen(function* () {
  const { json: endpoint } = yield* post("/v1/webhook-endpoints", endpointBody("https://shop.example.com/hook"))
  const { json: second } = yield* post("/v1/webhook-endpoints", endpointBody("https://other.example.com/hook"))
  const event = yield* issued()
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = signatureHeaders({ secret: endpoint.secret, messageId: event.id, timestamp, body: event.body })
  return { endpoint, second, event, headers, svc: headers["Svc-Signature"]!, timestamp }
})

type Person = Effect.Success<ReturnType<typeof visitor>>

/** The faults that the signature debugger has found. */
const faultsIn = (page: string) => [...page.matchAll(/data-fault="(\w+)"/g)].map(([, fault]) => fault)

/** The hidden fields of a form of the sandbox tools. */
const fieldsOf = (person: Person, action: string) => Effect.map(person.see(bench), ({ text }) => formOf(text, action))

describeLive(app)("the sandbox tools", (it) => {
  it.effect("confirm a genuine webhook, and name the endpoint for which it was signed", function* () {
    const { endpoint, event, svc } = yield* webhook
    const person = yield* visitor()
    const fields = { body: event.body, headers: `Svc-Signature: ${svc}`, secret: endpoint.secret }
    for (const secret of [endpoint.secret, ""]) {
      const answer = yield* person.submit(bench, signature, { ...fields, secret })
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(faultsIn(answer.text), [])
      assert.include(answer.text, 'class="state ok"')
      assert.include(answer.text, `/portal/endpoints/${endpoint.id}"`)
      assert.include(answer.text, `/portal/events/${event.id}"`)
      assert.notInclude(answer.text, endpoint.secret)
    }
  })

  it.effect("name the fault of each wrong webhook, next to the account's own data", function* () {
    const { endpoint, event, headers, second, svc, timestamp } = yield* webhook
    const person = yield* visitor()
    const right = { body: event.body, headers: `Svc-Signature: ${svc}`, secret: endpoint.secret }
    const cases: ReadonlyArray<
      readonly [change: Partial<typeof right> & { readonly at?: string }, fault: string, shown?: string]
    > = [
      [{ secret: second.secret }, "secret_of_another", "https://other.example.com/hook"],
      [{ secret: `whsec_${"A".repeat(43)}=` }, "secret_not_current"],
      [{ body: JSON.stringify(JSON.parse(event.body), null, 2) }, "body_reserialized"],
      [{ body: event.body.replace('"version":', '"versión":') }, "body_altered", "data.object.version"],
      [{ body: `${event.body}\r\n` }, "body_final_newline"],
      [{ body: event.body.slice(0, -9) }, "body_changed"],
      [{ body: "" }, "body_empty"],
      [{ headers: `X-Signature: ${svc}` }, "header_name"],
      [{ headers: "accept: */*" }, "header_missing"],
      [
        {
          headers: `Svc-Signature: ${headers["webhook-signature"]}\r\nwebhook-id: ${event.id}\r\nwebhook-timestamp: ${timestamp}`
        },
        "header_scheme"
      ],
      [{ headers: `webhook-signature: ${headers["webhook-signature"]}` }, "header_incomplete"],
      [{ secret: `"${endpoint.secret}"` }, "secret_quoted"],
      [{ secret: ` ${endpoint.secret}` }, "secret_white_space"],
      [{ secret: endpoint.secret.slice(6) }, "secret_no_prefix"],
      [{ at: String(timestamp + 900) }, "too_old", "900 s"],
      [{ at: new Date((timestamp - 900) * 1000).toISOString() }, "in_the_future", "900 s"],
      [{ headers: svc.toUpperCase().replace("T=", "t=").replace("V1=", "v1=") }, "signature_upper_case"]
    ]
    for (const [change, fault, shown = ""] of cases) {
      const answer = yield* person.submit(bench, signature, { ...right, ...change })
      assert.strictEqual(answer.status, 200)
      assert.include(faultsIn(answer.text), fault, JSON.stringify(change))
      assert.include(answer.text, shown)
      assert.notInclude(answer.text, endpoint.secret)
      assert.notInclude(answer.text, second.secret)
    }
  })

  it.effect("recognize a secret from before a rotation", function* () {
    const { endpoint, event, headers } = yield* webhook
    const person = yield* visitor()
    yield* post(`/v1/webhook-endpoints/${endpoint.id}/rotate-secret`, undefined)
    const all = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const fields = { body: event.body, headers: all.join("\r\n"), secret: endpoint.secret }
    const answer = yield* person.submit(bench, signature, fields)
    assert.deepStrictEqual(faultsIn(answer.text), ["secret_old"])
    // A read of the log waits until the log has all earlier requests.
    yield* get("/v1/requests")
    const sql = yield* SqlClient.SqlClient
    const log = JSON.stringify(yield* sql`select * from requests`)
    assert.include(log, `${endpoint.id}/rotate-secret`)
    assert.notInclude(log, endpoint.secret)
  })

  it.effect("keep the typed values except the secret, and show what is wrong with them", function* () {
    const person = yield* visitor({ language: "es" })
    const body = `\r\n<script>alert("1")</script></textarea>`
    const secret = "whsec_typed-by-hand"
    const answer = yield* person.submit(bench, signature, { body, headers: "</textarea><b>", secret, at: "ayer" })
    assert.strictEqual(answer.status, 422)
    assert.isDefined(beside(answer.text, "at"))
    assert.include(answer.text, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&lt;/textarea&gt;")
    assert.notInclude(answer.text, "<script>alert")
    assert.notInclude(answer.text, secret)
    const long = yield* person.submit(bench, signature, { body: "x".repeat(100_001), headers: "", secret: "" })
    assert.isDefined(beside(long.text, "body"))
  })

  it.effect("know no secrets and events of another account or of the other mode", function* () {
    const { event, svc } = yield* webhook
    const stranger = yield* visitor({
      account: { account_id: otherAccount, livemode: false },
      apiKeyId: apiKeyIds.otherAccount
    })
    const fields = { body: event.body, headers: `Svc-Signature: ${svc}`, secret: "" }
    const answer = yield* stranger.submit(bench, signature, fields)
    assert.include(faultsIn(answer.text), "secret_missing")
    assert.notInclude(answer.text, `/portal/events/${event.id}"`)
    assert.notInclude((yield* stranger.see(`${bench}?event=${event.id}`)).text, "invoice.accepted")
    const own = yield* visitor()
    assert.include((yield* own.see(`${bench}?event=${event.id}`)).text, event.id)
  })

  it.effect("set, script and reset the simulated authority, each change once even if it is sent again", function* () {
    const setting = (yield* SandboxAuthorities).setting(testMode)
    const person = yield* visitor()
    const down = yield* person.submit(bench, `${bench}/authority`, { mode: "down" })
    assert.strictEqual(noticeOf(down.text), "authority")
    assert.strictEqual((yield* setting).mode, "down")
    const plan = (fields: Record<string, string>) => person.submit(bench, `${bench}/scripts`, fields)
    yield* plan({ outcome: "reject", rules: "FAD06, FAK24", delay: "" })
    yield* plan({ outcome: "lose", rules: "", delay: "5" })
    const planned = yield* plan({ outcome: "", rules: "", delay: "30" })
    assert.include(planned.text, "FAD06, FAK24")
    const next = [{ reject: ["FAD06", "FAK24"] }, { lose: true, delay: 5 }, { delay: 30 }]
    assert.deepStrictEqual((yield* setting).next as unknown, next)

    const twice = new URLSearchParams({
      ...(yield* fieldsOf(person, `${bench}/scripts`)),
      outcome: "fail",
      rules: "",
      delay: ""
    })
    for (let sent = 0; sent < 2; sent++) {
      assert.strictEqual((yield* person.post(`${bench}/scripts`, twice)).status, 200)
    }
    assert.lengthOf((yield* setting).next, 4)

    const cleared = yield* person.submit(bench, `${bench}/scripts/clear`)
    assert.strictEqual(noticeOf(cleared.text), "cleared")
    yield* person.submit(bench, `${bench}/reset`)
    assert.deepStrictEqual(yield* setting, { mode: "up", next: [] })
  })

  it.effect("show a form again with its faults", function* () {
    const person = yield* visitor()
    const refused = yield* person.submit(bench, `${bench}/scripts`, { outcome: "reject", rules: "<b>", delay: "90" })
    assert.strictEqual(refused.status, 422)
    assert.isDefined(beside(refused.text, "rules"))
    assert.include(refused.text, 'value="&lt;b&gt;"')
    assert.include(refused.text, 'value="90"')
  })

  it.effect("advance scheduled work", function* () {
    const receiver = yield* FakeReceiver
    receiver.onSend = () => Effect.succeed(answered(503))
    const { id } = yield* endpointAlone
    yield* issued()
    yield* attempted(id)
    const person = yield* visitor()
    const answer = yield* person.submit(bench, `${bench}/clock`, { seconds: "172800" })
    assert.strictEqual(noticeOf(answer.text), "clock")
    yield* attempted(id, 2)
  })

  it.effect("change nothing for a session without the capability, for any request", function* () {
    const person = yield* visitor({ capabilities: ["view"] })
    const page = yield* person.see(bench)
    assert.notInclude(page.text, `${bench}/clock`)
    const { csrf = "" } = yield* fieldsOf(person, signature)
    for (const path of ["authority", "scripts", "scripts/clear", "reset", "clock"]) {
      const fields = { csrf, once: "x", mode: "down", outcome: "fail", rules: "", delay: "", seconds: "60" }
      const answer = yield* person.post(`${bench}/${path}`, new URLSearchParams(fields))
      assert.strictEqual(answer.status, 403, path)
      const forged = yield* person.post(`${bench}/${path}`, new URLSearchParams({ ...fields, csrf: "" }))
      assert.isAbove(forged.status, 399, path)
    }
  })

  it.effect("do not exist in live mode, whose pages have no link to them", function* () {
    const live = yield* visitor({ account: { ...testMode, livemode: true }, apiKeyId: apiKeyIds.live })
    const page = yield* live.see(bench)
    assert.notInclude(page.text, "<textarea")
    assert.notInclude((yield* live.see("/portal")).text, "portal/bench")
    const { csrf = "" } = yield* fieldsOf(live, "/portal/leave")
    for (const path of ["signature", "authority", "scripts", "reset", "clock"]) {
      const answer = yield* live.post(
        `${bench}/${path}`,
        new URLSearchParams({ csrf, once: "y", mode: "down", seconds: "60" })
      )
      assert.strictEqual(answer.status, 403, path)
    }
  })
})
