import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { account, keys, otherAccount } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { baseUrl } from "../../support/apps/TestSettings.ts"
import { issue } from "../../support/apps/Correcting.ts"
import { addInvoice, addResting, become, change } from "../../support/apps/PostgresRows.ts"
import { pdfPages } from "../../support/PdfText.ts"
import { bearer, fetchBytes, get, send } from "../../support/apps/Requests.ts"
import { link, noKey } from "../inputs/links.ts"
import { describeLive } from "../../support/Tests.ts"

/** A signed invoice that no actor has sent. */
const addSigned = Effect.tap(addInvoice(), ({ id }) => become(id, "signed"))

const pathOf = (url: string) => {
  assert.isTrue(url.startsWith(`${baseUrl}/v1/`), url)
  return url.slice(baseUrl.length)
}

/** An invoice as its account sees it. */
const shown = (id: string) => Effect.map(get(`/v1/invoices/${id}`), ({ json }) => json)

/** The error code, or the status code if there is no error. */
const statusOf = (path: string, headers: Record<string, string | undefined> = noKey) =>
  Effect.map(send({ path, headers }), ({ json, status }) => json?.error.code ?? status)

const textOf = (pdf: Uint8Array) =>
  pdfPages(pdf)
    .flat()
    .map(({ text }) => text)
    .join("\n")

