// As in src/cli/operator/Launch.ts, so that the tests run the same code as the service.
import "effect/schema/SchemaJITCompiler/enable"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeDns from "@effect/platform-node/NodeDns"
import { Effect, Layer } from "effect"
import { SigningKeys } from "../../../src/documents/signature/SigningKeys.ts"
import { ServiceInfo } from "../../../src/runtime/ServiceInfo.ts"
import type { NationalProfile } from "../../../src/documents/NationalProfile.ts"
import * as Http from "../../../src/http/Http.ts"
import { RateLimit } from "../../../src/http/limits/RateLimit.ts"
import { Alerts } from "../../../src/operations/Alerts.ts"
import { EgressGuard } from "../../../src/webhooks/sender/EgressGuard.ts"
import * as Cluster from "../../../src/runtime/cluster/Cluster.ts"
import * as Server from "../../../src/runtime/server/Server.ts"
import { Busyness } from "../../../src/runtime/turns/Busyness.ts"
import { Notify } from "../../../src/accounts/Notify.ts"
import * as Layers from "../../../src/service/Layers.ts"
import type { Limits } from "../../../src/runtime/Limits.ts"
import { FileLinks } from "../../../src/invoices/store/FileLinks.ts"
import * as Store from "../../../src/service/Store.ts"
import { colombia } from "../authority/LiveAccounts.ts"
import { layerSecretKey } from "../database/Owners.ts"
import { connect, freshDatabase, layerAdmin, layerSettings, quiet } from "../database/Postgres.ts"
import { certificate, seed } from "./Accounts.ts"
import { FakeAuthority, FakeMailer, FakeReceiver } from "./Fakes.ts"
import { baseUrl, layerTestLimits, ownMetrics } from "./TestSettings.ts"
import { sharedPrinter } from "./SharedPrinter.ts"

const layerOn = <L, A, E, R>(
  url: string,
  changes: Layer.Layer<L, never, Limits>,
  profile: Layer.Layer<NationalProfile>,
  routes: Layer.Layer<A, E, R>
) =>
  Layer.fresh(
    Http.serve(routes).pipe(
      Layer.provideMerge(RateLimit.layer),
      Layer.provideMerge(Server.layer),
      Layer.provideMerge(Layers.layerActors),
      Layer.provideMerge(Layer.mergeAll(Notify.layer, Layers.layerDocuments, FileLinks.layer)),
      Layer.provideMerge(Cluster.singleProcess),
      Layer.provideMerge(seed),
      Layer.provideMerge(
        Layer.mergeAll(
          FakeAuthority.layer,
          FakeMailer.layer,
          FakeReceiver.layer,
          Store.layer,
          certificate,
          SigningKeys.layer,
          sharedPrinter
        )
      ),
      Layer.provideMerge(changes),
      Layer.provideMerge(layerTestLimits),
      Layer.provideMerge(
        Layer.mergeAll(
          EgressGuard.layer({}).pipe(Layer.provide(NodeDns.layer)),
          Layer.succeed(ServiceInfo, { version: "0.1.0", baseUrl }),
          layerSecretKey,
          profile
        )
      ),
      Layer.provideMerge(connect(url)),
      Layer.provideMerge(Layer.mergeAll(NodeCrypto.layer, layerSettings({}))),
      Layer.provideMerge(
        Layer.mergeAll(
          Alerts.layer,
          Layer.succeed(Busyness, () => 0)
        )
      ),
      Layer.provideMerge(Layer.merge(quiet, ownMetrics)),
      Layer.merge(layerAdmin(url))
    )
  )

/**
 * The whole service on its own database and on the real clock, with these limits, behind a real HTTP server. Accounts,
 * keys, the authority, the mail server and the receiver come from `MemoryApp`. Also provides the store's services, and
 * a `SqlClient` of the superuser.
 */
export const serviceWith = <L>(changes: Layer.Layer<L, never, Limits>, profile = colombia) =>
  serving(Layers.routes, changes, profile)

/** The same with other routes. */
export const serving = <L, A, E, R>(
  routes: Layer.Layer<A, E, R>,
  changes: Layer.Layer<L, never, Limits>,
  profile: typeof colombia = colombia
) => Layer.unwrap(Effect.map(freshDatabase, (url) => layerOn(url, changes, profile, routes)))

export const layer = serviceWith(Layer.empty)
