/*
 * The service put together from its layers, without `main`: everything that it is made of can be left out, replaced or wrapped.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeDns from "@effect/platform-node/NodeDns"
import * as App from "@folio-einvoicing/service"
import * as ColombianProfile from "@folio-einvoicing/service/ColombianProfile"
import { EgressGuard } from "@folio-einvoicing/service/EgressGuard"
import { RateLimits } from "@folio-einvoicing/service/Limits"
import * as MailerSmtp from "@folio-einvoicing/service/MailerSmtp"
import { runMain } from "@folio-einvoicing/service/node"
import * as Platform from "@folio-einvoicing/service/platform"
import { WebhookSender } from "@folio-einvoicing/service/WebhookSender"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"

const own = HttpRouter.add("GET", "/own/health", HttpServerResponse.text("ours is well"))

// Each layer gets what it asks for from the lines after it.
const service = App.layerWith(own).pipe(
  Layer.provide(App.layerPorts),
  Layer.provide([Platform.Server.layer, Platform.Cluster.layer]),
  // After the cluster, which stops first: the actors then end the calls that they have under way.
  Layer.provide([WebhookSender.layer, MailerSmtp.layerConfig, App.layerAuthority]),
  Layer.provide(EgressGuard.layerConfig),
  Layer.provide(Platform.layerSandboxCertificate),
  Layer.provide(App.layerStore),
  Layer.provide(Platform.layerSecretKey),
  Layer.provideMerge(Platform.Postgres.layerService),
  Layer.provide([NodeCrypto.layer, NodeDns.layer, ColombianProfile.layer({ live: undefined })]),
  Layer.provide(Platform.Telemetry.layer("1.0.0")),
  Layer.provide(RateLimits.layer({ perSecond: 10 })),
  Layer.provide(Platform.Settings.layer("1.0.0")),
  Layer.provide([App.layerLimits, Platform.Server.layerLimits])
)

// Runs until the process is asked to stop, or until another service has taken the database.
const lost = Effect.flatMap(Platform.ServiceLock, (lock) => lock.lost)
runMain(Effect.provide(lost, service))
