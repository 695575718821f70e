import { Layer } from "effect"
import * as Actors from "./actors/Actors.ts"
import { Commands } from "./commands/Commands.ts"
import * as Http from "./http/Http.ts"
import { Printer } from "./documents/print/Printer.ts"
import { Backpressure } from "./issuing/Backpressure.ts"
import * as Issuing from "./issuing/Issuing.ts"
import { Notify } from "./protocol/Notify.ts"
import { FileLinks } from "./store/documents/FileLinks.ts"
import * as Store from "./store/Store.ts"

/** The stores of all data. Asks for a `SqlClient` of a migrated database, `SecretKey`, and the platform's crypto. */
export const storeLayer = Store.layer

/** The work that the actors do, commands and issuing, without the actors themselves. Asks for what `actorsLayer` asks for. */
export const workLayer = Commands.layer.pipe(Layer.provideMerge(Issuing.layer))

/** The actors. Asks for `Sharding`, `SecretKey`, `Authority`, `WebhookSender`, `EgressGuard`, `Printer` and the signing certificate. */
export const actorsLayer = Actors.layer.pipe(
  Layer.provide(workLayer),
  Layer.provide([FileLinks.layer, Notify.layer, Backpressure.layer])
)

/** The HTTP server's routes. Asks for an `HttpServer`, a `Printer` and the `SecretKey` of links. */
export const httpLayer = Http.layer.pipe(Layer.provide([Issuing.papersLayer, FileLinks.layer]))

/**
 * The whole service. A team composes its own service by providing other layers for `Authority`, `WebhookSender` or the database,
 * and by adding routes.
 */
export const layer = httpLayer.pipe(
  // The server is the last to start and the first to stop, so that the actors still carry out the requests that it accepted.
  Layer.provideMerge(actorsLayer),
  Layer.provide(Printer.layer),
  Layer.provideMerge(storeLayer)
)
