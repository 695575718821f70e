import { Context, Duration, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { sandboxSoftware } from "../../../src/documents/ubl/UblSoftware.ts"
import { TestSetPace } from "../../../src/invoices/enablement/TestSetPace.ts"
import * as AuthorityLive from "../../../src/invoices/authority/AuthorityLive.ts"
import * as AuthoritySandbox from "../../../src/invoices/authority/AuthoritySandbox.ts"
import type { Client } from "../../support/apps/Client.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { keyFile, softwareSettings } from "../../support/authority/LiveAccounts.ts"
import { accepted } from "../../support/authority/StandInAnswers.ts"
import { standInAuthority } from "../../support/authority/StandInAuthority.ts"

const readCufe = (signed: Uint8Array) => readSignedDocument(signed)?.cufe ?? null
export type StandIn = Effect.Success<ReturnType<typeof standInAuthority>>

export class World extends Context.Service<World, { readonly service: StandIn }>()("test/World") {}

const software = {
  provider: sandboxSoftware.provider,
  id: softwareSettings.SOFTWARE_ID,
  pin: Redacted.make(softwareSettings.SOFTWARE_PIN)
}

const pace = Layer.succeed(TestSetPace, {
  // Longer than any machine needs for a verdict. `withoutVerdict` lets the time pass for documents without one.
  patience: Duration.hours(1),
  askAfter: Duration.millis(10),
  askAtMost: Duration.millis(50),
  retryAtMost: Duration.millis(100),
  openMax: 4
})

/** The service with an authority's environment for enablement. */
export const world = Layer.unwrap(
  Effect.gen(function* () {
    const service = yield* standInAuthority({ readCufe })
    const authority = AuthorityLive.layerByMode({
      test: AuthoritySandbox.layer({ read: readSignedDocument, latency: 0 }),
      live: undefined,
      testSet: { url: service.url, software }
    })
    return Layer.merge(TestApp.layer({ authority }).pipe(Layer.provide(pace)), Layer.succeed(World, { service }))
  })
)

export const file = keyFile()
export const path = "/v1/account/enablement"

let sets = 0
export const newSet = (change: object = {}) => ({
  test_set_id: `b7d1c2a4-93cf-4a9e-8a2f-${String(sets++).padStart(12, "0")}`,
  invoices: 2,
  credit_notes: 0,
  debit_notes: 0,
  ...change
})

/** A live client of an account that is ready for enablement, and an authority that accepts everything. */
export const ready = Effect.gen(function* () {
  const { withNewKey } = yield* TestApp.TestApp
  const { service } = yield* World
  const live = yield* withNewKey("live")
  yield* live.post("/v1/account/certificate", { pkcs12: file.pkcs12, password: file.password })
  const { arrived, play } = service.testSet
  play.judge = ({ cufe, number }) => accepted(number, cufe)
  play.refusal = null
  play.pendingFor = 1
  service.answerWith(() => undefined)
  return { live, service, arrived, play }
})

/**
 * The statement that ends the wait for a verdict, only for requested verdicts that never come.
 * `judged`: the codes of the documents that get a verdict.
 */
export const withoutVerdict = (judged: Iterable<string>) => `
  with running as (
    update enablements set answering_since = answering_since - interval '2 hours'
    where status = 'running' and answering_since > now() - interval '1 hour'
  )
  update enablement_documents set sent_at = sent_at - interval '2 hours'
  where state = 'sent' and asked > 0 and sent_at > now() - interval '1 hour'
    and cufe <> all ('{${[...judged].join(",")}}'::text[])`

/** The test set after its end. `isUnjudged`: whether an arrived document gets no verdict. */
export const ended = Effect.fnUntraced(function* (live: Client, isUnjudged: (cufe: string) => boolean = () => false) {
  const { service } = yield* World
  const sql = yield* SqlClient.SqlClient
  const judged = () => [...service.testSet.arrived.keys()].filter((cufe) => !isUnjudged(cufe))
  const passTime = Effect.suspend(() => sql.unsafe(withoutVerdict(judged())))
  const { json } = yield* until(Effect.andThen(passTime, live.get(path)), ({ json: seen }) => seen.status !== "running")
  return json
})

export const statusesOf = (json: { readonly documents: ReadonlyArray<{ readonly status: string }> }) =>
  Object.fromEntries(
    [...Map.groupBy(json.documents, ({ status }) => status)].map(([status, all]) => [status, all.length] as const)
  )
