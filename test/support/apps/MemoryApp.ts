// As in src/cli/operator/Launch.ts, so that the tests run the same code as the service.
import "effect/schema/SchemaJITCompiler/enable"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeDns from "@effect/platform-node/NodeDns"
import { Config, Effect, Layer, References } from "effect"
import { type Sharding, TestRunner } from "effect/cluster"
import { TestClock } from "effect/testing"
import { SigningKeys } from "../../../src/documents/signature/SigningKeys.ts"
import { ServiceInfo } from "../../../src/runtime/ServiceInfo.ts"
import * as Http from "../../../src/http/Http.ts"
import * as Layers from "../../../src/service/Layers.ts"
import { NationalProfile } from "../../../src/documents/NationalProfile.ts"
import { RateLimit } from "../../../src/http/limits/RateLimit.ts"
import { Limits, type LimitValues } from "../../../src/runtime/Limits.ts"
import { Alerts } from "../../../src/operations/Alerts.ts"
import { EgressGuard } from "../../../src/webhooks/sender/EgressGuard.ts"
import { certificate, seed, startOfTest } from "./Accounts.ts"
import { SocketsOfPort } from "../../../src/runtime/server/Listeners.ts"
import * as Server from "../../../src/runtime/server/Server.ts"
import { Busyness } from "../../../src/runtime/turns/Busyness.ts"
import { Notify } from "../../../src/accounts/Notify.ts"
import { FileLinks } from "../../../src/invoices/store/FileLinks.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { SecretKey } from "../../../src/database/Secrets.ts"
import { sharedPrinter } from "./SharedPrinter.ts"
import { FakeAuthority, FakeMailer, FakeReceiver } from "./Fakes.ts"
import { colombia } from "../authority/LiveAccounts.ts"
import { baseUrl, layerTestLimits, ownMetrics, secretKey, settingsOf, withoutRest } from "./TestSettings.ts"
import { lateBound } from "../LateBound.ts"
import * as MemoryStore from "../memory/MemoryStore.ts"

// Logs are shown only on request: most tests provoke their log lines.
const logLevel = Layer.effect(
  References.MinimumLogLevel,
  Config.LogLevel("TEST_LOG_LEVEL").pipe(Config.withDefault("None"), Effect.orDie)
)

// Must be set before anything reads the clock: an actor that slept since 1970 would have much to catch up with.
const clock = Layer.effectDiscard(TestClock.setTime(startOfTest))

// A runner takes its shards in its first moments.
const settled = Layer.effectDiscard(TestClock.adjust("1 second"))

/** The default limits, except that the process never counts as busy. */
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
        SigningKeys.layer,
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

/**
 * The environment of the actors: two accounts with keys and ranges in memory, and an authority and a receiver
 * controlled by a test.
 */
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
 * Routes behind a real HTTP server, with these limits: the service's own actors, with its store in memory. A single
 * socket listens, so connections arrive in the order in which they are opened. `shards` replaces the default runner,
 * which never loses its actors.
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
    Layer.provideMerge(Layer.mergeAll(settingsOf(), layerTestLimits, ownMetrics)),
    Layer.provideMerge(on)
  )

/** The whole service, with these limits. */
export const serviceWith = <L>(changes: Layer.Layer<L, never, Limits>, on: typeof world = world) =>
  serving(Layers.routes, changes, on)

/** The service with these request limits. */
export const limitedTo = (rate: LimitValues["rate"], requests: LimitValues["requests"] = withoutRest) =>
  serviceWith(Limits.layerChanged({ rate, requests }))

export const layer = serviceWith(Layer.empty)
