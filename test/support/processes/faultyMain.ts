import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Fs from "node:fs"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import * as AuthorityLive from "../../../src/invoices/authority/AuthorityLive.ts"
import { WatchPace } from "../../../src/operations/Watch.ts"
import { run, teardown } from "../../../src/service/Run.ts"
import { serve } from "../../../src/service/Service.ts"
import { TestSetPace } from "../../../src/invoices/enablement/TestSetPace.ts"
import { Fault, type FaultPoint } from "../../../src/runtime/Fault.ts"
import { Revision } from "../../../src/runtime/Revision.ts"
import type { ArmedFault } from "./ServiceProcess.ts"

// The service as `folio serve` runs it, with two faults: it dies, freezes or holds its work at the point in FAULT or in
// a later message, and its event loop hangs for STALL_MS about once a second.
const parse = (text: string): ArmedFault => JSON.parse(text)
let armed: ArmedFault | undefined = parse(process.env["FAULT"] ?? "null")
let left = armed?.hit ?? 0
process.on("message", (fault: ArmedFault) => {
  armed = fault
  left = fault.hit
})
process.channel?.unref()

const stallMs = Number(process.env["STALL_MS"] ?? 0)
const stall = () => {
  for (const until = performance.now() + stallMs; performance.now() < until;);
  setTimeout(stall, 500 + Math.random() * 1_000).unref()
}
if (stallMs > 0) stall()

const freeze = Effect.sync(() => {
  Fs.writeSync(1, `frozen at ${armed?.point}\n`)
  process.kill(process.pid, "SIGSTOP")
})

// Until the next message: the rest of the service works meanwhile.
const hold = Effect.callback<void>((resume) => {
  process.once("message", () => resume(Effect.void))
  Fs.writeSync(1, `held at ${armed?.point}\n`)
})

const kill = Effect.sync(() => process.kill(process.pid, "SIGKILL"))

// With the service's own pool, so that the session has the limits of all its sessions.
const lockAndFreeze = Effect.gen(function* () {
  const sql = yield* Effect.fromOption(yield* Effect.serviceOption(SqlClient.SqlClient))
  yield* sql.withTransaction(Effect.andThen(sql`select 1 from resolutions for update`, freeze))
}).pipe(Effect.catchCause((cause) => Effect.logInfo("The lock was taken away", cause)))

const fault = (point: FaultPoint) =>
  Effect.suspend(() => {
    if (point !== armed?.point) return Effect.void
    left -= 1
    if (left !== 0) return Effect.void
    return { kill, freeze, "lock and freeze": lockAndFreeze, hold }[armed.action ?? "kill"]
  })

// Replaces the simulated authority with one outside this process, which outlives it.
const authorityUrl = process.env["TEST_AUTHORITY_URL"]
const readCufe = (signed: Uint8Array) => readSignedDocument(signed)?.cufe ?? null
const parts = authorityUrl === undefined ? {} : { authority: AuthorityLive.layer({ url: authorityUrl, readCufe }) }

// How long a test document waits for its verdict before another one replaces it.
const patienceMs = process.env["ENABLEMENT_PATIENCE_MS"]
const paced = Effect.gen(function* () {
  const pace = yield* TestSetPace
  const faster = { patience: Duration.millis(Number(patienceMs)), askAfter: Duration.millis(50) }
  return yield* serve(parts).pipe(
    Effect.provideService(TestSetPace, patienceMs === undefined ? pace : { ...pace, ...faster }),
    Effect.provideService(Revision, process.env["REVISION"] ?? (yield* Revision))
  )
})

// How often it looks for incidents.
const lookMs = Number(process.env["WATCH_MS"] ?? 60_000)
const look = Duration.millis(lookMs)
const watching = Effect.provideService(paced, WatchPace, {
  search: look,
  send: Duration.millis(Math.min(lookMs, 5_000))
})

NodeRuntime.runMain(run(Effect.provideService(watching, Fault, fault)), { teardown, disableErrorReporting: true })
