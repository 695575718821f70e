import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { run, teardown } from "./Run.ts"

/** Runs what the words of the command line name until the process ends: the service if there are none. */
export const launch = async (words: ReadonlyArray<string>) => {
  // Dynamic imports, so that each program loads only the modules that it needs: the service starts without the shell commands.
  const program =
    words.length === 0 || (words.length === 1 && words[0] === "serve")
      ? run((await import("./Serve.ts")).serve)
      : run((await import("./Folio.ts")).folio(words))
  NodeRuntime.runMain<unknown, unknown>(program, { teardown, disableErrorReporting: true })

  // A closed terminal (SIGHUP) stops the process as SIGTERM does; output has no reader then, and a failed write must not end it.
  process.on("SIGHUP", () => process.emit("SIGTERM", "SIGTERM"))
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
}
