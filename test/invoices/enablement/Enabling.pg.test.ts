import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AuthorityUnavailable } from "../../../src/invoices/authority/Authority.ts"
import { Certificates } from "../../../src/accounts/store/Certificates.ts"
import { fromPem, makeSelfSigned, SigningUnavailable } from "../../../src/documents/signature/Certificate.ts"
import { type AccountCertificate, SigningKeys } from "../../../src/documents/signature/SigningKeys.ts"
import { breakable, installed } from "../../ports/Faults.ts"
import { account, keys } from "../../support/apps/Accounts.ts"
import { accepted, FakeAuthority } from "../../support/apps/Fakes.ts"
import { serviceWith } from "../../support/apps/PostgresApp.ts"
import { bearer, get, post, type Reply } from "../../support/apps/Requests.ts"
import { pace } from "../../portal/setup/Pace.ts"
import { giveCertificate } from "../../support/authority/LiveAccounts.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

const path = "/v1/account/enablement"
const headers = bearer(keys.live)

const sends = ({ cufe }: { readonly cufe: string }) => Effect.succeed(cufe)

const small = { invoices: 1, credit_notes: 1, debit_notes: 0 }

/** Starts a test set at an authority that takes every document and accepts it. */
const begin = Effect.fnUntraced(function* (test_set_id: string, authority: Partial<FakeAuthority["Service"]>) {
  const fake = yield* FakeAuthority
  fake.testDocuments.length = 0
  Object.assign(fake, { onTestDocument: sends, onTestVerdict: () => Effect.succeed(accepted), ...authority })
  const begun = yield* post(path, { ...small, test_set_id }, headers)
  assert.strictEqual(begun.status, 200, begun.text)
  return fake
})

/** Waits until the test set is as described. A set that waits for its next round gets it immediately. */
const when = Effect.fnUntraced(function* (holds: (json: Reply["json"]) => boolean) {
  const sql = yield* SqlClient.SqlClient
  const hurry = sql`update enablements set next_action_at = now() where worker is null and status = 'running'`
  return (yield* until(Effect.andThen(hurry, get(path, headers)), ({ json }) => holds(json))).json
})
const ended = when(({ status }) => status !== "running")
const waiting = Effect.map(
  when((json) => json.waiting !== null),
  (json) => json.waiting
)

const unavailable = (message: string, trouble: "in_process" | "name_not_found") => () =>
  Effect.fail(new AuthorityUnavailable({ message, trouble }))

