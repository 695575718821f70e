import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { brokenRules } from "../../oracle/AuthorityCheck.ts"
import { colombianSandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import { Enablements } from "../../../src/invoices/store/Enablements.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { softwareSettings } from "../../support/authority/LiveAccounts.ts"
import { accepted, rejectedBy } from "../../support/authority/StandInAnswers.ts"
import { describeLive } from "../../support/Tests.ts"
import { ended, file, newSet, path, ready, type StandIn, statusesOf, world } from "./Enabling.ts"

/** The authority's answer to a certificate that it does not trust. */
const untrusted =
  '<s:Fault><s:Code><s:Value>s:Client</s:Value></s:Code><s:Reason><s:Text xml:lang="en-US">The creator of this fault did not specify a Reason.</s:Text></s:Reason></s:Fault>'

const each = (service: StandIn) => [...service.testSet.arrived.values()].map(({ times }) => times)

describeLive(world)("Enablement", (it) => {
  it.effect("lists the missing parts before it begins, without a call to the authority", function* () {
    const { client, withNewKey } = yield* TestApp.TestApp
    const live = yield* withNewKey("live")
    const early = yield* live.get(path)
    assert.deepStrictEqual([early.status, early.json.error.code], [404, "resource_missing"])
    const lacking = yield* live.post(path, newSet())
    assert.deepStrictEqual([lacking.status, lacking.json.error.code], [403, "account_not_live"])
    assert.match(lacking.json.error.message, /no signing certificate .*\/v1\/account\/certificate/)
    const test = yield* client.post(path, newSet())
    assert.deepStrictEqual([test.status, test.json.error.code], [403, "account_not_live"])
    assert.match(test.json.error.message, /live key/)
    assert.strictEqual((yield* client.get(path)).status, 404)
    for (const wrong of [
      { invoices: 0 },
      { invoices: 101 },
      { credit_notes: -1 },
      { debit_notes: 101 },
      { test_set_id: "" },
      { test_set_id: "no set of the portal" },
      { range: { ...colombianSandbox.range, from_number: 9, to_number: 8 } },
      { more: 1 }
    ]) {
      const refused = yield* live.post(path, newSet(wrong))
      assert.strictEqual(refused.status, 400, refused.text)
      assert.include(refused.json.error.param, Object.keys(wrong)[0])
    }
  })

  it.effect(
    "passes although one document is rejected and another gets no verdict, and uses no live number",
    function* () {
      const { arrived, live, play, service } = yield* ready
      const sql = yield* SqlClient.SqlClient
      // The third document that arrives is rejected, and the fourth gets no verdict.
      const orderOf = (cufe: string) => [...arrived.keys()].indexOf(cufe)
      play.judge = ({ cufe, number }) => {
        if (orderOf(cufe) === 3) return null
        return orderOf(cufe) === 2
          ? rejectedBy(["Regla: FAJ43b, Rechazo: Nombre informado No corresponde al registrado en el RUT."], cufe)
          : accepted(number, cufe)
      }
      const body = newSet({ invoices: 8, credit_notes: 3, debit_notes: 2 })
      const begun = yield* live.post(path, body)
      assert.strictEqual(begun.status, 200, begun.text)
      assert.deepInclude(begun.json, { object: "enablement", status: "running", test_set_id: body.test_set_id })
      assert.deepStrictEqual(begun.json.invoices, { wanted: 8, accepted: 0, missing: 8 })
      const again = yield* live.post(path, body)
      assert.strictEqual(again.json.started_at, begun.json.started_at)
      const other = yield* live.post(path, newSet())
      assert.deepStrictEqual([other.status, other.json.error.code], [409, "enablement_running"])

      const json = yield* ended(live, (cufe) => orderOf(cufe) === 3)
      assert.deepInclude(json, { status: "passed", failure: null, waiting: null })
      assert.deepStrictEqual(json.invoices, { wanted: 8, accepted: 8, missing: 0 })
      // The reason of the wait disappears when the document has its verdict.
      const judged = json.documents.filter(({ status }: { status: string }) => /accepted|rejected/.test(status))
      assert.isTrue(judged.every(({ message }: { message: unknown }) => message === null))
      assert.deepStrictEqual(json.credit_notes, { wanted: 3, accepted: 3, missing: 0 })
      assert.deepStrictEqual(statusesOf(json), { accepted: 13, rejected: 1, unanswered: 1 })
      const [shown] = json.documents.filter(({ status }: { status: string }) => status === "rejected")
      assert.deepStrictEqual(shown.authority_errors[0].rule, "FAJ43b")
      assert.match(shown.authority_errors[0].hint, /legal_name/)

      assert.deepStrictEqual(service.refusals, [])
      assert.strictEqual(arrived.size, 15)
      assert.isTrue(each(service).every((times) => times === 1))
      const records = {
        technicalKey: () => colombianSandbox.range.technical_key,
        pin: (id: string) => (id === softwareSettings.SOFTWARE_ID ? softwareSettings.SOFTWARE_PIN : undefined)
      }
      for (const { bytes, environment, testSetId } of arrived.values()) {
        assert.deepStrictEqual([environment, testSetId], ["2", body.test_set_id])
        assert.deepStrictEqual(brokenRules(bytes, records), [])
        assert.include(Buffer.from(bytes).toString(), file.certificate)
      }
      assert.strictEqual(service.calls.at(-1)?.certificate, file.certificate)

      const [nothing] = yield* sql`
      select (select count(*)::int from invoices) as invoices, (select count(*)::int from events) as events,
        (select count(*)::int from emails) as emails,
        (select count(*)::int from resolutions where next_number > from_number) as moved`
      assert.deepStrictEqual(nothing, { invoices: 0, events: 0, emails: 0, moved: 0 })
      const log = yield* sql`select details from audit_log where action = 'enablement.started'`
      assert.deepStrictEqual(log, [{ details: { test_set_id: body.test_set_id } }])
      const known = yield* live.post(path, body)
      assert.deepStrictEqual(known.json, json)
    }
  )

  it.effect("uses no number twice, across several test sets", function* () {
    const { live } = yield* ready
    const sql = yield* SqlClient.SqlClient
    const before = yield* sql`select 1 from enablement_documents`
    yield* live.post(path, newSet({ invoices: 3, debit_notes: 1 }))
    assert.strictEqual((yield* ended(live)).status, "passed")
    const rows = yield* sql<{ full_number: string }>`select full_number from enablement_documents`
    assert.strictEqual(rows.length, before.length + 4)
    assert.strictEqual(new Set(rows.map(({ full_number }) => full_number)).size, rows.length)
  })

  it.effect(
    "stops when all documents break the same rule, and later continues with the missing documents",
    function* () {
      const { arrived, live, play } = yield* ready
      const body = newSet({ invoices: 3 })
      const from = arrived.size
      play.judge = ({ cufe }) => rejectedBy(["Regla: FAB24b, Rechazo: Identificador del software no autorizado."], cufe)
      yield* live.post(path, body)
      const failed = yield* ended(live)
      assert.deepInclude(failed, { status: "failed" })
      assert.strictEqual(failed.failure.code, "documents_rejected")
      assert.match(failed.failure.message, /FAB24b/)
      assert.include(failed.message, failed.failure.message)
      assert.strictEqual(arrived.size - from, 2)
      assert.match(failed.documents[1].authority_errors[0].hint, /associate/)
      play.judge = ({ cufe, number }) => accepted(number, cufe)
      const again = yield* live.post(path, body)
      assert.deepInclude(again.json, { status: "running", failure: null, started_at: failed.started_at })
      const passed = yield* ended(live)
      assert.deepStrictEqual([passed.status, statusesOf(passed)], ["passed", { rejected: 2, accepted: 3 }])
    }
  )

  it.effect("uses other numbers if the authority already has documents with these numbers", function* () {
    const { live, play } = yield* ready
    let used = 0
    play.judge = ({ cufe, kind, number }) =>
      kind === "invoice" && used++ < 8
        ? rejectedBy(["Regla: 90, Rechazo: Documento procesado anteriormente."])
        : accepted(number, cufe)
    yield* live.post(path, newSet({ invoices: 1 }))
    const json = yield* ended(live)
    assert.strictEqual(json.status, "passed")
    const numbers = json.documents.map(({ full_number }: { full_number: string }) => Number(full_number.slice(4)))
    // Folio requests each verdict twice: by the upload, and by the code.
    assert.deepStrictEqual(statusesOf(json), { number_used: 4, accepted: 1 })
    assert.deepStrictEqual(
      numbers.slice(1).map((number: number, index: number) => number - numbers[index]),
      [1, 2, 4, 8]
    )
  })

  it.effect("fails with the authority's message if the authority rejects every document", function* () {
    const { live, play } = yield* ready
    const body = newSet()
    play.refusal = "Set de prueba con identificador X no existe."
    yield* live.post(path, body)
    const failed = yield* ended(live)
    assert.deepStrictEqual([failed.status, failed.failure.code], ["failed", "authority_refused"])
    assert.match(failed.failure.message, /no existe.*test_set_id/)
    assert.deepStrictEqual(statusesOf(failed), { refused: 1 })
    play.refusal = "Set de prueba con identificador X no se encuentra Aceptado."
    yield* live.post(path, body)
    assert.strictEqual((yield* ended(live)).status, "failed")
    play.refusal = "Set de prueba con identificador X se encuentra Aceptado."
    yield* live.post(path, body)
    const passed = yield* ended(live)
    assert.deepStrictEqual([passed.status, passed.invoices.missing], ["passed", 0])
    assert.match(passed.message, /authority has accepted the test set/)
  })

  it.effect("waits during a trouble of the authority, shows it, and continues automatically", function* () {
    const { live, service } = yield* ready
    service.answerWith(() => ({ _tag: "Raw", status: 503, type: "text/html", text: "<html/>" }))
    yield* live.post(path, newSet())
    const waits = yield* until(live.get(path), ({ json }) => json.waiting !== null)
    assert.deepInclude(waits.json, { status: "running" })
    assert.strictEqual(waits.json.waiting.code, "server_error")
    assert.match(waits.json.waiting.message, /resumes by itself/)
    assert.include(waits.json.message, waits.json.waiting.message)
    service.answerWith(() => undefined)
    const json = yield* ended(live)
    assert.deepInclude(json, { status: "passed", waiting: null })
  })

  it.effect("sends a document again that was certainly not read, and waits for a trusted certificate", function* () {
    const { arrived, live, service } = yield* ready
    const from = arrived.size
    service.answerTo("SendTestSetAsync", { _tag: "Body", status: 500, xml: untrusted })
    yield* live.post(path, newSet())
    const waits = yield* until(live.get(path), ({ json }) => json.waiting !== null)
    assert.deepStrictEqual([waits.json.status, waits.json.waiting.code], ["running", "certificate_refused"])
    assert.match(waits.json.waiting.message, /does not trust .*\/v1\/account\/certificate/)
    service.answerWith(() => undefined)
    const json = yield* ended(live)
    assert.deepStrictEqual([json.status, statusesOf(json), arrived.size - from], ["passed", { accepted: 2 }, 2])
  })

  it.effect("queries by the code of a document whose answer was lost, and sends none twice", function* () {
    const { live, service } = yield* ready
    const from = service.calls.length
    let lost = 0
    service.answerWith(({ operation }) =>
      operation === "SendTestSetAsync" && lost++ < 2
        ? { _tag: "Reset", after: lost === 1 ? "work" : "nothing" }
        : undefined
    )
    yield* live.post(path, newSet({ invoices: 3 }))
    const json = yield* ended(live)
    assert.strictEqual(json.status, "passed")
    assert.deepStrictEqual(statusesOf(json), { accepted: 3, unanswered: 1 })
    assert.isTrue(each(service).every((times) => times === 1))
    assert.isTrue(service.calls.slice(from).some(({ operation }) => operation === "GetStatus"))
  })

  it.effect("lets only one of two processes send a document", function* () {
    const { accountId } = yield* TestApp.TestApp
    const sql = yield* SqlClient.SqlClient
    const { documents } = yield* Enablements
    const key = { account_id: accountId, id: "an idle test set" }
    yield* sql`
      insert into enablements (account_id, livemode, id, status, run, wanted, range, technical_key_sealed, failure, started_at, resumed_at, answering_since, finished_at)
      values (${accountId}, true, ${key.id}, 'failed', 1, '{}', '{}', '', '{}', now() - interval '1 day', now() - interval '1 day', now(), now())`
    yield* sql`
      insert into enablement_documents (account_id, livemode, enablement_id, prefix, number, full_number, kind, place, run, state, cufe,
        issue_date, issuer_nit, signed, next_action_at)
      values (${accountId}, true, ${key.id}, 'ONCE', 1, 'ONCE1', 'invoice', 1, 1, 'signed', '', '', '', 'x', now())`
    const [document] = yield* documents.all(key)
    const send = documents.move(document!, { state: "sent", attempt: true, nextMs: 0 })
    const taken = yield* Effect.all([send, send], { concurrency: "unbounded" })
    assert.sameMembers([...taken], [true, false])
    const [row] = yield* documents.all(key)
    assert.deepInclude(row, { state: "sent", attempts: 1, version: 2 })
  })
})
