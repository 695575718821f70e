import "effect/schema/SchemaJITCompiler/enable"
import { NodeCrypto, NodeDns, NodeRuntime } from "@effect/platform-node"
import { Cause, Console, Effect, Exit, Layer, Result, type Runtime } from "effect"
import { ServiceInfo } from "./api/ServiceInfo.ts"
import * as App from "./App.ts"
import { readSignedDocument } from "./documents/SignedDocument.ts"
import * as AuthoritySandbox from "./outbound/AuthoritySandbox.ts"
import { EgressGuard } from "./outbound/EgressGuard.ts"
import { WebhookSender } from "./outbound/WebhookSender.ts"
import * as Cluster from "./platform/Cluster.ts"
import { sandboxCertificateLayer, secretKeyLayer, testKey } from "./platform/DataFiles.ts"
import * as Postgres from "./platform/Postgres.ts"
import * as Server from "./platform/Server.ts"
import { Settings } from "./platform/Settings.ts"
import { welcome } from "./platform/Welcome.ts"
import { createSandboxAccount } from "./store/SandboxAccount.ts"

const outbound = Layer.unwrap(
  Effect.map(Settings, (settings) =>
    Layer.mergeAll(
      AuthoritySandbox.layer({ read: readSignedDocument, latency: settings.sandboxLatencyMs }),
      Layer.succeed(ServiceInfo, { version: "0.1.0", baseUrl: settings.baseUrl }),
      WebhookSender.layer().pipe(Layer.provideMerge(EgressGuard.layer({ allow: settings.webhookAllow })))
    )
  )
).pipe(Layer.provide(NodeDns.layer))

/** The sandbox account of an empty database. */
const firstStart = Effect.gen(function* () {
  const { content } = yield* testKey
  return (yield* createSandboxAccount(content)) ? content : undefined
})

const service = Effect.gen(function* () {
  const settings = yield* Settings
  const key = yield* firstStart
  yield* Console.log(welcome(settings, key))
  return yield* Effect.never
}).pipe(
  Effect.provide(
    App.layer.pipe(
      Layer.provideMerge(
        Layer.mergeAll(Server.layer, Cluster.singleProcess, outbound, sandboxCertificateLayer, secretKeyLayer)
      ),
      Layer.provideMerge(Postgres.layer),
      Layer.provideMerge(NodeCrypto.layer),
      Layer.provideMerge(Settings.layer)
    )
  )
)

/** Asked to stop: 0. Cannot start: one line that says what to do, and 1. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)

service.pipe(
  Effect.tapCause((cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.void
    const error = Result.getOrUndefined(Cause.findError(cause))
    return Console.error(error === undefined ? Cause.pretty(cause) : `folio: ${error.message}`)
  }),
  (program) => NodeRuntime.runMain(program, { teardown, disableErrorReporting: true })
)
