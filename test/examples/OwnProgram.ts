/*
 * A program that runs the service and other work in one process:
 *
 *   node OwnProgram.ts
 */
import { runMain, serve } from "@folio-einvoicing/service"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"

const routes = HttpRouter.add("GET", "/own/health", HttpServerResponse.text("ours is well"))
const service = serve({ routes, limits: { rate: { perSecond: 10, burst: 500 } } })

const work = Effect.forever(Effect.delay(Effect.logInfo("Our own work is done"), "1 hour"))

// If the process gets a stop signal, or one of the two fails, both end.
runMain(Effect.raceFirst(service, work))
