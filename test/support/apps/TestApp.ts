import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeDns from "@effect/platform-node/NodeDns"
import { Clock, Context, Effect, Layer, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { SigningKeys } from "../../../src/documents/signature/SigningKeys.ts"
import { Alerts } from "../../../src/operations/Alerts.ts"
import * as Http from "../../../src/http/Http.ts"
import * as Layers from "../../../src/service/Layers.ts"
import { ServiceInfo } from "../../../src/runtime/ServiceInfo.ts"
import type { NationalProfile } from "../../../src/documents/NationalProfile.ts"
import { applicationResponse } from "../../../src/documents/email/ApplicationResponse.ts"
import { fromPem, makeSelfSigned, SandboxCertificate } from "../../../src/documents/signature/Certificate.ts"
import { brokenRules } from "../../oracle/AuthorityCheck.ts"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { makeApiKey } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { RateLimit } from "../../../src/http/limits/RateLimit.ts"
import type { Authority } from "../../../src/invoices/authority/Authority.ts"
import * as AuthoritySandbox from "../../../src/invoices/authority/AuthoritySandbox.ts"
import { EgressGuard } from "../../../src/webhooks/sender/EgressGuard.ts"
import { parseAllow } from "../../../src/webhooks/sender/WebhookAllow.ts"
import { WebhookSender } from "../../../src/webhooks/sender/WebhookSender.ts"
import { Mailer } from "../../../src/invoices/mail/Mailer.ts"
import { Notify } from "../../../src/accounts/Notify.ts"
import { Busyness } from "../../../src/runtime/turns/Busyness.ts"
import * as Cluster from "../../../src/runtime/cluster/Cluster.ts"
import * as Server from "../../../src/runtime/server/Server.ts"
import { AccountId } from "../../../schemas/Id.ts"
import { Accounts } from "../../../src/accounts/store/Accounts.ts"
import { ApiKeys } from "../../../src/accounts/store/ApiKeys.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { SandboxAuthorities } from "../../../src/accounts/store/sandbox/SandboxAuthorities.ts"
import { colombianSandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import * as Store from "../../../src/service/Store.ts"
import { createSandboxAccount } from "../../../src/accounts/store/sandbox/SandboxAccount.ts"
import { sharedPrinter } from "./SharedPrinter.ts"
import { type Client, makeClient } from "./Client.ts"
import { customerBody } from "./Invoices.ts"
import { colombia } from "../authority/LiveAccounts.ts"
import { layerSecretKey } from "../database/Owners.ts"
import { layerAdmin, connect, freshDatabase, quiet, layerSettings } from "../database/Postgres.ts"
import { ownMetrics, withoutRest } from "./TestSettings.ts"
import { Limits, type LimitValues } from "../../../src/runtime/Limits.ts"

export interface TestAppOptions {
  /** A destination that webhooks may reach besides the public internet: `127.0.0.1:<port>`. */
  readonly allow?: string
  /** Latency of the simulated authority in milliseconds; 0 by default. */
  readonly latency?: number
  /** Replaces the simulated authority. */
  readonly authority?: Layer.Layer<Authority>
  /** Replaces the mailer, which by default has no mail server for live emails. */
  readonly mailer?: Layer.Layer<Mailer>
  /** Replaces the Colombian profile. */
  readonly profile?: Layer.Layer<NationalProfile>
  /** By default, more than any test sends. */
  readonly rateLimits?: LimitValues["rate"]
  /** The actors, if they are to be composed differently. */
  readonly entities?: typeof Layers.layerActors
}

/** The whole service in this process, on a real database, behind a real HTTP server. */
export class TestApp extends Context.Service<
  TestApp,
  {
    readonly url: string
    readonly accountId: AccountId
    /** A test key of the account, and a client that uses it. */
    readonly apiKey: string
    readonly client: Client
    /** A client with another API key of the same account. */
    readonly withNewKey: (mode: "test" | "live") => Effect.Effect<Client>
  }
>()("test/TestApp") {}

/** A key pair for all tests of this process, as PEM: creating one takes longer than most tests. */
export const pem = Effect.runSync(Effect.cached(makeSelfSigned("Folio test", new Date())))
const certificate = Layer.effect(SandboxCertificate, Effect.map(pem, fromPem))

const newKey = Effect.fnUntraced(function* (mode: "test" | "live") {
  const random = yield* SecureRandom.SecureRandom
  return makeApiKey(mode, yield* random.randomBytes(32))
})

/** Gives the live mode the test mode's issuer. */
const shareIssuer = Effect.fnUntraced(function* (accounts: Accounts["Service"], account_id: AccountId) {
  const { issuer } = yield* accounts.get({ account_id, livemode: false })
  yield* accounts.update({ account_id, livemode: true }, (before) =>
    Effect.succeed({
      ...before,
      issuer: before.issuer ?? (issuer === null ? null : { ...issuer, vat_responsible: true })
    })
  )
  yield* accounts.forget({ account_id, livemode: true })
}, Effect.orDie)

const testApp = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ids = yield* Ids
  const accounts = yield* Accounts
  const keys = yield* ApiKeys
  const random = yield* SecureRandom.SecureRandom
  const url = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
  yield* createSandboxAccount(yield* newKey("test"), colombianSandbox)
  const rows = yield* sql<{ id: string }>`select id from accounts`
  const accountId = AccountId.make(rows[0]?.id ?? "")

  const insertKey = Effect.fnUntraced(
    function* (mode: "test" | "live") {
      const key = yield* newKey(mode)
      if (mode === "live") yield* shareIssuer(accounts, accountId)
      const created_at = new Date(yield* Clock.currentTimeMillis)
      yield* keys.insert({ id: yield* ids.apiKey, account_id: accountId, mode, key, created_at })
      return key
    },
    Effect.provideService(SecureRandom.SecureRandom, random)
  )

  const apiKey = yield* insertKey("test")
  return TestApp.of({
    url,
    accountId,
    apiKey,
    client: makeClient(url, apiKey),
    withNewKey: (mode) => Effect.map(insertKey(mode), (key) => makeClient(url, key))
  })
})

