import "effect/schema/SchemaJITCompiler/enable"
import { NodeRuntime } from "@effect/platform-node"
import { run, teardown } from "./cli/Run.ts"
import { serve } from "./cli/Serve.ts"

NodeRuntime.runMain(run(serve), { teardown, disableErrorReporting: true })
