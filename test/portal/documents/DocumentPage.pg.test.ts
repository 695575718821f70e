import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { escape } from "../../../src/http/pages/Html.ts"
import { hintOf, hintInSpanish, rejectionBy } from "../../../src/invoices/authority/RuleHints.ts"
import { accepted, FakeAuthority, rejected, unreachable } from "../../support/apps/Fakes.ts"
import { account, apiKeyIds, keys, otherAccount } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { customerBody, invoiceBody, noteBody } from "../../support/apps/Invoices.ts"
import { bearer, fetchBytes, get, post } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { pdfPages } from "../../support/PdfText.ts"
import { noticeOf, visitor } from "../../support/portal/Visitor.ts"
import { beside } from "../../support/portal/Forms.ts"
import { en, es } from "../../support/portal/Words.ts"
import { kindWords, statusWords } from "../../../src/portal/frame/DocumentWords.ts"
import { troubleWords } from "../../../src/portal/documents/TroubleWords.ts"
import { describeLive } from "../../support/Tests.ts"
import { customerNamed, draftOf, failedOf, invoiceOf, rejectedOf, settled } from "./Rows.ts"

const pathOf = (id: string, step = "") => `/portal/documents/${id}${step}`

const hostile = `"><img src=x onerror=alert(1)></textarea><script>alert(1)</script>`

/** The part of a page that explains the status of a document. */
const whyIn = (page: string) => /<h2 id="why">([^]*?)<\/section>/.exec(page)?.[1] ?? ""

const checkDigitBroken = {
  ...rejected,
  errors: [
    {
      rule: "FAK24",
      severity: "rejection" as const,
      message: hostile,
      path: "acquirer.identification.check_digit",
      hint: hostile
    }
  ]
}