const sandbox = (latency: number) =>
  Layer.unwrap(
    Effect.map(SandboxAuthorities, ({ modeOf, scriptOf }) =>
      AuthoritySandbox.layer({
        read: readSignedDocument,
        check: (signed) => brokenRules(signed),
        respond: applicationResponse,
        latency,
        modeOf,
        scriptOf
      })
    )
  )

/**
 * The service on the database at `url`, with the sandbox account if there is none yet. Also provides all of the store's
 * services, and a `SqlClient` of the superuser instead of the service's own. Two of them on one database are two
 * processes of the service: they share nothing in memory.
 */
export const layerOn = (
  url: string,
  {
    allow = "",
    authority,
    entities = Layers.layerActors,
    latency = 0,
    mailer = Mailer.layer,
    profile = colombia,
    rateLimits = { perSecond: 1_000_000, burst: 1_000_000 }
  }: TestAppOptions = {}
) =>
  Layer.fresh(
    Layer.effect(TestApp, testApp).pipe(
      Layer.provideMerge(
        Http.serve(Layers.routes).pipe(
          Layer.provide(RateLimit.layer),
          Layer.provide(Limits.layerChanged({ rate: rateLimits, requests: withoutRest }))
        )
      ),
      Layer.provideMerge(entities),
      Layer.provideMerge(Layer.mergeAll(Notify.layer, Layers.layerDocuments)),
      Layer.provideMerge(Layer.mergeAll(Server.layer, Cluster.singleProcess, authority ?? sandbox(latency))),
      Layer.provideMerge(Store.layer),
      Layer.provideMerge(
        Layer.mergeAll(
          WebhookSender.layer.pipe(
            Layer.provideMerge(EgressGuard.layer({ allow: Result.getOrThrow(parseAllow(allow)) })),
            Layer.provide(NodeDns.layer)
          ),
          certificate,
          SigningKeys.layer,
          sharedPrinter,
          mailer,
          profile,
          layerSecretKey
        )
      ),
      Layer.provideMerge(connect(url)),
      Layer.provideMerge(NodeCrypto.layer),
      Layer.provideMerge(ServiceInfo.layer({ version: "0.1.0", baseUrl: "http://folio.test" })),
      Layer.provideMerge(layerSettings({})),
      Layer.provideMerge(
        Layer.merge(
          Alerts.layer,
          Layer.succeed(Busyness, () => 0)
        )
      ),
      Layer.provideMerge(Layer.merge(quiet, ownMetrics)),
      Layer.merge(layerAdmin(url))
    )
  )

/** The service on its own database. */
export const layer = (options: TestAppOptions = {}) =>
  Layer.unwrap(Effect.map(freshDatabase, (url) => layerOn(url, options)))

/** Registers an acquirer; returns its id. */
export const newCustomer = Effect.fnUntraced(function* (client: Client, number?: string) {
  const answer = yield* client.post("/v1/customers", customerBody(number), {
    key: `customer ${number} ${performance.now()}`
  })
  return String(answer.json.id)
})
