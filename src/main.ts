import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { run, teardown } from "./cli/Run.ts"
import { serve } from "./cli/Serve.ts"

NodeRuntime.runMain(run(serve), { teardown, disableErrorReporting: true })
