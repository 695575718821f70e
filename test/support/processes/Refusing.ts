import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { folioCommand } from "./FolioCommand.ts"
import { freePort } from "./ServiceProcess.ts"

/** Starts the service with only these settings. It must end by itself with 1 and one line; returns that line. */
export const refusalOf = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const PORT = String(yield* freePort)
  const said = yield* folioCommand(["serve"], { PORT, LOG_LEVEL: "None", ...env }).pipe(
    Effect.timeoutOrElse({ duration: "120 seconds", orElse: () => Effect.sync(() => assert.fail("it has not ended")) })
  )
  assert.strictEqual(said.code, 1, said.out + said.error)
  assert.match(said.error, /^folio: [^\n]+\n$/)
  assert.notMatch(said.error, /Failed to connect|\n {4}at |undefined|Error:/)
  assert.notInclude(said.out, "is ready")
  return said.error
})
