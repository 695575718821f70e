// As in src/cli/Launch.ts: what is tested is what runs.
import "effect/schema/SchemaJITCompiler/enable"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeDns from "@effect/platform-node/NodeDns"
import { Config, Effect, Layer, Redacted, References } from "effect"
import { type Sharding, TestRunner } from "effect/cluster"
import { TestClock } from "effect/testing"
import { sign } from "node:crypto"
import type { AccountMode, KeyMode } from "../../../schemas/Account.ts"
import { AccountId, ApiKeyId, ResolutionId } from "../../../schemas/Id.ts"
import { ServiceInfo } from "../../../src/api/ServiceInfo.ts"
import * as Http from "../../../src/http/Http.ts"
import * as Layers from "../../../src/service/Layers.ts"
import { NationalProfile } from "../../../src/documents/NationalProfile.ts"
import { fromPem, makeSelfSigned, SandboxCertificate } from "../../../src/documents/signature/Certificate.ts"
import { makeApiKey } from "../../../src/domain/accounts/ApiKeyFormat.ts"
import { RateLimit } from "../../../src/http/limits/RateLimit.ts"
import { Limits, type LimitValues } from "../../../src/settings/Limits.ts"
import { Alerts } from "../../../src/outbound/alerts/Alerts.ts"
import { EgressGuard } from "../../../src/outbound/webhooks/EgressGuard.ts"
import { settingsOf } from "./MemorySettings.ts"
import { SocketsOfPort } from "../../../src/platform/server/Listeners.ts"
import * as Server from "../../../src/platform/server/Server.ts"
import { Busyness } from "../../../src/protocol/Busyness.ts"
import { Notify } from "../../../src/protocol/Notify.ts"
import { Accounts } from "../../../src/store/accounts/Accounts.ts"
import { colombianSandbox } from "../../../src/domain/accounts/Sandbox.ts"
import { ApiKeys } from "../../../src/store/accounts/ApiKeys.ts"
import { FileLinks } from "../../../src/store/documents/FileLinks.ts"
import { Ids } from "../../../src/store/sql/Ids.ts"
import { Resolutions } from "../../../src/store/accounts/Resolutions.ts"
import { SecretKey } from "../../../src/store/sql/Secrets.ts"
import { sharedPrinter } from "./SharedPrinter.ts"
import { FakeAuthority, FakeMailer, FakeReceiver } from "./Fakes.ts"
import { colombia, giveCertificate } from "../authority/LiveAccounts.ts"
import { lateBound } from "../LateBound.ts"
import * as MemoryStore from "../memory/MemoryStore.ts"
import { MemoryTables } from "../memory/MemoryTables.ts"
import { withoutRest } from "./WithoutRest.ts"

/** When every test begins, in milliseconds: ten in the morning of the authority's zone. */
export const startOfTest = Date.parse("2026-11-21T15:00:00.000Z")
export const baseUrl = "http://folio.test"
export const secretKey = Redacted.make(new Uint8Array(32).fill(7))

export const noticeSecret = "a secret of the mail provider and us"

const body = (letter: string) => letter.repeat(26)
export const account = AccountId.make(`ten_${body("a")}`)
export const otherAccount = AccountId.make(`ten_${body("b")}`)
export const testMode: AccountMode = { account_id: account, livemode: false }

const key = (mode: KeyMode, byte: number) => makeApiKey(mode, new Uint8Array(32).fill(byte))
export const keys = {
  test: key("test", 1),
  secondTest: key("test", 2),
  live: key("live", 3),
  revoked: key("test", 4),
  unknown: key("test", 5),
  otherAccount: key("test", 6)
}

export const firstNumber = 990_000_000n

const range = {
  number: "18760000001",
  document_type: "invoice",
  registered: false,
  prefix: "SETP",
  from_number: firstNumber,
  to_number: 995_000_000n,
  valid_from: "2019-01-19",
  valid_to: "2030-01-19",
  technical_key: "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c",
  is_active: true,
  next_number: firstNumber,
  held_since: null
} as const

/** The numbering range of an account's mode. */
export const rangeId = ({ account_id, livemode }: AccountMode) =>
  ResolutionId.make(`res_${account_id.slice(4, 29)}${livemode ? 1 : 0}`)

export const apiKeyIds = {
  test: ApiKeyId.make(`key_${body("a")}`),
  secondTest: ApiKeyId.make(`key_${body("b")}`),
  live: ApiKeyId.make(`key_${body("c")}`),
  revoked: ApiKeyId.make(`key_${body("d")}`),
  otherAccount: ApiKeyId.make(`key_${body("e")}`)
}

// One key pair for all tests of this process: to make one takes longer than most tests.
const pem = Effect.runSync(Effect.cached(makeSelfSigned("Folio test", new Date(startOfTest))))
// Signs in its own turn: a signature in a thread takes real time, while a test's clock runs through the time-outs of every attempt.
const certificate = Layer.effect(
  SandboxCertificate,
  Effect.map(pem, (text) => ({
    ...fromPem(text),
    sign: (bytes: Uint8Array) => Effect.sync(() => sign("sha256", bytes, text))
  }))
)