describeLive(app)("the page of a document", (it) => {
  it.effect("shows the history and the content of an accepted invoice, and offers its files", function* () {
    const person = yield* visitor()
    const customer = yield* customerNamed("Comercial Andina S.A.S.", { email: "facturas@andina.example" })
    const invoice = yield* invoiceOf(customer, {
      order_reference: { id: "OC-7781" },
      notes: ["Gracias por su compra"],
      metadata: { pedido: "1001" },
      external_id: "<pedido-1001>",
      payment_means: { code: "30", type: "2", due_date: "2026-12-21" }
    })
    const { status, text } = yield* person.see(pathOf(invoice.id))
    assert.strictEqual(status, 200)
    for (const words of [
      statusWords(en, "accepted_by_authority"),
      "Comercial Andina S.A.S.",
      "119,000.00\u00a0COP",
      `CUFE <code title="${invoice.cufe}">`,
      `data-copy="${invoice.cufe}"`,
      `data-copy="${invoice.id}"`,
      'data-copy="&lt;pedido-1001&gt;"',
      `/pdf#toolbar=0&amp;navpanes=0&amp;view=FitH"`,
      `href="../../docs?lang=en"`,
      `/qr.svg"`,
      "kB ·",
      "facturas@andina.example",
      "21 December 2026",
      "OC-7781",
      "Gracias por su compra",
      "pedido",
      `href="../../portal/documents/${invoice.id}/annul"`
    ]) {
      assert.include(text, words)
    }
    assert.notInclude(text, "hx-trigger")
    // The authority never receives a test document.
    assert.notInclude(text, invoice.qr_url)
    assert.isBelow(text.indexOf("</aside>"), text.indexOf("<iframe"), "the print-out has the whole width")
    assert.notInclude(text, `${invoice.id}/correct`)
    const pdf = yield* person.see(pathOf(invoice.id, "/pdf"))
    assert.strictEqual(pdf.headers.get("content-type"), "application/pdf")
    assert.strictEqual(pdf.headers.get("x-frame-options"), "SAMEORIGIN")
    assert.include(pdf.headers.get("content-security-policy"), "frame-ancestors 'self'")
    const xml = yield* person.see(pathOf(invoice.id, "/xml"))
    assert.include(xml.text, invoice.cufe)
    assert.include(xml.headers.get("content-disposition"), `${invoice.full_number}.xml`)
    const qr = yield* person.see(pathOf(invoice.id, "/qr.svg"))
    assert.strictEqual(qr.headers.get("content-type"), "image/svg+xml")
    assert.match(qr.text, /^<svg[^]+<\/svg>$/)

    const pagina = (yield* (yield* visitor({ language: "es" })).see(pathOf(invoice.id))).text
    for (const words of [kindWords(es, "invoice"), statusWords(es, "accepted_by_authority"), "119.000,00\u00a0COP"]) {
      assert.include(pagina, words)
    }
  })

  it.effect("names the request that created a document, as long as the log has it", function* () {
    const customer = yield* customerNamed("Con Solicitud")
    const invoice = yield* invoiceOf(customer)
    const logged = yield* until(get(`/v1/requests?object_id=${invoice.id}`), ({ json }) => json.data.length > 0)
    const made = logged.json.data.find(({ method }: { method: string }) => method === "POST")
    const { text } = yield* (yield* visitor()).see(pathOf(invoice.id))
    assert.include(text, `href="../../portal/requests/${made.id}">POST /v1/invoices</a>`)
  })

  it.effect("explains why a document was rejected and where to correct it, with every text as text", function* () {
    const person = yield* visitor()
    const customer = yield* customerNamed(hostile)
    const lines = [
      {
        description: hostile,
        quantity: "2.00",
        unit_code: "94",
        unit_price: "50000.00",
        line_extension_amount: "100000.00",
        taxes: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }],
        notes: [hostile],
        item: { code: hostile.slice(0, 50), scheme: "999", brand: hostile }
      }
    ]
    const more = {
      lines,
      notes: [hostile],
      metadata: { "<b>": hostile },
      order_reference: { id: hostile.slice(0, 64) }
    }
    const invoice = yield* invoiceOf(customer, more, Effect.succeed(checkDigitBroken))
    for (const language of ["en", "es"]) {
      const reader = yield* visitor({ language })
      for (const step of ["", "/correct"]) {
        const { status, text } = yield* reader.see(pathOf(invoice.id, step))
        assert.strictEqual(status, 200)
        assert.notInclude(text, "<img src=x")
        assert.notInclude(text, "<script>alert")
        assert.include(text, "&lt;img src=x")
      }
    }
    const { text } = yield* person.see(pathOf(invoice.id))
    assert.include(whyIn(text), "<span>FAK24")
    assert.notInclude(whyIn(text), "portal/customers/", "the customer has the right check digit already")
    assert.include(text, `href="../../portal/customers/${customer}"`)
    assert.include(text, `href="../../portal/documents/${invoice.id}/correct"`)
    assert.include((yield* person.see("/portal/documents")).text, "&lt;img src=x")
    assert.notInclude((yield* person.see("/portal/documents")).text, "<img src=x")
  })

  it.effect(
    "shows the hints of the authority's rules in the reader's language, and those of another country unchanged",
    function* () {
      const customer = yield* customerNamed("Con Consejo")
      const own = { rule: "R1", severity: "rejection" as const, message: "No.", path: null, hint: "Send the seal." }
      const verdict = { ...rejected, errors: [rejectionBy("CAJ43b"), own] }
      const invoice = yield* invoiceOf(customer, {}, Effect.succeed(verdict))
      const pageIn = (language: string) => Effect.flatMap(visitor({ language }), ({ see }) => see(pathOf(invoice.id)))
      const [english, spanish] = [yield* pageIn("en"), yield* pageIn("es")]
      const hint = hintOf("CAJ43b") ?? ""
      assert.include(english.text, escape(hint))
      assert.include(spanish.text, escape(hintInSpanish(hint) ?? "no words"))
      assert.notInclude(spanish.text, escape(hint))
      for (const { text } of [english, spanish]) assert.include(text, '<span lang="en">Send the seal.</span>')
      const stored = (yield* get(`/v1/invoices/${invoice.id}`)).json.authority_errors[0].hint
      assert.strictEqual(stored, hintOf("CAJ43b"))
    }
  )

  it.effect(
    "marks the print-out of a document without validity, offers it as such, and shows no QR code",
    function* () {
      const person = yield* visitor()
      const reader = yield* visitor({ language: "es" })
      const customer = yield* customerNamed("Sin Validez")
      const invoice = yield* rejectedOf(customer)
      const failing = yield* failedOf(customer)
      for (const [id, english, spanish, mark] of [
        [invoice.id, "PDF (rejected, not valid)", "PDF (rechazada, sin validez)", "Rechazada por la DIAN, sin validez"],
        [failing.id, "PDF (failed, not valid)", "PDF (fallida, sin validez)", "Fallida, sin validez"]
      ] as const) {
        const { text } = yield* person.see(pathOf(id))
        assert.include(text, `>${english}</a>`)
        assert.notInclude(text, "qr.svg")
        assert.include((yield* reader.see(pathOf(id))).text, `>${spanish}</a>`)
        const pdf = yield* fetchBytes({ path: `/v1/invoices/${id}/pdf` })
        const said = pdfPages(pdf.bytes)
          .flat()
          .map((one) => one.text)
        assert.include(said, mark)
      }
    }
  )

  it.effect("reloads while a document is in progress, and shows what it waits for", function* () {
    const authority = yield* FakeAuthority
    authority.onSubmit = () => unreachable
    // A separate account: the authority's calls for the other account must not wait.
    const own = { account: { account_id: otherAccount, livemode: false }, apiKeyId: apiKeyIds.otherAccount }
    const key = bearer(keys.otherAccount)
    const customer = yield* post("/v1/customers", customerBody(), key)
    const { json } = yield* post("/v1/invoices", invoiceBody(customer.json.id), key)
    const path = pathOf(json.id)
    const person = yield* visitor(own)
    const moving = (yield* person.see(path)).text
    assert.include(moving, `hx-get="../../portal/documents/${json.id}"`)
    assert.include(moving, 'hx-trigger="every 2s"')
    const waiting = yield* until(person.see(path), ({ text }) => text.includes("connection_refused"))
    authority.onSubmit = () => Effect.succeed(accepted)
    assert.include(waiting.text, '<h2 id="why">')
    const espera = (yield* (yield* visitor({ ...own, language: "es" })).see(path)).text
    assert.include(espera, troubleWords("es", "connection_refused").what)
    assert.notInclude(espera, "The authority")
  })

  it.effect(
    "explains that the sandbox rejects every document for a customer, and how to get one accepted",
    function* () {
      const person = yield* visitor()
      const identification = { type: "31", number: "900000002", check_digit: "1" }
      const customer = yield* customerNamed("Siempre Rechazado", { identification })
      const invoice = yield* invoiceOf(customer, {}, Effect.succeed(checkDigitBroken))
      assert.include(whyIn((yield* person.see(pathOf(invoice.id))).text), 'portal/bench"')
      const other = yield* rejectedOf(yield* customerNamed("Otro Cliente"))
      assert.notInclude(whyIn((yield* person.see(pathOf(other.id))).text), 'portal/bench"')
    }
  )

  it.effect("cancels, retries, annuls and emails, each after a confirmation if it cannot be undone", function* () {
    const person = yield* visitor()
    const customer = yield* customerNamed("Con Acciones", { email: "uno@andina.example" })
    const draft = yield* draftOf
    assert.include((yield* person.see(pathOf(draft))).text, pathOf(draft, "/cancel").slice(1))
    const canceled = yield* person.submit(pathOf(draft, "/cancel"), pathOf(draft, "/cancel"))
    assert.strictEqual(noticeOf(canceled.text), "canceled")
    assert.strictEqual((yield* get(`/v1/invoices/${draft}`)).json.status, "canceled")

    const invoice = yield* invoiceOf(customer)
    const failing = yield* failedOf(customer)
    const failed = (yield* person.see(pathOf(failing.id))).text
    assert.include(failed, '<b lang="en">The authority returned no outcome.</b>')
    const falla = (yield* (yield* visitor({ language: "es" })).see(pathOf(failing.id))).text
    assert.include(falla, "<code>authority_refused</code>")
    assert.notInclude(falla, "The authority returned no outcome.")
    const retried = yield* person.submit(pathOf(failing.id), pathOf(failing.id, "/retry"))
    assert.strictEqual(noticeOf(retried.text), "retried")
    assert.strictEqual((yield* settled(failing.id)).status, "accepted_by_authority")

    const again = pathOf(invoice.id, "/email")
    const wrong = yield* person.submit(again, again, { to: "no address" })
    assert.strictEqual(wrong.status, 400)
    assert.include(wrong.text, `value="no address"`)
    assert.isDefined(beside(wrong.text, "to"))
    const sent = yield* person.submit(again, again, { to: "dos@andina.example" })
    assert.strictEqual(noticeOf(sent.text), "emailed")
    assert.include(sent.text, "dos@andina.example")

    const annul = pathOf(invoice.id, "/annul")
    const empty = yield* person.submit(annul, annul, { reason: " " })
    assert.strictEqual(empty.status, 400)
    const done = yield* person.submit(annul, annul, { reason: "Pedido anulado" })
    assert.strictEqual(noticeOf(done.text), "annulled")
    assert.include(done.text, "Pedido anulado")
    assert.include(done.text, `href="../../portal/documents/${invoice.id}"`)
    const twice = yield* person.submit(annul, annul, { reason: "Otra vez" })
    assert.isAtLeast(twice.status, 400)
    assert.include(twice.text, "Otra vez")
  })

  it.effect("applies a form once that is sent twice", function* () {
    const person = yield* visitor()
    const customer = yield* customerNamed("Dos Veces")
    const invoice = yield* invoiceOf(customer)
    const path = pathOf(invoice.id, "/annul")
    const page = (yield* person.see(path)).text
    const once = /name="once" value="([^"]+)"/.exec(page)?.[1] ?? ""
    const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? ""
    const body = () => new URLSearchParams({ once, csrf, reason: "Una vez" })
    const [one, two] = [yield* person.post(path, body()), yield* person.post(path, body())]
    assert.deepStrictEqual([one.status, two.status], [200, 200])
    const { json } = yield* get(`/v1/credit-notes?invoice_id=${invoice.id}`)
    assert.lengthOf(json.data, 1)
  })

  it.effect(
    "shows the document to a session without the capability, and neither offers nor accepts a change",
    function* () {
      const reader = yield* visitor({ capabilities: ["view"] })
      const person = yield* visitor()
      const customer = yield* customerNamed("Solo Ver")
      const [ok, bad] = [yield* invoiceOf(customer), yield* rejectedOf(customer)]
      const note = yield* settled((yield* post("/v1/credit-notes", noteBody(ok.id))).json.id)
      for (const { id } of [ok, bad, note]) {
        const { status, text } = yield* reader.see(pathOf(id))
        assert.strictEqual(status, 200)
        for (const step of ["annul", "email", "correct", "cancel", "retry"]) assert.notInclude(text, `${id}/${step}`)
      }
      const csrf = /name="csrf" value="([^"]+)"/.exec((yield* reader.see(pathOf(ok.id))).text)?.[1] ?? ""
      for (const [id, step, fields] of [
        [ok.id, "/annul", { reason: "Anular" }],
        [ok.id, "/email", {}],
        [bad.id, "/correct", { step: "send" }],
        [bad.id, "/retry", {}],
        [ok.id, "/cancel", {}]
      ] as const) {
        const answer = yield* reader.post(pathOf(id, step), new URLSearchParams({ csrf, once: `k${step}`, ...fields }))
        assert.strictEqual(answer.status, 403, step)
        // A form that is not from a page of the session changes nothing either.
        const foreign = yield* person.post(pathOf(id, step), new URLSearchParams({ csrf, once: `k${step}`, ...fields }))
        assert.isAtLeast(foreign.status, 400, step)
      }
      assert.strictEqual((yield* get(`/v1/invoices/${bad.id}`)).json.status, "rejected_by_authority")
      assert.lengthOf((yield* get(`/v1/credit-notes?invoice_id=${ok.id}`)).json.data, 1)
    }
  )

  it.effect("does not exist for another account, for the other mode, or for an id without a document", function* () {
    const customer = yield* customerNamed("Secreta S.A.S.")
    const { id } = yield* invoiceOf(customer)
    for (const others of [
      { account: { account_id: otherAccount, livemode: false }, apiKeyId: apiKeyIds.otherAccount },
      { account: { account_id: account, livemode: true }, apiKeyId: apiKeyIds.live }
    ]) {
      const stranger = yield* visitor(others)
      for (const step of ["", "/pdf", "/xml", "/qr.svg", "/correct", "/annul", "/email", "/cancel"]) {
        const { status, text } = yield* stranger.see(pathOf(id, step))
        assert.strictEqual(status, 404, step)
        assert.notInclude(text, "Secreta")
      }
    }
    const person = yield* visitor()
    for (const no of [`inv_${"0".repeat(26)}`, `cn_${id.slice(4)}`, "inv_x", "%00", "nothing", "..%2F..%2Fetc"]) {
      assert.strictEqual((yield* person.see(pathOf(no))).status, 404, no)
    }
  })
})
