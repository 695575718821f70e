import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { parse } from "csv-parse/sync"
import { strFromU8, unzipSync } from "fflate"
import { noteBody } from "../../support/apps/Invoices.ts"
import { account, apiKeyIds, otherAccount } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { seedDrafts } from "../../support/database/Owners.ts"
import { post } from "../../support/apps/Requests.ts"
import { visitor } from "../../support/portal/Visitor.ts"
import { en, es } from "../../support/portal/Words.ts"
import { localDate } from "../../../src/runtime/AuthorityTime.ts"
import { kindWords, statusWords } from "../../../src/portal/frame/DocumentWords.ts"
import { describeLive } from "../../support/Tests.ts"
import { customerNamed, draftOf, invoiceOf, rejectedOf, settled } from "./Rows.ts"

const list = "/portal/documents"

type Person = Effect.Success<ReturnType<typeof visitor>>

/** The ids that the rows of a page link to, in their order. */
const idsIn = (page: string) => [...page.matchAll(/name="id" value="(\w+)"/g)].map(([, id]) => id)

/** The query of a link in the pager. */
const linkIn = (page: string, rel: string) =>
  new RegExp(`rel="${rel}" href="\\.\\./portal/documents\\?([^"]*)"`).exec(page)?.[1]?.replaceAll("&amp;", "&")

