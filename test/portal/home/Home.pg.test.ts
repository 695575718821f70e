import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { apiKeyIds, otherAccount, testMode } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { addCustomer, addEndpoint, addInvoice, change } from "../../support/apps/PostgresRows.ts"
import { visitor } from "../../support/portal/Visitor.ts"
import { en } from "../../support/portal/Words.ts"
import { localDate } from "../../../src/runtime/AuthorityTime.ts"
import { statusWords } from "../../../src/portal/frame/DocumentWords.ts"
import { describeLive } from "../../support/Tests.ts"

const home = "/portal"
const inWords = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" })

const textOf = (page: string) =>
  page
    .replaceAll(/<(head|footer|header)\b[^]*?<\/\1>/g, " ")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")

/** A document of the account that ended in a state. */
const ended = Effect.fnUntraced(function* (state: "accepted_by_authority" | "failed") {
  const invoice = yield* addInvoice()
  if (state === "failed")
    yield* change("invoices", invoice.id, {
      state,
      failure: { code: "internal_error", message: "It failed.", retryable: true }
    })
  return invoice
})

/** The part of the first page that shows what needs attention. */
const needsIn = (page: string) => /<h2 id="needs">([^]*?)<\/section>/.exec(page)?.[1] ?? ""

describeLive(app)("the first page of a new account", (it) => {
  it.effect("shows the first steps, and no zeros", function* () {
    const person = yield* visitor()
    const page = yield* person.see(home)
    assert.strictEqual(page.status, 200)
    const text = textOf(page.text)
    assert.include(page.text, '<h2 id="first">')
    assert.include(text, "folio trigger invoice.accepted_by_authority")
    assert.notInclude(page.text, '<h2 id="latest">')
    assert.notMatch(text, /\b0\b/)
  })

  it.effect("marks completed steps", function* () {
    yield* addCustomer()
    yield* addEndpoint()
    const person = yield* visitor({ language: "es" })
    const text = textOf((yield* person.see(home)).text)
    assert.strictEqual(text.split("Listo").length, 3)
  })
})

describeLive(app)("the first page of an account at work", (it) => {
  it.effect("reports that all is well, today's figures, and the newest documents", function* () {
    const row = yield* ended("accepted_by_authority")
    const person = yield* visitor()
    const page = yield* person.see(home)
    const text = textOf(page.text)
    const today = localDate(Date.now())
    for (const words of [
      `1 ${statusWords(en, "accepted_by_authority")}`,
      inWords.format(new Date(today)),
      row.full_number
    ]) {
      assert.include(text, words)
    }
    assert.include(page.text, `portal/documents/${row.id}"`)
    assert.include(page.text, `status=accepted_by_authority&amp;from=${today}&amp;to=${today}`)
    assert.include(needsIn(page.text), 'class="state ok"')
    assert.notInclude(page.text, " style=")
  })

  it.effect("reports a failed document, with a link to it", function* () {
    const row = yield* ended("failed")
    const person = yield* visitor()
    const page = yield* person.see(home)
    assert.include(needsIn(page.text), row.full_number)
    assert.include(page.text, `documents/${row.id}"`)
    assert.notInclude(needsIn(page.text), 'class="state ok"')
  })

  it.effect("shows foreign content as text", function* () {
    const { id } = yield* ended("accepted_by_authority")
    const hostile = `<img src=x onerror="alert(1)">`
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ acquirer: object }>`select acquirer from invoices where id = ${id}`
    yield* change("invoices", id, { acquirer: { ...row?.acquirer, legal_name: hostile } })
    yield* change("webhook_endpoints", yield* addEndpoint(), {
      url: `javascript:${hostile}`,
      failing_since: new Date(0)
    })
    const person = yield* visitor()
    const { text } = yield* person.see(home)
    assert.notInclude(text, "<img")
    assert.notMatch(text, /href="javascript:/)
    assert.include(text, "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;")
  })

  it.effect("shows another account nothing of it, and shows the live mode its remaining steps", function* () {
    const row = yield* ended("failed")
    const stranger = yield* visitor({
      account: { account_id: otherAccount, livemode: false },
      apiKeyId: apiKeyIds.otherAccount
    })
    assert.notInclude((yield* stranger.see(home)).text, row.full_number)
    const live = yield* visitor({ account: { ...testMode, livemode: true }, apiKeyId: apiKeyIds.live })
    const page = yield* live.see(home)
    assert.strictEqual(page.status, 200)
    assert.notInclude(page.text, row.full_number)
    assert.notInclude(page.text, "portal/bench")
  })

  it.effect("needs only the capability `view`", function* () {
    const person = yield* visitor({ capabilities: ["view"] })
    assert.strictEqual((yield* person.see(home)).status, 200)
  })
})
