import { assert } from "@effect/vitest"
import { Array, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { scripted, invoiceBody, noteBody, partialNoteBody } from "../../support/apps/Invoices.ts"
import { newCustomer, TestApp, layer as layerTestApp } from "../../support/apps/TestApp.ts"
import { answered, refusedIn } from "../../support/database/Refusals.ts"
import * as AccountView from "../../../src/database/AccountView.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"
import { accepted, codeOf, entries, issue, key, rejected, script, settled } from "./Corrected.ts"

describeLive(layerTestApp())("The correction of a rejected document", (it) => {
  it.effect("keeps its id and number, and replaces all other content", function* () {
    const { client } = yield* TestApp
    const sql = yield* SqlClient.SqlClient
    const bad = yield* newCustomer(client, scripted.rejected)
    const good = yield* newCustomer(client)
    const former = yield* issue(client, "/v1/invoices", invoiceBody(bad, { order: "1" }), rejected)
    const path = `/v1/invoices/${former.id}`
    const [before] = yield* sql<{ signed: Uint8Array }>`
      select signed from invoice_documents where invoice_id = ${former.id}`
    const body = { ...invoiceBody(good, { order: "2" }), prefix: "SETP" }
    const corrected = yield* client.post(`${path}/correct`, body, { key: "correct" })
    assert.strictEqual(corrected.status, 202, corrected.text)
    assert.strictEqual(corrected.headers.get("location"), path)
    assert.deepInclude(corrected.json, {
      id: former.id,
      full_number: former.full_number,
      status: "draft",
      stage: "numbered",
      cufe: null,
      customer_id: good,
      authority_errors: [],
      metadata: { order: "2" }
    })
    const now = yield* settled(client, path, accepted)
    assert.strictEqual(now.full_number, former.full_number)
    assert.notStrictEqual(now.cufe, former.cufe)
    assert.deepStrictEqual(now.authority_errors, [])
    assert.include((yield* client.get(`${path}/xml`)).text, now.cufe)

    for (const [order, ids] of [
      ["1", []],
      ["2", [former.id]]
    ] as const) {
      const { json } = yield* client.get(`/v1/invoices?metadata[order]=${order}`)
      assert.deepStrictEqual(
        json.data.map(({ id }: { readonly id: string }) => id),
        ids
      )
    }

    const timeline = yield* entries(client, path)
    assert.deepStrictEqual(
      timeline.flatMap(({ command, event_type }) => command ?? event_type ?? []),
      "create number sign submit reject invoice.rejected_by_authority correct redate sign submit accept invoice.accepted_by_authority".split(
        " "
      )
    )
    const [rejection] = timeline.filter(({ command }) => command === "reject")
    assert.deepInclude(rejection, { cufe: former.cufe, authority_errors: former.authority_errors })
    const listed = client.get(`/v1/events?object_id=${former.id}`)
    const { json: events } = yield* until(listed, ({ json }) => json.data.length > 1)
    const told: ReadonlyArray<{ readonly data: { readonly object: { readonly version: number } } }> = events.data
    const versions = told.map(({ data }) => data.object.version).toReversed()
    assert.deepStrictEqual(versions, [former.version, now.version])
    assert.isAbove(now.version, former.version)
    const kept = yield* sql`
      select cufe, version, signed from rejected_documents where invoice_id = ${former.id}`
    assert.deepStrictEqual(kept, [{ cufe: former.cufe, version: former.version, signed: before!.signed }])

    // A repeated request gets the same response, another correction is too late, and the next document gets the next
    // number.
    const again = yield* client.post(`${path}/correct`, body, { key: "correct" })
    assert.deepStrictEqual([again.status, again.text], [202, corrected.text])
    assert.deepStrictEqual(codeOf(yield* client.post(`${path}/correct`, body, key())), [409, "invoice_not_rejected"])
    assert.deepStrictEqual(codeOf(yield* client.post(`${path}/cancel`, undefined)), [409, "invoice_not_cancelable"])
    const next = yield* issue(client, "/v1/invoices", invoiceBody(good), accepted)
    assert.strictEqual(Number(next.full_number.slice(4)), Number(former.full_number.slice(4)) + 1)
  })

  it.effect("fails if the document is not rejected, has another prefix, or the authority has its number", function* () {
    const { client } = yield* TestApp
    const good = yield* newCustomer(client)
    const body = invoiceBody(good)
    yield* script(client, { accept: true }, { reject: ["90"] })
    const fine = yield* issue(client, "/v1/invoices", body, accepted)
    const known = yield* issue(client, "/v1/invoices", body, rejected)
    const correct = (id: string, change: object = {}) =>
      client.post(`/v1/invoices/${id}/correct`, { ...body, ...change }, key())
    assert.deepStrictEqual(codeOf(yield* correct(fine.id)), [409, "invoice_not_rejected"])
    const processed = yield* correct(known.id)
    assert.deepStrictEqual(codeOf(processed), [409, "invoice_number_processed"])
    assert.include(processed.json.error.message, known.full_number)
    const lines = body.lines.map((line) => ({ ...line, line_extension_amount: "1.00" }))
    const { json } = yield* correct(known.id, { prefix: "FE", lines })
    const params = json.error.errors.map(({ param }: { readonly param: string }) => param)
    assert.includeMembers(params, ["lines[0].line_extension_amount", "prefix"])
    assert.deepStrictEqual(codeOf(yield* correct("inv_01k0000000000000000000000a")), [404, "resource_missing"])
    yield* script(client, { reject: ["FAD06"] })
    const bad = yield* issue(client, "/v1/invoices", body, rejected)
    const unknown = yield* correct(bad.id, { customer_id: "cust_01k0000000000000000000000a" })
    assert.deepStrictEqual([...codeOf(unknown), unknown.json.error.param], [404, "resource_missing", "customer_id"])
    const keyless = yield* client.post(`/v1/invoices/${bad.id}/correct`, body)
    assert.deepStrictEqual(codeOf(keyless), [400, "idempotency_key_missing"])
    assert.strictEqual((yield* correct(bad.id)).status, 202)
  })

  it.effect("uses the next script each time, and makes another code within the same second", function* () {
    const { client } = yield* TestApp
    const body = invoiceBody(yield* newCustomer(client))
    const next = [{ reject: ["FAD06"] }, { reject: ["FAK24"] }, { fail: true }]
    yield* script(client, ...next)
    const codes = new Set<string>()
    const { cufe, id } = yield* issue(client, "/v1/invoices", body, rejected)
    codes.add(cufe)
    const path = `/v1/invoices/${id}`
    yield* client.post(`${path}/correct`, body, key())
    const second = yield* settled(client, path, rejected)
    assert.strictEqual(second.authority_errors[0].rule, "FAK24")
    codes.add(second.cufe)
    yield* client.post(`${path}/correct`, body, key())
    const failed = yield* settled(client, path, "failed")
    assert.strictEqual(failed.full_number, second.full_number)
    codes.add(failed.cufe)
    assert.strictEqual((yield* client.post(`${path}/retry`, undefined, key())).status, 202)
    const done = yield* settled(client, path, accepted)
    assert.strictEqual(codes.size, 3)
    assert.strictEqual(done.cufe, failed.cufe)
    const rejections = (yield* entries(client, path)).filter(({ command }) => command === "reject")
    assert.deepStrictEqual(
      rejections.map((entry) => entry["authority_errors"][0].rule),
      ["FAD06", "FAK24"]
    )
  })

  it.effect("succeeds once among concurrent corrections, and the number stays", function* () {
    const { client } = yield* TestApp
    const body = invoiceBody(yield* newCustomer(client))
    yield* script(client, { reject: ["FAD06"] })
    const former = yield* issue(client, "/v1/invoices", body, rejected)
    const answers = yield* Effect.forEach(
      Array.range(1, 8),
      (index) => client.post(`/v1/invoices/${former.id}/correct`, { ...body, metadata: { try: `${index}` } }, key()),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [202, ...Array.makeBy(7, () => 409)]
    )
    const won = answers.find(({ status }) => status === 202)
    const now = yield* settled(client, `/v1/invoices/${former.id}`, accepted)
    assert.deepStrictEqual([now.full_number, now.metadata], [former.full_number, won?.json.metadata])
  })

  it.effect("lets a note name another invoice, and credit no more than that invoice's amount", function* () {
    const { client } = yield* TestApp
    const customer = yield* newCustomer(client)
    const [one, other] = [
      yield* issue(client, "/v1/invoices", invoiceBody(customer), accepted),
      yield* issue(client, "/v1/invoices", invoiceBody(customer), accepted)
    ]
    yield* issue(client, "/v1/credit-notes", partialNoteBody(other.id, "20000.00"), accepted)
    yield* script(client, { reject: ["CBF03a"] }, { reject: ["DBF03a"] })
    const credit = yield* issue(client, "/v1/credit-notes", noteBody(one.id), rejected)
    const debit = yield* issue(client, "/v1/debit-notes", partialNoteBody(one.id, "1.00"), rejected)
    // Until the correction, the credit of the rejected note is free, and another note uses it.
    const taken = yield* issue(client, "/v1/credit-notes", noteBody(one.id), accepted)
    const correct = (body: object) => client.post(`/v1/credit-notes/${credit.id}/correct`, body, key())
    assert.deepStrictEqual(codeOf(yield* correct(noteBody(one.id))), [409, "credit_exceeds_invoice"])
    assert.deepStrictEqual(codeOf(yield* correct(noteBody(other.id))), [409, "credit_exceeds_invoice"])
    const right = yield* correct(partialNoteBody(other.id, "99000.00"))
    assert.strictEqual(right.status, 202, right.text)
    const now = yield* settled(client, `/v1/credit-notes/${credit.id}`, accepted)
    assert.deepInclude(now, { full_number: credit.full_number, invoice_id: other.id })
    assert.notStrictEqual(now.cude, credit.cude)
    assert.isBelow(Number(now.full_number.slice(2)), Number(taken.full_number.slice(2)))
    assert.include((yield* client.get(`/v1/credit-notes/${credit.id}/xml`)).text, other.cufe)
    const [rejection] = (yield* entries(client, `/v1/credit-notes/${credit.id}`)).filter((entry) => "cude" in entry)
    assert.deepInclude(rejection, { command: "reject", cude: credit.cude })
    const debited = yield* client.post(`/v1/debit-notes/${debit.id}/correct`, partialNoteBody(one.id, "2.00"), key())
    assert.strictEqual(debited.status, 202, debited.text)
    assert.strictEqual((yield* settled(client, `/v1/debit-notes/${debit.id}`, accepted)).totals.payable_amount, "2.00")
  })

  it.effect("remains the only request that changes a document's content, and only after a rejection", function* () {
    const { accountId, client } = yield* TestApp
    const sql = yield* SqlClient.SqlClient
    const { id } = yield* issue(client, "/v1/invoices", invoiceBody(yield* newCustomer(client)), accepted)
    yield* script(client, { reject: ["FAD06"] })
    const bad = yield* issue(client, "/v1/invoices", invoiceBody(yield* newCustomer(client)), rejected)
    const refused = (statement: Parameters<typeof refusedIn>[1]) =>
      refusedIn(AccountView.within(sql, { account_id: accountId, livemode: false }), statement)
    const only = "a request changes the content of a document only by a correction"
    // Without the policy, so that only the guard can reject these statements.
    yield* sql`alter policy requested_states on invoices using (true) with check (true)`
    for (const change of [
      sql`lines = '[]'`,
      sql`totals = '{}'`,
      sql`acquirer = '{}'`,
      sql`metadata = '{"a": "b"}'`,
      sql`customer_id = 'another'`,
      sql`authority_errors = '[{}]'`
    ]) {
      assert.include(yield* refused(sql`update invoices set ${change} where id = ${id}`), only)
      assert.include(yield* refused(sql`update invoices set ${change} where id = ${bad.id}`), only)
    }
    yield* sql`
      alter policy requested_states on invoices using (true) with check (state in ('canceled', 'queued', 'numbered', 'signed'))`
    const corrected = sql`state = 'numbered', version = version + 1, next_action_at = now(), cufe = null, attempts = 0,
      submitted_at = null, contingency_since = null, transmit_before = null, of_type_04 = false,
      authority_errors = '[]', authority_notifications = '[]'`
    assert.include(
      yield* refused(sql`update invoices set ${corrected} where id = ${bad.id}`),
      "a correction keeps the rejected document"
    )
    assert.include(yield* refused(sql`update invoices set ${corrected} where id = ${id}`), "stays issued")
    assert.include(
      yield* refused(sql`delete from invoice_documents where invoice_id = ${bad.id}`),
      "only moved to rejected_documents"
    )
    const copy = (from: string) => sql`
      insert into rejected_documents (account_id, livemode, invoice_id, version, cufe, issue_date, issue_time,
        issuer_version, authority_errors, authority_notifications, signed)
      select i.account_id, i.livemode, i.id, i.version, i.cufe, i.issue_date, i.issue_time, i.issuer_version,
        i.authority_errors, i.authority_notifications, 'bytes' from invoices i where i.id = ${from}`
    assert.include(yield* refused(copy(id)), "row-level security")
    for (const [column, value] of [
      ["number", sql`number + 1`],
      ["full_number", sql`'SETP1'`]
    ] as const) {
      assert.include(
        yield* refused(sql`update invoices set ${sql.literal(column)} = ${value} where id = ${bad.id}`),
        "permission denied"
      )
    }
    assert.include(yield* refused(sql`update rejected_documents set cufe = 'x'`), "permission denied")
    assert.include(yield* refused(sql`delete from rejected_documents`), "permission denied")
    // The delete sees no row of an accepted document.
    yield* answered(
      AccountView.within(sql, { account_id: accountId, livemode: false })(
        Effect.orDie(sql`delete from invoice_documents where invoice_id = ${id}`)
      )
    )
    assert.lengthOf(yield* sql`select from invoice_documents where invoice_id = ${id}`, 1)
  })
})
