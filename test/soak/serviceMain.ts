import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { run, teardown } from "../../src/service/Run.ts"
import { serve } from "../../src/service/Service.ts"
import * as HttpAuthority from "./parties/HttpAuthority.ts"
import { keepVitals } from "./checks/Vitals.ts"

// The service as `folio serve` runs it, but that its authority is at AUTHORITY_URL, and that it notes its vitals in VITALS,
// every VITALS_EVERY_MS.
const vitals = process.env["VITALS"]
if (vitals !== undefined) keepVitals(vitals, Number(process.env["VITALS_EVERY_MS"] ?? "10000"))

// Live documents and receivers on this machine: no service as it is shipped has both.
NodeRuntime.runMain(
  run(serve({ authority: HttpAuthority.layer(process.env["AUTHORITY_URL"] ?? ""), mayMixLiveKeys: true })),
  {
    teardown,
    disableErrorReporting: true
  }
)
