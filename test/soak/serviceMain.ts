import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { run, teardown } from "../../src/service/Run.ts"
import { serve } from "../../src/service/Service.ts"
import * as HttpAuthority from "./parties/HttpAuthority.ts"
import { keepVitals } from "./checks/Vitals.ts"

// The service as `folio serve` runs it, with two differences: its authority is at AUTHORITY_URL, and it writes its
// vitals to VITALS every VITALS_EVERY_MS.
const vitals = process.env["VITALS"]
if (vitals !== undefined) keepVitals(vitals, Number(process.env["VITALS_EVERY_MS"] ?? "10000"))

// Live documents and receivers on this machine: the shipped service never has both.
NodeRuntime.runMain(
  run(serve({ authority: HttpAuthority.layer(process.env["AUTHORITY_URL"] ?? ""), mayMixLiveKeys: true })),
  {
    teardown,
    disableErrorReporting: true
  }
)
