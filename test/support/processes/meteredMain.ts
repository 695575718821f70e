import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { createServer } from "node:http"
import { run, teardown } from "../../../src/service/Run.ts"
import { serve } from "../../../src/service/Service.ts"
import { followTurns } from "./LongestTurn.ts"
import { withoutRest } from "../apps/TestSettings.ts"

// The shipped service, except that no account pauses after a large request. A server at LOOP_PORT reports the longest
// turn of the event loop since the last request, in milliseconds.
const longestTurn = followTurns()

createServer((_request, response) => response.end(String(longestTurn())))
  .listen(Number(process.env["LOOP_PORT"]), "127.0.0.1")
  .unref()

NodeRuntime.runMain(run(serve({ limits: { requests: withoutRest } })), { teardown, disableErrorReporting: true })
