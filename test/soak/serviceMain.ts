import "effect/schema/SchemaJITCompiler/enable"
import { NodeRuntime } from "@effect/platform-node"
import { Layer } from "effect"
import { run, teardown } from "../../src/cli/Run.ts"
import { serveWith } from "../../src/cli/Serve.ts"
import * as HttpAuthority from "./parties/HttpAuthority.ts"
import { keepVitals } from "./checks/Vitals.ts"

// The service as `folio serve` runs it, but that its authority is at AUTHORITY_URL, and that it notes its vitals in VITALS,
// every VITALS_EVERY_MS.
const vitals = process.env["VITALS"]
if (vitals !== undefined) keepVitals(vitals, Number(process.env["VITALS_EVERY_MS"] ?? "10000"))

// Live documents and receivers on this machine: no service as it is shipped has both.
NodeRuntime.runMain(run(serveWith(HttpAuthority.layer(process.env["AUTHORITY_URL"] ?? ""), undefined, Layer.empty)), {
  teardown,
  disableErrorReporting: true
})