const seed = Layer.effectDiscard(
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const apiKeys = yield* ApiKeys
    const resolutions = yield* Resolutions
    const { tables } = yield* MemoryTables
    const created_at = new Date(startOfTest)

    for (const id of [account, otherAccount]) {
      yield* accounts.insert({
        id,
        name: "Cuenta",
        issuer: colombianSandbox.issuer,
        default_version: "2026-01-01",
        created_at,
        live: true
      })
      yield* accounts.update({ account_id: id, livemode: true }, (row) =>
        Effect.succeed({ ...row, issuer: { ...colombianSandbox.issuer, vat_responsible: true } })
      )
      for (const livemode of [false, true]) {
        const accountMode = { account_id: id, livemode }
        yield* resolutions.insert({ ...accountMode, id: rangeId(accountMode), ...range, created_at })
      }
    }
    yield* giveCertificate(account, yield* pem)
    for (const name of Object.keys(apiKeyIds) as Array<keyof typeof apiKeyIds>) {
      const id = apiKeyIds[name]
      const account_id = name === "otherAccount" ? otherAccount : account
      yield* apiKeys.insert({ id, account_id, mode: name === "live" ? "live" : "test", key: keys[name], created_at })
      const row = tables.apiKeys.get(id)
      if (name === "revoked" && row !== undefined) tables.apiKeys.set(id, { ...row, revoked_at: created_at })
    }
  })
)

// Told only when asked for: most tests provoke what is logged.
const logLevel = Layer.effect(
  References.MinimumLogLevel,
  Config.LogLevel("TEST_LOG_LEVEL").pipe(Config.withDefault("None"), Effect.orDie)
)

// Before anything reads the clock: an actor that slept since 1970 would have much to catch up with.
const clock = Layer.effectDiscard(TestClock.setTime(startOfTest))

// A runner takes its shards in its first moments.
const settled = Layer.effectDiscard(TestClock.adjust("1 second"))

/** The limits as they are, but that the process never counts as busy. */
export const limits = Layer.mergeAll(
  Limits.layer(),
  Alerts.layer,
  Layer.succeed(Busyness, () => 0)
)

// Tests replace functions of the profile.
const replaceableProfile = Layer.effect(
  NationalProfile,
  Effect.map(NationalProfile, (port) => lateBound({ ...port, rules: lateBound(port.rules) }))
)

/** The world of another country. */
export const worldOf = (profile: Layer.Layer<NationalProfile>) =>
  seed.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        MemoryStore.layer,
        Ids.layer,
        FakeAuthority.layer,
        FakeMailer.layer,
        FakeReceiver.layer,
        EgressGuard.layer({}).pipe(Layer.provide(NodeDns.layer)),
        certificate,
        sharedPrinter,
        FileLinks.layer.pipe(
          Layer.provideMerge(Layer.succeed(SecretKey, secretKey)),
          Layer.provideMerge(Layer.succeed(ServiceInfo, { version: "0.1.0", baseUrl }))
        )
      )
    ),
    Layer.provideMerge(Layer.mergeAll(NodeCrypto.layer, logLevel, limits, Layer.provide(replaceableProfile, profile))),
    Layer.provideMerge(clock)
  )

/** What actors live on: two accounts with keys and ranges in memory, an authority and a receiver that a test plays. */
export const world = worldOf(colombia)

const runningOn = <A, R>(shards: Layer.Layer<A | Sharding.Sharding, never, R>) =>
  settled.pipe(
    Layer.provideMerge(Layers.layerActors),
    Layer.provideMerge(Layer.mergeAll(Notify.layer, Layers.layerDocuments)),
    Layer.provideMerge(shards)
  )

/** All actors and the sweeper, in one runner. */
export const actors = Layer.provideMerge(runningOn(TestRunner.layer), world)

/**
 * Routes behind a real HTTP server, with these limits: the service's actors as they are, its store in memory. One socket listens, so
 * connections come in the order in which they are made. `shards`: what the actors run on, if not on a runner that never loses them.
 */
export const serving = <L, A, E, R>(
  routes: Layer.Layer<A, E, R>,
  changes: Layer.Layer<L, never, Limits>,
  on: typeof world = world,
  shards: Layer.Layer<Sharding.Sharding, never, NoInfer<L>> = TestRunner.layer
) =>
  Http.serve(routes).pipe(
    Layer.provideMerge(RateLimit.layer),
    Layer.provideMerge(Server.layer.pipe(Layer.provide(Layer.succeed(SocketsOfPort, 1)))),
    Layer.provideMerge(runningOn(shards)),
    Layer.provideMerge(changes),
    Layer.provideMerge(
      Layer.mergeAll(
        settingsOf(),
        Limits.layerChanged({
          // No test waits for the end of a pause, except the tests of pauses.
          clients: { pauseMs: 0 },
          noticeSecret: Redacted.make(noticeSecret),
          rate: unlimited,
          requests: withoutRest
        })
      )
    ),
    Layer.provideMerge(on)
  )

/** The whole service, with these limits. */
export const serviceWith = <L>(changes: Layer.Layer<L, never, Limits>, on: typeof world = world) =>
  serving(Layers.routes, changes, on)

/** The service with these limits of requests. */
export const limitedTo = (rate: LimitValues["rate"], requests: LimitValues["requests"] = withoutRest) =>
  serviceWith(Limits.layerChanged({ rate, requests }))

// The tests' clock stands still: a bucket that is taken from is not refilled.
export const unlimited = { perSecond: 1_000, burst: 1_000_000 }
export const layer = serviceWith(Layer.empty)

/** The service of another country. */
export const layerOf = (profile: Layer.Layer<NationalProfile>) => serviceWith(Layer.empty, worldOf(profile))
