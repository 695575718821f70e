import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { get, post } from "../../support/apps/Requests.ts"
import { beside, untouched } from "../../support/portal/Forms.ts"
import { asLive, asOther, formOf, noticeOf, visitor } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"

const list = "/portal/customers"

const andina = {
  identification: { type: "31", number: "900373115", check_digit: "3" },
  legal_name: "Comercial Andina S.A.S.",
  organization_type: "1",
  email: "facturas@andina.test",
  city_code: "05001",
  department_code: "05",
  country_code: "CO",
  tax_responsibilities: ["O-13", "O-15"],
  metadata: { note: "first\nsecond", shop: "A-77" }
}

const registered = (body: object) => Effect.map(post("/v1/customers", body), ({ json }) => json)
const read = (id: string) => Effect.map(get(`/v1/customers/${id}`), ({ json }) => json)
const count = Effect.map(get("/v1/customers?limit=100"), ({ json }) => json.data.length as number)

describeLive(app)("customers of the portal", (it) => {
  it.effect("show their external id, ready to copy", function* () {
    const { see } = yield* visitor()
    const { id } = yield* registered({ ...andina, external_id: "<crm-1>" })
    assert.include((yield* see(`${list}/${id}`)).text, 'data-copy="&lt;crm-1&gt;"')
  })

  it.effect("can be found by identification, email, part of the name and metadata", function* () {
    const { see } = yield* visitor()
    yield* registered(andina)
    yield* registered({
      ...andina,
      identification: { type: "13", number: "79123456" },
      legal_name: "Ángela Muñoz",
      email: "otra@andina.test",
      metadata: {}
    })
    for (const query of [
      "name=comercial+and",
      "type=31&number=900.373.115-3",
      "number=900373115",
      "email=FACTURAS@andina.test",
      "metadata=shop%3DA-77",
      "name=andina&number=900373115&type=31"
    ]) {
      const { status, text } = yield* see(`${list}?${query}`)
      assert.strictEqual(status, 200)
      assert.include(text, "Comercial Andina S.A.S.", query)
      assert.notInclude(text, "Ángela Muñoz", query)
    }
    const found = yield* see(`${list}?type=13&number=79.123.456`)
    assert.include(found.text, 'Citizen identity card <span class="whole">79123456')
    assert.notInclude(found.text, "Comercial Andina")
    assert.include((yield* see(`${list}?name=missing+like+this`)).text, 'class="empty"')
    const all = yield* see(list)
    assert.include(all.text, "Ángela Muñoz")
    assert.include(all.text, 'NIT <span class="whole">900373115-3</span>')
  })

  it.effect("show next to the field why a search was rejected", function* () {
    const { see } = yield* visitor()
    const short = yield* see(`${list}?name=a`)
    assert.strictEqual(short.status, 400)
    assert.isDefined(beside(short.text, "name"))
    const hostile = yield* see(
      `${list}?name=${encodeURIComponent('"><img src=x>')}&metadata=${encodeURIComponent(`${"x".repeat(41)}=1`)}`
    )
    assert.isDefined(beside(hostile.text, "metadata"))
    assert.notInclude(hostile.text, "<img src=x")
  })

  it.effect("can be registered once, even if the form is sent again", function* () {
    const { post: send, see } = yield* visitor()
    const before = yield* count
    const form = untouched((yield* see(`${list}/new`)).text, "/new")
    const typed = {
      "identification.number": "800.197.268-4",
      legal_name: " Ferretería El Tornillo ",
      email: "hola@tornillo.test",
      city_code: "medellin",
      "metadata[0].key": "shop id",
      "metadata[0].value": "7"
    }
    for (const [name, value] of Object.entries(typed)) form.set(name, value)
    const [first, second] = [yield* send(`${list}/new`, form), yield* send(`${list}/new`, form)]
    assert.strictEqual(noticeOf(first.text), "created")
    assert.include(second.text, "Ferretería El Tornillo")
    assert.strictEqual(yield* count, before + 1)
    const [made] = (yield* get("/v1/customers?email=hola@tornillo.test")).json.data
    const { created_at: _created, id: _id, livemode: _mode, object: _object, updated_at: _updated, ...kept } = made
    assert.deepStrictEqual(kept, {
      identification: { type: "31", number: "800197268", check_digit: "4" },
      legal_name: "Ferretería El Tornillo",
      organization_type: "1",
      email: "hola@tornillo.test",
      city_code: "05001",
      department_code: "05",
      country_code: "CO",
      metadata: { "shop id": "7" },
      external_id: null
    })
  })

  it.effect("change field by field, and other fields keep their values", function* () {
    const { post: send, see } = yield* visitor()
    const customer = yield* registered({ ...andina, address: "Calle 10 # 5-51", tax_scheme: "01" })
    const path = `${list}/${customer.id}/change`
    const { updated_at: _before, ...before } = customer
    const same = yield* send(path, untouched((yield* see(path)).text, "/change"))
    assert.strictEqual(noticeOf(same.text), "changed")
    const { updated_at: _after, ...after } = yield* read(customer.id)
    assert.deepStrictEqual(after, before)

    const form = untouched((yield* see(path)).text, "/change")
    form.set("email", "")
    form.set("city_code", "Rionegro, Santander")
    form.delete("tax_responsibilities")
    form.append("tax_responsibilities", "R-99-PN")
    form.set("metadata[0].key", "")
    form.set("metadata[0].value", "")
    form.set("metadata[1].value", "B-1")
    const changed = yield* send(path, form)
    assert.strictEqual(noticeOf(changed.text), "changed")
    const now = yield* read(customer.id)
    assert.notProperty(now, "email")
    assert.deepInclude(now, {
      city_code: "68615",
      department_code: "68",
      tax_responsibilities: ["R-99-PN"],
      metadata: { shop: "B-1" },
      address: "Calle 10 # 5-51"
    })
  })

  it.effect("keep the typed values after a rejection, with every violation next to its field", function* () {
    const { see, submit } = yield* visitor()
    const customer = yield* registered(andina)
    const path = `${list}/${customer.id}/change`
    const refused = yield* submit(path, path, {
      "identification.type": "31",
      "identification.number": "900373115",
      "identification.check_digit": "9",
      legal_name: "",
      organization_type: "1",
      email: "no email",
      city_code: "Rionegro",
      country_code: "co",
      phone: "1",
      "metadata[0].key": "k".repeat(41),
      "metadata[0].value": "kept"
    })
    assert.strictEqual(refused.status, 400)
    for (const name of ["legal_name", "email", "city_code", "phone", "metadata-0-key"]) {
      assert.isDefined(beside(refused.text, name), name)
    }
    assert.include(refused.text, "05615")
    assert.include(refused.text, 'value="no email"')
    assert.include(refused.text, 'value="kept"')
    assert.include(refused.text, 'role="alert"')
    assert.deepStrictEqual(yield* read(customer.id), customer)
    const digit = yield* submit(path, path, {
      ...Object.fromEntries(untouched((yield* see(path)).text, "/change")),
      "identification.check_digit": "9"
    })
    assert.match(beside(digit.text, "identification-check_digit") ?? "", /it is "3"/)
    const twice = yield* submit(path, path, {
      ...Object.fromEntries(untouched((yield* see(path)).text, "/change")),
      "metadata[2].key": "shop",
      "metadata[2].value": "other"
    })
    assert.isDefined(beside(twice.text, "metadata-2-key"))
    assert.deepStrictEqual(yield* read(customer.id), customer)
  })

  it.effect("show their data in words and their newest invoices", function* () {
    const { see } = yield* visitor({ language: "es" })
    const customer = yield* registered(andina)
    yield* post("/v1/invoices", invoiceBody(customer.id))
    const { status, text } = yield* see(`${list}/${customer.id}`)
    assert.strictEqual(status, 200)
    for (const words of [
      "Medellín, Antioquia",
      "Colombia",
      "O-13 Gran contribuyente",
      "Persona jurídica",
      customer.id
    ]) {
      assert.include(text, words)
    }
    assert.match(text, /href="[^"]*documents\/inv_/)
    assert.include(text, `documents?customer=${customer.id}`)
  })

  it.effect("can be deleted after a confirmation", function* () {
    const { see, submit } = yield* visitor()
    const { id } = yield* registered(andina)
    const page = (yield* see(`${list}/${id}`)).text
    assert.match(page, /<details>\s*<summary>[^]*?\/delete"/)
    const gone = yield* submit(`${list}/${id}`, `${list}/${id}/delete`)
    assert.strictEqual(noticeOf(gone.text), "deleted")
    assert.strictEqual((yield* get(`/v1/customers/${id}`)).status, 404)
    assert.strictEqual((yield* see(`${list}/${id}`)).status, 404)
  })

  it.effect("show hostile text as text, on every page", function* () {
    const { see } = yield* visitor()
    const hostile = `"'><img src=x onerror=alert(1)></textarea><script>alert(1)</script>`
    const customer = yield* registered({
      ...andina,
      legal_name: hostile,
      trade_name: hostile,
      address: hostile,
      // A name in the metadata holds no double quote.
      metadata: { [hostile.slice(1, 41)]: `${hostile}\n${hostile}` }
    })
    for (const path of [list, `${list}/${customer.id}`, `${list}/${customer.id}/change`]) {
      const { status, text } = yield* see(path)
      assert.strictEqual(status, 200)
      assert.include(text, "&lt;img src=x", path)
      assert.notMatch(text, /<img|<script>|onerror="|<\/textarea>\s*<script/i, path)
    }
  })

  it.effect("can only be read without the capability, and the API rejects a change", function* () {
    const { see, post: send } = yield* visitor({ capabilities: ["view", "setup", "keys", "endpoints", "deliver"] })
    const customer = yield* registered(andina)
    const pages = [yield* see(list), yield* see(`${list}/${customer.id}`)]
    for (const { text } of pages) {
      for (const change of ["/new", "/change", "/delete"]) assert.notInclude(text, `${change}"`)
    }
    const token = formOf(pages[0]!.text, "leave")
    const form = new URLSearchParams({ ...token, legal_name: "Otra", once: "portal-1" })
    for (const path of [`${list}/new`, `${list}/${customer.id}/change`, `${list}/${customer.id}/delete`]) {
      const refused = yield* send(path, form)
      assert.strictEqual(refused.status, 403, path)
    }
    assert.deepStrictEqual(yield* read(customer.id), customer)
  })

  it.effect("do not exist for another account or the other mode, or if their id is unknown", function* () {
    const { id } = yield* registered(andina)
    const others = [yield* visitor(asOther), yield* visitor(asLive)]
    for (const other of others) {
      const token = formOf((yield* other.see(list)).text, "leave")
      for (const path of [`${list}/${id}`, `${list}/${id}/change`]) {
        const { status, text } = yield* other.see(path)
        assert.strictEqual(status, 404, path)
        assert.notInclude(text, "Comercial Andina")
      }
      for (const path of [`${list}/${id}/change`, `${list}/${id}/delete`]) {
        const { status } = yield* other.post(path, new URLSearchParams({ ...token, once: "portal-2" }))
        assert.strictEqual(status, 404, path)
      }
    }
    const mine = yield* visitor()
    for (const wrong of ["cust_none", "a%2Fb", "..", "inv_01k9z3v8c2m4n6p8q0r2s4t6v8"]) {
      assert.notStrictEqual((yield* mine.see(`${list}/${wrong}/change`)).status, 200, wrong)
    }
    assert.strictEqual((yield* read(id)).id, id)
  })
})