describeLive(serviceWith(pace))("A test set", (it) => {
  it.effect("survives an authority's port that breaks, and sends no document twice", function* () {
    const fake = yield* begin("b7d1c2a4-93c1", { onTestDocument: () => Effect.die("broken") })
    assert.strictEqual((yield* waiting).code, "internal")
    fake.onTestDocument = sends
    assert.strictEqual((yield* ended).status, "passed")
    const codes = fake.testDocuments.map(({ cufe }) => cufe)
    assert.strictEqual(new Set(codes).size, codes.length)
  })

  it.effect("sends the same document again when nothing has left", function* () {
    const took = new Set<string>()
    const inProcess = unavailable("TrackId no existe.", "in_process")
    const fake = yield* begin("b7d1c2a4-93c2", {
      onTestVerdict: (cufe) => (took.has(cufe) ? Effect.succeed(accepted) : inProcess()),
      onTestDocument: unavailable("DNS", "name_not_found")
    })
    const { code, message } = yield* waiting
    assert.strictEqual(code, "name_not_found")
    assert.include(message, "AUTHORITY_TEST_URL")
    fake.onTestDocument = (sent) => {
      took.add(sent.cufe)
      return sends(sent)
    }
    const json = yield* ended
    assert.deepStrictEqual([json.status, json.documents.length], ["passed", 2])
  })

  it.effect("drops a document after five minutes without a verdict, and ends after three of them", function* () {
    yield* begin("b7d1c2a4-93c3", { onTestVerdict: unavailable("Batch en proceso de validación.", "in_process") })
    const sql = yield* SqlClient.SqlClient
    /** Backdates the waiting document by that many seconds. */
    const waited = (seconds: number) =>
      until(
        sql<{ number: string; asked: number }>`
          with earlier as (update enablements set answering_since = now() - interval '1 hour' where id = 'b7d1c2a4-93c3')
          update enablement_documents set sent_at = now() - ${seconds} * interval '1 second'
          where enablement_id = 'b7d1c2a4-93c3' and state = 'sent' and asked > 0 returning number, asked`,
        (rows) => rows.length === 1
      )
    const [early] = yield* waited(290)
    const [still] = yield* until(
      sql<{ state: string; asked: number }>`
        select state, asked from enablement_documents where enablement_id = 'b7d1c2a4-93c3' and number = ${early!.number}`,
      ([row]) => row!.asked > early!.asked + 1
    )
    assert.strictEqual(still?.state, "sent")
    for (let document = 1; document <= 3; document++) {
      yield* waited(301)
      yield* when(({ documents, status }) => documents.length > document || status !== "running")
    }
    const failed = yield* ended
    assert.deepStrictEqual([failed.failure.code, failed.documents.length], ["documents_unanswered", 3])
    for (const { status } of failed.documents) assert.strictEqual(status, "unanswered")
  })

  it.effect("waits while its signer fails, and passes once the signer works", function* () {
    const pem = yield* makeSelfSigned("Tienda", new Date())
    yield* giveCertificate(account, pem)
    yield* (yield* Certificates).forget(account)
    const state = { lack: "no key", signatures: 0, most: 0 }
    const lacking = Effect.suspend(() => Effect.fail(new SigningUnavailable({ message: state.lack })))
    const signer = breakable()
    yield* installed(yield* SigningKeys, "signer", signer)
    signer.fault = () => lacking
    const refused = yield* post(path, { ...small, test_set_id: "b7d1c2a4-93c5" }, headers)
    assert.deepStrictEqual([refused.status, refused.json.error?.code], [503, "service_unavailable"], refused.text)
    assert.include(refused.json.error.message, "no key")

    const local = fromPem(pem)
    const sign = (bytes: Uint8Array) =>
      Effect.suspend(() => (state.signatures++ < state.most ? local.sign(bytes) : lacking))
    signer.fault = ({ certificate }: AccountCertificate) => Effect.succeed({ certificate, sign })
    const arrived: Array<string> = []
    const onTestDocument: FakeAuthority["Service"]["onTestDocument"] = ({ certificate, cufe }) =>
      certificate
        .sign(Buffer.from("a call"))
        .pipe(Effect.andThen(Effect.sync(() => arrived.push(cufe))), Effect.as(cufe))
    yield* begin("b7d1c2a4-93c5", { onTestDocument })
    for (const [lack, most] of [
      ["no signature of the document", 0],
      ["no signature of the call", 1]
    ] as const) {
      Object.assign(state, { lack, most: state.signatures + most })
      const shown = yield* when(({ status, ...json }) => status !== "running" || json.waiting?.message.includes(lack))
      assert.deepStrictEqual([shown.status, shown.waiting?.code], ["running", "signer_unavailable"])
      assert.deepStrictEqual(arrived, [])
    }
    state.most = Infinity
    const json = yield* ended
    assert.deepStrictEqual([json.status, json.failure, json.waiting], ["passed", null, null])
    assert.lengthOf(arrived, 2)
    assert.lengthOf(new Set(arrived), 2)
  })

  it.effect("fails with account_not_ready when the certificate is gone", function* () {
    yield* begin("b7d1c2a4-93c4", { onTestVerdict: unavailable("Batch en proceso de validación.", "in_process") })
    const sql = yield* SqlClient.SqlClient
    yield* sql`delete from certificates`
    yield* (yield* Certificates).forget(account)
    const { failure } = yield* ended
    assert.strictEqual(failure.code, "account_not_ready")
    assert.match(failure.message, /no signing certificate .*again/)
  })
})
