import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import { dataDirectory } from "../../support/database/Postgres.ts"
import { freePort, inherited, programAt } from "../../support/processes/ServiceProcess.ts"
import { until } from "../../support/apps/Until.ts"
import { CHECKOUT, isAlive, postmasterOf } from "./FolioProcess.ts"
import { it } from "../../support/Tests.ts"

/** The service with a reader of its output. `postmasters`: every postmaster that has served it. */
const starting = Effect.gen(function* () {
  const DATA_DIR = yield* dataDirectory
  const PORT = String(yield* freePort)
  const child = spawn(process.execPath, [programAt("src/main.ts")], {
    cwd: CHECKOUT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...inherited(), DATA_DIR, PORT }
  })
  let said = ""
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()))
  const postmaster = () => postmasterOf(DATA_DIR)
  const end = () => ({ code: child.exitCode, signal: child.signalCode })
  const ended = until(Effect.sync(end), ({ code, signal }) => code !== null || signal !== null)
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      child.kill("SIGKILL")
      yield* ended
      if (postmaster() > 0 && isAlive(postmaster())) process.kill(postmaster(), "SIGQUIT")
      yield* until(Effect.sync(postmaster), (pid) => pid === 0)
    }).pipe(Effect.ignore)
  )
  return { child, ended, postmaster, said: () => said, files: () => Fs.readdirSync(DATA_DIR) }
})

type Started = Effect.Success<typeof starting>

const moments: ReadonlyArray<readonly [name: string, come: (started: Started) => boolean]> = [
  ["while the database is made", ({ files }) => files().some((name) => name.startsWith("postgres.new-"))],
  ["while PostgreSQL starts", ({ postmaster }) => postmaster() > 0],
  ["once it is ready", ({ said }) => said().includes("Folio is ready")]
]

describe("A process that receives a stop signal", () => {
  const cases = moments.flatMap(([when, come]) => [
    { signal: "SIGTERM" as const, when, come },
    { signal: "SIGHUP" as const, when, come }
  ])
  it.live.each(cases)("ends with 0 after $signal $when, and leaves no process behind", function* ({ come, signal }) {
    const started = yield* starting
    yield* until(
      Effect.sync(() => come(started)),
      (has) => has
    )
    const postmaster = started.postmaster()
    if (signal === "SIGHUP") {
      // The terminal is gone, and with it the reader of the output.
      started.child.stdout.destroy()
      started.child.stderr.destroy()
    }
    started.child.kill(signal)
    assert.deepStrictEqual(yield* started.ended, { code: 0, signal: null }, started.said())
    assert.strictEqual(started.postmaster(), 0)
    assert.isFalse(postmaster > 0 && isAlive(postmaster))
  })
})
