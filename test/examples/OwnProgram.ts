/*
 * The service in a program of the team's own, which does other work in the same process:
 *
 *   node OwnProgram.ts
 */
import { runMain, serve } from "@folio-einvoicing/service"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"

const routes = HttpRouter.add("GET", "/own/health", HttpServerResponse.text("ours is well"))
const service = serve({ routes, limits: { rate: { perSecond: 10, burst: 500 } } })

const work = Effect.forever(Effect.delay(Effect.logInfo("Our own work is done"), "1 hour"))

// Ends, and ends the other, when the process is asked to stop or when one of the two fails.
runMain(Effect.raceFirst(service, work))