describeLive(app)("The files of an invoice", (it) => {
  it.effect("open with a key, or with the invoice's own link", function* () {
    const invoice = yield* issue
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{
      signed: Uint8Array
    }>`select signed from invoice_documents where invoice_id = ${invoice.id}`
    for (const sent of [
      { path: `/v1/invoices/${invoice.id}/pdf` },
      { path: pathOf(invoice.pdf_url), headers: noKey }
    ]) {
      const { bytes, headers, status } = yield* fetchBytes(sent)
      assert.strictEqual(status, 200, sent.path)
      assert.strictEqual(headers["content-type"], "application/pdf")
      assert.strictEqual(headers["content-disposition"], `inline; filename="${invoice.full_number}.pdf"`)
      assert.strictEqual(headers["cache-control"], "private, no-cache")
      assert.strictEqual(headers["x-content-type-options"], "nosniff")
      assert.strictEqual(headers["content-length"], String(bytes.length))
      const text = textOf(bytes)
      for (const said of [invoice.full_number, invoice.cufe, "Folio Sandbox S.A.S.", "Consultoría", "119.000,00"]) {
        assert.include(text, said)
      }
      assert.include(text, "Resolución DIAN No. 18760000001")
      assert.include(text, "Documento de prueba, sin validez fiscal")
    }
    for (const sent of [
      { path: `/v1/invoices/${invoice.id}/xml` },
      { path: pathOf(invoice.xml_url), headers: noKey }
    ]) {
      const { bytes, headers, status } = yield* fetchBytes(sent)
      assert.strictEqual(status, 200, sent.path)
      assert.strictEqual(headers["content-type"], "application/xml")
      assert.strictEqual(headers["content-disposition"], `attachment; filename="${invoice.full_number}.xml"`)
      assert.strictEqual(headers["x-content-type-options"], "nosniff")
      assert.isTrue(bytes.equals(row?.signed ?? new Uint8Array()), "the very bytes that were signed")
    }
  })

  it.effect("have an entity tag: a client with the same tag gets no bytes, and HEAD returns all headers", function* () {
    const { id } = yield* addSigned
    for (const file of ["pdf", "xml"]) {
      const path = `/v1/invoices/${id}/${file}`
      const first = yield* fetchBytes({ path })
      const etag = String(first.headers.etag)
      assert.match(etag, /^"[0-9a-f]{32}"$/)
      const again = yield* fetchBytes({ path, headers: { "if-none-match": `W/${etag}` } })
      assert.deepStrictEqual([again.status, again.bytes.length, again.headers.etag], [304, 0, etag])
      const other = yield* fetchBytes({ path, headers: { "if-none-match": '"other"' } })
      assert.strictEqual(other.status, 200)
      assert.isTrue(other.bytes.equals(first.bytes), "the same bytes each time")
      const head = yield* fetchBytes({ method: "HEAD", path })
      assert.deepStrictEqual([head.status, head.bytes.length], [200, 0])
      for (const name of ["content-type", "content-length", "content-disposition", "etag", "cache-control"]) {
        assert.strictEqual(head.headers[name], first.headers[name], name)
      }
    }
    const tags = yield* Effect.forEach(["pdf", "xml"], (file) => fetchBytes({ path: `/v1/invoices/${id}/${file}` }))
    assert.strictEqual(new Set(tags.map(({ headers }) => headers.etag)).size, 2)
    yield* become(id, "rejected_by_authority")
    const since = { "if-none-match": String(tags[0]?.headers.etag) }
    const rejected = yield* fetchBytes({ path: `/v1/invoices/${id}/pdf`, headers: since })
    assert.strictEqual(rejected.status, 200, "the client's copy looks valid")
    assert.include(textOf(rejected.bytes), "Rechazada por la DIAN, sin validez")
  })

  it.effect("exist from the signature on, and an earlier request gets the reason", function* () {
    const draft = yield* addResting()
    const numbered = yield* addResting("numbered")
    for (const file of ["pdf", "xml"]) {
      for (const [id, said] of [
        [draft, /^The invoice "inv_\w+" has no (PDF|XML): it is a draft at the stage queued\./],
        [numbered, /it is a draft at the stage numbered\. A document has its files once it is signed\.$/]
      ] as const) {
        const { json, status } = yield* get(`/v1/invoices/${id}/${file}`)
        assert.strictEqual(status, 404)
        assert.strictEqual(json.error.code, "resource_missing")
        assert.match(json.error.message, said)
      }
    }
    yield* become(draft, "canceled")
    const canceled = yield* get(`/v1/invoices/${draft}/pdf`)
    assert.match(canceled.json.error.message, /has no PDF: its status is canceled\./)
    const signed = yield* addSigned
    // It failed and is retried: it will be signed again.
    yield* become(signed.id, "numbered")
    assert.strictEqual((yield* get(`/v1/invoices/${signed.id}/xml`)).status, 404)
    yield* become(signed.id, "rejected_by_authority")
    assert.strictEqual((yield* fetchBytes({ path: `/v1/invoices/${signed.id}/pdf` })).status, 200)
  })

  it.effect(
    "have links from acceptance on, by the authority or in contingency; the invoice's page has one from the number on",
    function* () {
      const draft = yield* addResting()
      assert.deepInclude(yield* shown(draft), { pdf_url: null, xml_url: null, qr_url: null })
      const { id } = yield* addSigned
      for (const state of ["numbered", "signed", "submitted", "rejected_by_authority", "failed"] as const) {
        yield* become(id, state)
        const { cufe, pdf_url, qr_url, xml_url } = yield* shown(id)
        assert.deepStrictEqual([pdf_url, xml_url], [null, null], state)
        assert.strictEqual(qr_url, `https://catalogo-vpfe-hab.dian.gov.co/document/searchqr?documentkey=${cufe}`)
      }
      for (const state of ["accepted_by_authority", "accepted_contingency"] as const) {
        yield* become(id, state)
        const { pdf_url, xml_url } = yield* shown(id)
        assert.strictEqual((yield* fetchBytes({ path: pathOf(pdf_url), headers: noKey })).status, 200)
        assert.strictEqual((yield* fetchBytes({ path: pathOf(xml_url), headers: noKey })).status, 200)
        const listed = yield* get("/v1/invoices?limit=1")
        assert.strictEqual(listed.json.data[0].pdf_url, pdf_url)
      }
    }
  )

  it.effect("exclude those of a note", function* () {
    const { id } = yield* addSigned
    yield* change("invoices", id, { kind: "credit_note", correction_code: "1", reason: "Error", invoice_id: id })
    for (const file of ["pdf", "xml"]) {
      const { json, status } = yield* get(`/v1/invoices/${id}/${file}`)
      assert.strictEqual(status, 404)
      assert.match(json.error.message, /^There is no invoice "inv_/)
    }
  })

  it.effect("show the issuer from the time of the invoice's number", function* () {
    const { id } = yield* addSigned
    const path = `/v1/invoices/${id}/pdf`
    const before = yield* fetchBytes({ path })
    const body = { legal_name: "Nombre Nuevo S.A.S." }
    assert.strictEqual((yield* send({ method: "PATCH", path: "/v1/account", body })).status, 200)
    const after = yield* fetchBytes({ path })
    assert.isTrue(after.bytes.equals(before.bytes))
    assert.strictEqual(after.headers.etag, before.headers.etag)
  })

  it.effect("open only with a link of their account and mode", function* () {
    const { id } = yield* addSigned
    assert.strictEqual(yield* statusOf(link(id)), 200)
    // Signed for an account or mode without this document: the response is the same as for a missing one.
    assert.strictEqual(yield* statusOf(link(id, { account_id: otherAccount })), "resource_missing")
    assert.strictEqual(yield* statusOf(link(id, { livemode: true })), "resource_missing")
    assert.strictEqual(yield* statusOf(link(id).replace(account, otherAccount)), "link_invalid")
    assert.strictEqual(yield* statusOf(link(id, { key: 8 })), "link_invalid")
    assert.strictEqual(yield* statusOf(link(id).replace("/pdf?", "/xml?")), "link_invalid")
    const other = yield* addSigned
    assert.strictEqual(yield* statusOf(link(id).replace(id, other.id)), "link_invalid")
  })

  it.effect("open with a link, while every other route requires a key", function* () {
    const { id } = yield* addSigned
    const query = link(id).split("?")[1]
    for (const path of [`/v1/invoices/${id}`, "/v1/invoices", `/v1/invoices/${id}/timeline`, "/v1/account"]) {
      assert.strictEqual(yield* statusOf(`${path}?${query}`), "invalid_api_key", path)
    }
    assert.strictEqual(yield* statusOf(`/v1/invoices/${id}/pdf`), "invalid_api_key")
  })

  it.effect("open by the key if the request has both a key and a link", function* () {
    const { id } = yield* addSigned
    const broken = link(id).slice(0, -2)
    assert.strictEqual(yield* statusOf(broken, {}), 200)
    for (const key of [keys.unknown, keys.revoked]) {
      assert.strictEqual(yield* statusOf(link(id), bearer(key)), "invalid_api_key")
    }
    for (const key of [keys.otherAccount, keys.live]) {
      assert.strictEqual(yield* statusOf(link(id), bearer(key)), "resource_missing")
    }
  })

  it.effect("reject links with unknown parameters, or with a parameter twice", function* () {
    const { id } = yield* addSigned
    assert.strictEqual(yield* statusOf(`${link(id)}&download=1`), "parameter_unknown")
    assert.strictEqual(yield* statusOf(`${link(id)}&mode=live`), "parameter_invalid")
    assert.strictEqual(yield* statusOf(`${link(id)}%00`), "link_invalid")
    assert.strictEqual(yield* statusOf(link(id), { ...noKey, "svc-version": "1999-01-01" }), "unsupported_version")
  })
})