describeLive(app)("the page of all documents", (it) => {
  it.effect("explains the first step if there are no documents, and states if no document fits", function* () {
    const other = yield* visitor({
      account: { account_id: otherAccount, livemode: false },
      apiKeyId: apiKeyIds.otherAccount
    })
    const none = yield* other.see(list)
    assert.strictEqual(none.status, 200)
    assert.include(none.text, 'class="empty"')
    assert.include(none.text, `href="../docs/guides/first-invoice?lang=en"`)
    const nothing = yield* other.see(`${list}?status=failed&q=FE1`)
    assert.include(nothing.text, 'class="empty"')
    assert.include(nothing.text, `value="FE1"`)
  })

  it.effect("shows each kind newest first, applies every filter, and opens a single document directly", function* () {
    const person = yield* visitor()
    const andina = yield* customerNamed("Comercial Andina S.A.S.")
    const norte = yield* customerNamed("Almacenes del Norte", { identification: { type: "13", number: "1018" } })
    const first = yield* invoiceOf(andina, { metadata: { pedido: "77" } })
    const second = yield* rejectedOf(norte)
    const note = yield* post("/v1/credit-notes", noteBody(first.id))
    const credit = yield* settled(note.json.id)
    const draft = yield* draftOf
    const all = [draft, credit.id, second.id, first.id]
    const found = (query: string) => Effect.map(person.see(`${list}?${query}`), ({ text }) => idsIn(text))

    assert.deepStrictEqual(yield* found(""), all)
    const page = (yield* person.see(list)).text
    for (const words of [
      "Comercial Andina S.A.S.",
      "119,000.00\u00a0COP",
      kindWords(en, "credit_note"),
      statusWords(en, "rejected_by_authority")
    ]) {
      assert.include(page, words)
    }
    assert.deepStrictEqual(yield* found("kind=credit_note&status="), [credit.id])
    assert.deepStrictEqual(yield* found("status=rejected_by_authority"), [second.id])
    assert.deepStrictEqual(yield* found("status=draft"), [draft])
    assert.deepStrictEqual(yield* found(`customer=${andina}`), [credit.id, first.id])
    assert.deepStrictEqual(yield* found("q=pedido%3D77"), [first.id])
    const [today, tomorrow] = [localDate(Date.now()), localDate(Date.now() + 86_400_000)]
    assert.deepStrictEqual(yield* found(`from=${today}&to=${today}`), all)
    assert.deepStrictEqual(yield* found(`from=${tomorrow}`), [])
    // A filter ignores values that it does not know.
    assert.deepStrictEqual(yield* found("kind=x&status=%00&from=2026-13-45&customer=%27&after=%00&before=inv_x"), all)

    const leads = Effect.fnUntraced(function* (search: string, id: string) {
      const answer = yield* person.see(`${list}?q=${encodeURIComponent(search)}`)
      assert.strictEqual(answer.status, 303, search)
      assert.strictEqual(answer.headers.get("location"), `../portal/documents/${id}`, search)
    })
    const number = first.full_number.replace("SETP", "")
    for (const search of [
      first.full_number,
      `setp ${number}`,
      `SETP-${number}`,
      number,
      first.cufe,
      first.cufe.toUpperCase(),
      first.id
    ]) {
      yield* leads(search, first.id)
    }
    yield* leads(credit.full_number, credit.id)
    yield* leads(credit.cude, credit.id)

    const named = (yield* person.see(`${list}?q=andina`)).text
    assert.include(named, `href="../portal/documents?customer=${andina}"`)
    const ofAndina = (yield* person.see(`${list}?customer=${andina}`)).text
    assert.include(ofAndina, `href="../portal/customers/${andina}"`)

    const spanish = yield* visitor({ language: "es" })
    const pagina = (yield* spanish.see(list)).text
    for (const words of [kindWords(es, "credit_note"), statusWords(es, "rejected_by_authority"), "119.000,00\u00a0COP"])
      assert.include(pagina, words)
  })

  it.effect("exports found or selected documents as CSV that no spreadsheet executes", function* () {
    const person = yield* visitor()
    const names = ["=1+1", "+SUM(A1)", "-2", "@cmd", 'Normal; "con" comillas, y coma', " =1"]
    const made = yield* Effect.forEach(names, (name) => Effect.flatMap(customerNamed(name), (id) => invoiceOf(id)))
    const read = Effect.fnUntraced(function* (query: string, one: Person = person, delimiter = ",") {
      const answer = yield* one.see(`${list}/export.csv?${query}`)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("content-type"), "text/csv; charset=utf-8")
      assert.include(answer.headers.get("content-disposition"), "attachment")
      const rows: ReadonlyArray<Record<string, string>> = parse(answer.text, { columns: true, delimiter, bom: true })
      return rows
    })
    const ids = made.map(({ id }) => `id=${id}`).join("&")
    const chosen = yield* read(ids)
    assert.deepStrictEqual(
      chosen.map((row) => row["Customer"]),
      names.map((name) => (name.startsWith("N") ? name : `'${name}`)).toReversed()
    )
    const [last] = chosen
    assert.strictEqual(last?.["Number"], made.at(-1)?.full_number)
    assert.strictEqual(last?.["Total"], "119000.00")
    assert.strictEqual(last?.["Taxes"], "19000.00")
    assert.strictEqual(last?.["CUFE / CUDE"], made.at(-1)?.cufe)
    const rejections = yield* read("status=rejected_by_authority")
    assert.isTrue(rejections.every((row) => row["Status"] === "Rejected"))
    const spanish = yield* read(ids, yield* visitor({ language: "es" }), ";")
    assert.strictEqual(spanish[0]?.["Total"], "119000,00")
    // fetch() removes the mark when it decodes the text, so only the bytes show it.
    const bytes = yield* Effect.promise(
      async () =>
        new Uint8Array(
          await (
            await fetch(`${person.url}${list}/export.csv?${ids}`, { headers: { cookie: person.cookie } })
          ).arrayBuffer()
        )
    )
    assert.strictEqual(Buffer.from(bytes.slice(0, 3)).toString("hex"), "efbbbf")
  })

  it.effect("exports the files of selected documents as a ZIP, and names the documents without files", function* () {
    const person = yield* visitor()
    const customer = yield* customerNamed("Empacada")
    const one = yield* invoiceOf(customer)
    const two = yield* rejectedOf(customer)
    const query = [one.id, two.id, yield* draftOf].map((id) => `id=${id}`).join("&")
    const bytes = yield* Effect.promise(async () => {
      const answer = await fetch(`${person.url}${list}/export.zip?${query}`, { headers: { cookie: person.cookie } })
      assert.strictEqual(answer.headers.get("content-type"), "application/zip")
      return new Uint8Array(await answer.arrayBuffer())
    })
    const files = unzipSync(bytes)
    const numbers = [one.full_number, two.full_number]
    assert.sameMembers(Object.keys(files), [
      ...numbers.flatMap((number) => [`invoice-${number}.xml`, `invoice-${number}.pdf`]),
      "missing.txt"
    ])
    assert.match(strFromU8(files[`invoice-${one.full_number}.xml`] ?? new Uint8Array()), /<Invoice/)
    assert.match(strFromU8(files[`invoice-${one.full_number}.pdf`] ?? new Uint8Array(), true), /^%PDF/)
    const missing = strFromU8(files["missing.txt"] ?? new Uint8Array())
    assert.include(missing, "XML: ")
    assert.include(missing, "has no PDF")
  })

  it.effect("shows nothing of another account or mode, for any query", function* () {
    const customer = yield* customerNamed("Propia")
    const { full_number, id } = yield* invoiceOf(customer)
    for (const others of [
      { account: { account_id: otherAccount, livemode: false }, apiKeyId: apiKeyIds.otherAccount },
      { account: { account_id: account, livemode: true }, apiKeyId: apiKeyIds.live }
    ]) {
      const stranger = yield* visitor(others)
      for (const query of ["", `q=${full_number}`, `q=${id}`, `customer=${customer}`]) {
        const { status, text } = yield* stranger.see(`${list}?${query}`)
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(idsIn(text), [])
        assert.notInclude(text, "Propia")
      }
      assert.notInclude((yield* stranger.see(`${list}/export.csv?id=${id}`)).text, full_number)
    }
  })

  it.effect("leads from page to page, in both directions, and exports all pages as CSV", function* () {
    const person = yield* visitor({ account: { account_id: account, livemode: true }, apiKeyId: apiKeyIds.live })
    const ids = (yield* seedDrafts(account, 120, "queued", true)).toReversed()
    const one = (yield* person.see(`${list}?status=draft`)).text
    assert.deepStrictEqual(idsIn(one), ids.slice(0, 50))
    assert.isUndefined(linkIn(one, "prev"))
    const two = (yield* person.see(`${list}?${linkIn(one, "next")}`)).text
    assert.deepStrictEqual(idsIn(two), ids.slice(50, 100))
    const three = (yield* person.see(`${list}?${linkIn(two, "next")}`)).text
    assert.deepStrictEqual(idsIn(three), ids.slice(100))
    assert.isUndefined(linkIn(three, "next"))
    const back = (yield* person.see(`${list}?${linkIn(three, "prev")}`)).text
    assert.deepStrictEqual(idsIn(back), ids.slice(50, 100))
    const first = (yield* person.see(`${list}?${linkIn(back, "prev")}`)).text
    assert.deepStrictEqual(idsIn(first), ids.slice(0, 50))
    assert.isUndefined(linkIn(first, "prev"))
    const csv = yield* person.see(`${list}/export.csv?`)
    assert.lengthOf(parse(csv.text, { columns: true, bom: true }), ids.length)
  })
})
