import "effect/schema/SchemaJITCompiler/enable"
import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import { run, teardown } from "../../src/cli/Run.ts"
import { serve } from "../../src/cli/Serve.ts"
import { Fault, type FaultPoint } from "../../src/protocol/Fault.ts"

// The service as `folio serve` runs it, but that the FAULT_HIT-th passing of FAULT_POINT kills the process like kill -9.
let left = Number(process.env["FAULT_HIT"] ?? 1)
const fault = (point: FaultPoint) =>
  Effect.sync(() => {
    if (point !== process.env["FAULT_POINT"]) return
    left -= 1
    if (left === 0) process.kill(process.pid, "SIGKILL")
  })

NodeRuntime.runMain(run(Effect.provideService(serve, Fault, fault)), { teardown, disableErrorReporting: true })
