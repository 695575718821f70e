import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { startOfTest } from "../../support/apps/Accounts.ts"
import { issue } from "../../support/apps/Correcting.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { baseUrl } from "../../support/apps/TestSettings.ts"
import { get, send } from "../../support/apps/Requests.ts"
import { noKey } from "../inputs/links.ts"
import { describeOn } from "../../support/Tests.ts"

/** The error code, or the status code if there is no error. */
const opens = (url: string) =>
  Effect.map(
    send({ path: url.slice(baseUrl.length), headers: noKey }),
    ({ json, status }) => json?.error.code ?? status
  )

describeOn(app)("A link", (it) => {
  it.effect("works for an hour if a response shows it, and for seven days if an event does", function* () {
    const invoice = yield* issue
    const [event] = (yield* get(`/v1/events?object_id=${invoice.id}`)).json.data
    const { object } = event.data
    assert.strictEqual(object.status, "accepted_by_authority")
    assert.deepStrictEqual([yield* opens(invoice.pdf_url), yield* opens(object.pdf_url)], [200, 200])
    yield* TestClock.adjust("59 minutes")
    assert.strictEqual(yield* opens(invoice.pdf_url), 200)
    const fresh = (yield* get(`/v1/invoices/${invoice.id}`)).json
    assert.notStrictEqual(fresh.pdf_url, invoice.pdf_url)
    yield* TestClock.adjust("2 minutes")
    assert.strictEqual(yield* opens(invoice.pdf_url), "link_expired")
    assert.strictEqual(yield* opens(invoice.xml_url), "link_expired")
    assert.deepStrictEqual([yield* opens(fresh.pdf_url), yield* opens(object.pdf_url)], [200, 200])
    const [hour, week] = [invoice, object].map(
      ({ pdf_url }) => Number(new URL(pdf_url).searchParams.get("expires")) - startOfTest / 1_000
    )
    // The links begin a second after the start. Their expiry is rounded up to the next full minute.
    assert.deepStrictEqual([hour, week], [61 * 60, 7 * 86_400 + 60])
  })
})
