import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../../schemas/Id.ts"
import { filePath, linkKey, signedPath } from "../../../src/domain/requests/FileLink.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { pdfPages } from "../../support/PdfText.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

const pathOf = (link: unknown) => {
  const { pathname, search } = new URL(String(link))
  return pathname + search
}

describeLive(TestApp.layer())("The files of a document", (it) => {
  it.effect("are those of its row, for its own account and mode", function* () {
    const sql = yield* SqlClient.SqlClient
    const { accountId, client, url } = yield* TestApp.TestApp
    const customer = yield* TestApp.newCustomer(client)
    const made = yield* client.post("/v1/invoices", invoiceBody(customer), { key: "with files" })
    const id = String(made.json["id"])
    const invoice = yield* until(
      Effect.map(client.get(`/v1/invoices/${id}`), ({ json }) => json),
      ({ status }) => status === "accepted_by_authority"
    )

    const open = Effect.fnUntraced(function* (path: string) {
      const response = yield* Effect.promise(() => fetch(url + path))
      return { response, bytes: new Uint8Array(yield* Effect.promise(() => response.arrayBuffer())) }
    })
    const pdf = yield* open(pathOf(invoice["pdf_url"]))
    assert.strictEqual(pdf.response.status, 200)
    const text = pdfPages(pdf.bytes)
      .flat()
      .map((printed) => printed.text)
      .join("\n")
    for (const said of [invoice["full_number"], invoice["cufe"], "Consultoría", "Resolución DIAN No. 18760000001"]) {
      assert.include(text, String(said))
    }

    const xml = yield* open(pathOf(invoice["xml_url"]))
    const [stored] = yield* sql<{ signed: Uint8Array }>`select signed from invoice_documents where invoice_id = ${id}`
    assert.isTrue(Buffer.from(xml.bytes).equals(stored?.signed ?? new Uint8Array()))

    // Signed by this very service, but for somebody else: the row is not his.
    const key = linkKey(new Uint8Array(32).fill(7))
    const expires = Math.floor(Date.now() / 1_000) + 60
    const forWhom = { account_id: accountId, livemode: false, path: filePath(id, "pdf"), expires }
    assert.strictEqual((yield* open(signedPath(forWhom, key))).response.status, 200)
    for (const other of [
      { ...forWhom, livemode: true },
      { ...forWhom, account_id: AccountId.make(`ten_${"b".repeat(26)}`) }
    ]) {
      assert.strictEqual((yield* open(signedPath(other, key))).response.status, 404)
    }
  })
})
