import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { checkDigit } from "../../../src/documents/rules/parties/CheckDigit.ts"
import * as AuthorityLive from "../../../src/invoices/authority/AuthorityLive.ts"
import * as AuthoritySandbox from "../../../src/invoices/authority/AuthoritySandbox.ts"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { keyFile, softwareSettings } from "../../support/authority/LiveAccounts.ts"
import { eventsAnswer } from "../../support/authority/StandInEvents.ts"
import { grantedRange, rangesAnswer, standInAuthority } from "../../support/authority/StandInAuthority.ts"
import { describeLive } from "../../support/Tests.ts"

const readCufe = (signed: Uint8Array) => readSignedDocument(signed)?.cufe ?? null

class World extends Context.Service<World, { readonly service: Effect.Success<ReturnType<typeof standInAuthority>> }>()(
  "test/World"
) {}

/** The service, and an authority for live documents. */
const world = Layer.unwrap(
  Effect.gen(function* () {
    const service = yield* standInAuthority({ readCufe })
    const software = { provider: { number: "900373115" }, id: softwareSettings.SOFTWARE_ID }
    const authority = AuthorityLive.layerByMode({
      test: AuthoritySandbox.layer({ read: readSignedDocument, latency: 0 }),
      live: AuthorityLive.layer({ url: service.url, software, readCufe })
    })
    return Layer.merge(TestApp.layer({ authority }), Layer.succeed(World, { service }))
  })
)

const { password, pkcs12 } = keyFile()
const buyer = {
  ...customerBody(),
  identification: { type: "31", number: "800197268", check_digit: checkDigit("800197268") }
}
const credit = { payment_means: { code: "31", type: "2", due_date: "2099-12-31" } }

const hour = 3_600
const isLater = (seconds: number, from: number, to: number) =>
  assert.isTrue(seconds > from - 60 && seconds <= to, `${seconds} s`)

describeLive(world)("The buyer's acceptance of a live invoice", (it) => {
  it.effect("comes from the authority after any earlier answers", function* () {
    const { withNewKey } = yield* TestApp.TestApp
    const { service } = yield* World
    const sql = yield* SqlClient.SqlClient
    const live = yield* withNewKey("live")
    service.answerTo("GetNumberingRange", rangesAnswer([grantedRange]))
    yield* live.post("/v1/account/certificate", { pkcs12, password })
    yield* live.post("/v1/resolutions/import", undefined, { key: "import" })
    const made = yield* live.post("/v1/customers", buyer, { key: "customer" })
    const body = { ...invoiceBody(String(made.json.id)), ...credit }
    const { json: draft } = yield* live.post("/v1/invoices", body, { key: "invoice" })
    const path = `/v1/invoices/${draft.id}`
    const { json: invoice } = yield* until(live.get(path), ({ json }) => json.status === "accepted_by_authority")
    assert.strictEqual(invoice.acceptance.status, "pending")

    const asked = () => service.calls.filter(({ operation }) => operation === "GetStatusEvent")
    /** Queries the authority again, and returns the seconds until the next query. */
    const ask = Effect.gen(function* () {
      const before = asked().length
      yield* sql`update acceptances set next_question_at = now()`
      const [row] = yield* until(
        sql<{
          seconds: number
        }>`select extract(epoch from next_question_at - now())::float8 as seconds from acceptances`,
        ([one]) => asked().length > before && (one?.seconds ?? 0) > 1_000
      )
      return row?.seconds ?? 0
    })
    // After no answer, or an answer for another document, the next query is in an hour. After no event, or an
    // unreadable answer, it is in a day.
    for (const answer of [
      { _tag: "Raw", status: 503, type: "text/plain", text: "" },
      { _tag: "Dian", response: eventsAnswer("cd".repeat(48), [{ code: "033", date: "2026-11-24" }]) }
    ] as const) {
      service.answerTo("GetStatusEvent", answer)
      isLater(yield* ask, 0.75 * hour, 1.25 * hour)
    }
    // A fault that blames the sender must be fixed by the sender's account, so the next query is a day later.
    const xml = "<s:Fault><s:Code><s:Value>s:Sender</s:Value></s:Code></s:Fault>"
    service.answerTo("GetStatusEvent", { _tag: "Body", xml, status: 500 })
    isLater(yield* ask, 15 * hour, 25 * hour)
    for (const response of [
      eventsAnswer(invoice.cufe, []),
      eventsAnswer(
        invoice.cufe,
        [{ code: "033", date: "2026-11-24" }],
        '<!DOCTYPE a [<!ENTITY b "c">]><ApplicationResponse/>'
      )
    ]) {
      service.answerTo("GetStatusEvent", { _tag: "Dian", response })
      isLater(yield* ask, 23 * hour, 24 * hour)
    }
    // The links of an invoice change with the time, so they are not compared.
    const { acceptance, status, version } = (yield* live.get(path)).json
    assert.deepStrictEqual(
      { acceptance, status, version },
      { acceptance: invoice.acceptance, status: invoice.status, version: invoice.version }
    )

    service.answerWith(() => undefined)
    service.eventsOf(invoice.cufe, [
      { code: "030", date: "2026-11-23", time: "15-12-09-05:00", by: "Compras &amp; Cía." },
      { code: "031", date: "2026-11-24", time: "08-00-00-05:00", listID: "04" }
    ])
    isLater(yield* ask, 23 * hour, 24 * hour)
    const { json: claimed } = yield* live.get(path)
    assert.deepStrictEqual(claimed.acceptance, {
      status: "claimed",
      at: "2026-11-24T08:00:00.000-05:00",
      events: [
        {
          code: "030",
          name: "Acuse de recibo de Factura Electrónica de Venta",
          name_en: "Acknowledgement of receipt of the invoice",
          by: "Compras & Cía.",
          at: "2026-11-23T15:12:09.000-05:00"
        },
        {
          code: "031",
          name: "Reclamo de la Factura Electrónica de Venta",
          name_en: "Claim against the invoice",
          by: "Cliente de Prueba S.A.S.",
          reason_code: "04",
          reason: "Servicio no prestado",
          at: "2026-11-24T08:00:00.000-05:00"
        }
      ]
    })
    assert.strictEqual(claimed.version, invoice.version)
    assert.isTrue(asked().every(({ parameters }) => parameters["trackId"] === invoice.cufe))
    const circuits = yield* sql`select name from authority_circuits where failing_since is not null`
    assert.deepStrictEqual(circuits, [])
  })
})
