import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { type Client, makeClient } from "../../support/apps/Client.ts"
import { until } from "../../support/apps/Until.ts"
import { keyFile, softwareSettings } from "../../support/authority/LiveAccounts.ts"
import { accepted, rejectedBy } from "../../support/authority/StandInAnswers.ts"
import { standInAuthority } from "../../support/authority/StandInAuthority.ts"
import { folioCommand } from "../../support/processes/FolioCommand.ts"
import { never, type ServiceProcess, serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { describeLive } from "../../support/Tests.ts"
import { withoutVerdict } from "./Enabling.ts"

type StandIn = Effect.Success<ReturnType<typeof standInAuthority>>

class World extends Context.Service<World, { readonly service: ServiceProcess; readonly authority: StandIn }>()(
  "test/World"
) {}

/** The service as a process that the test can kill, and an authority that survives. */
const world = Layer.effect(
  World,
  Effect.gen(function* () {
    const authority = yield* standInAuthority({ readCufe: (signed) => readSignedDocument(signed)?.cufe ?? null })
    const env = {
      AUTHORITY_URL: authority.url,
      AUTHORITY_TEST_URL: authority.url,
      ENABLEMENT_PATIENCE_MS: "3600000",
      ...softwareSettings
    }
    const service = yield* serviceProcess({ webhookAllow: "", env })
    yield* service.start(never)
    return World.of({ service, authority })
  })
)

const file = keyFile()

/** A client of the live mode, whose account fulfils all requirements of enablement. */
const liveClient = Effect.fnUntraced(function* (service: ServiceProcess): Effect.fn.Return<Client, unknown> {
  const account = (yield* service.client().get("/v1/account")).json.id
  const said = yield* folioCommand(
    ["keys", "create", "--account", account, "--mode", "live", "--copy-issuer", "--json"],
    { DATA_DIR: service.dataDir }
  )
  assert.strictEqual(said.code, 0, said.error)
  const live = makeClient(service.url, said.json.key)
  const issuer = yield* live.request("PATCH", "/v1/account", { body: { vat_responsible: true } })
  assert.strictEqual(issuer.status, 200, issuer.text)
  const stored = yield* live.post("/v1/account/certificate", { pkcs12: file.pkcs12, password: file.password })
  assert.strictEqual(stored.status, 200, stored.text)
  return live
})

const path = "/v1/account/enablement"

describeLive(world)("A test set under kill -9", (it) => {
  it.effect("passes in another process: no document arrives twice, and no live number is used", function* () {
    const { authority, service } = yield* World
    const { arrived, play } = authority.testSet
    const live = yield* liveClient(service)
    // The seventh document that arrives is rejected, and the twelfth gets no verdict.
    const orderOf = (cufe: string) => [...arrived.keys()].indexOf(cufe)
    play.judge = ({ cufe, number }) => {
      if (orderOf(cufe) === 11) return null
      return orderOf(cufe) === 6
        ? rejectedBy(["Regla: FAJ43b, Rechazo: Nombre informado No corresponde al registrado en el RUT."], cufe)
        : accepted(number, cufe)
    }
    const body = {
      test_set_id: "b7d1c2a4-93cf-4a9e-8a2f-6c2f5d0e9b11",
      invoices: 30,
      credit_notes: 10,
      debit_notes: 10
    }
    const begun = yield* live.post(path, body)
    assert.strictEqual(begun.status, 200, begun.text)

    // A kill from outside in the middle, a kill before a document leaves, and a kill after its answer but before its
    // storage.
    yield* until(
      Effect.sync(() => arrived.size),
      (size) => size >= 9
    )
    yield* service.signal("SIGKILL")
    yield* service.ended
    // Time passes only for documents without a verdict, even on a slow machine.
    const passTime = Effect.suspend(() =>
      service.rows(withoutVerdict([...arrived.keys()].filter((cufe) => orderOf(cufe) !== 11)))
    )
    for (const point of ["after-submit", "after-verdict"] as const) {
      yield* service.start({ point, hit: 4 })
      yield* Effect.raceFirst(service.ended, Effect.forever(Effect.delay(passTime, "100 millis")))
    }
    yield* service.start(never)
    const { json } = yield* until(
      Effect.andThen(passTime, live.get(path)),
      ({ json: seen }) => seen.status !== "running",
      "180 seconds",
      "100 millis"
    )

    assert.deepInclude(json, { status: "passed", failure: null }, JSON.stringify(json.failure))
    assert.deepStrictEqual(
      [json.invoices, json.credit_notes, json.debit_notes],
      [
        { wanted: 30, accepted: 30, missing: 0 },
        { wanted: 10, accepted: 10, missing: 0 },
        { wanted: 10, accepted: 10, missing: 0 }
      ]
    )
    const shown = json.documents as ReadonlyArray<Readonly<Record<string, unknown>>>
    const of = (status: string) => shown.filter((one) => one["status"] === status)
    assert.lengthOf(of("rejected"), 1)
    assert.include(JSON.stringify(of("rejected")), '"rule":"FAJ43b"')
    // The document without a verdict, and the documents that did not leave before a kill.
    assert.isAtLeast(of("unanswered").length, 1)
    assert.isAtMost(of("unanswered").length, 9)

    assert.deepStrictEqual(authority.refusals, [])
    assert.deepStrictEqual(
      [...arrived.values()].filter(({ times }) => times !== 1),
      []
    )
    const numbers = shown.map((one) => one["full_number"])
    assert.strictEqual(new Set(numbers).size, numbers.length)
    assert.deepStrictEqual(
      [...arrived.values()].filter(({ environment, number }) => environment !== "2" || !numbers.includes(number)),
      []
    )
    const [nothing] = yield* service.rows<Record<string, number>>(`
      select (select count(*)::int from invoices) as invoices, (select count(*)::int from events) as events,
        (select count(*)::int from emails) as emails,
        (select count(*)::int from resolutions where livemode or next_number > from_number) as numbers`)
    assert.deepStrictEqual(nothing, { invoices: 0, events: 0, emails: 0, numbers: 0 })
    assert.isFalse(authority.calls.some(({ operation }) => operation === "SendBillSync"))
  })
})
