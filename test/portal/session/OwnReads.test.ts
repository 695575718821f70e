import { assert } from "@effect/vitest"
import { Effect, Latch } from "effect"
import { Capability } from "../../../schemas/PortalSession.ts"
import { layer as app, limitedTo } from "../../support/apps/MemoryApp.ts"
import { atCalls, atNoCalls } from "../../support/memory/Calls.ts"
import { formOf, visitor } from "../../support/portal/Visitor.ts"
import { describeOn } from "../../support/Tests.ts"
import { customerNamed, invoiceOf } from "../documents/Rows.ts"

const buyer = "Comercial Andina S.A.S."

describeOn(app)("a session without the capability view", (it) => {
  it.effect("reads nothing, on no page and in no file", function* () {
    const invoice = yield* invoiceOf(yield* customerNamed(buyer))
    const able = yield* visitor()
    const blind = yield* visitor({ capabilities: Capability.literals.filter((one) => one !== "view") })
    const document = `/portal/documents/${invoice.id}`
    for (const path of [
      "/portal",
      "/portal/documents",
      `/portal/documents?q=${invoice.full_number}`,
      "/portal/documents?status=draft",
      "/portal/documents/export.csv",
      `/portal/documents/export.csv?id=${invoice.id}`,
      "/portal/documents/export.zip",
      document,
      `${document}/pdf`,
      `${document}/xml`,
      `${document}/qr.svg`,
      "/portal/customers",
      "/portal/events",
      "/portal/endpoints",
      "/portal/requests",
      "/portal/setup",
      "/portal/setup/keys",
      "/portal/setup/sessions",
      "/portal/bench"
    ]) {
      assert.include([200, 303], (yield* able.see(path)).status, path)
      const refused = yield* blind.see(path)
      assert.strictEqual(refused.status, 403, path)
      assert.match(refused.headers.get("content-type") ?? "", /^text\/html/, path)
      for (const secret of [buyer, invoice.id, invoice.full_number]) assert.notInclude(refused.text, secret, path)
    }
  })

  it.effect("learns nothing of the endpoints by the signature debugger", function* () {
    const blind = yield* visitor({ capabilities: ["deliver", "setup"] })
    const { csrf = "" } = formOf((yield* blind.see("/portal/nowhere/at-all")).text, "/portal/leave")
    const body = new URLSearchParams({ csrf, body: "{}", headers: "Svc-Signature: t=1,v1=00", secret: "", at: "" })
    assert.strictEqual((yield* blind.post("/portal/bench/signature", body)).status, 403)
  })
})

describeOn(app)("files that are exported", (it) => {
  it.effect("are made one at a time of an account, while others wait or are sent away", function* () {
    const person = yield* visitor()
    const allHaveCome = Latch.makeUnsafe()
    let [now, most, refused] = [0, 0, 0]
    const looking = Effect.gen(function* () {
      most = Math.max(most, ++now)
      yield* allHaveCome.await
      now--
    })
    yield* atCalls("Invoices.listAll", looking)
    const files = Array.from(
      { length: 30 },
      (_, index) => `/portal/documents/export.${index % 2 === 0 ? "csv" : "zip"}`
    )
    // One is at work, and eight wait.
    const turns = 9
    const seen = yield* Effect.forEach(
      files,
      (file) =>
        Effect.tap(person.see(file), ({ status }) =>
          status === 429 && ++refused === files.length - turns ? allHaveCome.open : Effect.void
        ),
      { concurrency: "unbounded" }
    )
    yield* atNoCalls
    assert.strictEqual(most, 1)
    assert.deepStrictEqual(new Set(seen.map(({ status }) => status)), new Set([200, 429]))
    assert.strictEqual(seen.filter(({ status }) => status === 200).length, turns)
  })
})

describeOn(limitedTo({ perSecond: 1, burst: 12 }))("what pages read without the API", (it) => {
  it.effect("counts as requests of the session's key", function* () {
    const person = yield* visitor()
    const seen: Array<number> = []
    for (let count = 0; count < 16; count++) seen.push((yield* person.see("/portal/documents/export.csv")).status)
    assert.strictEqual(seen[0], 200)
    assert.strictEqual(seen.at(-1), 429)
  })
})

describeOn(limitedTo({ perSecond: 1, burst: 12 }))("a form", (it) => {
  it.effect(
    "is counted as a request of the session's key before it is read, be it one of the session's own or not",
    function* () {
      const person = yield* visitor()
      const seen: Array<number> = []
      for (let count = 0; count < 16; count++) {
        seen.push((yield* person.post("/portal/customers/new", new URLSearchParams({ csrf: "forged" }))).status)
      }
      assert.deepStrictEqual([seen[0], seen.at(-1)], [403, 429])
    }
  )
})
