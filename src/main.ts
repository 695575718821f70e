import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { run, teardown } from "./cli/Run.ts"

const words = process.argv.slice(2)

// Each loads what it needs and no more: the service starts without the commands.
const program =
  words.length === 0 || (words.length === 1 && words[0] === "serve")
    ? run((await import("./cli/Serve.ts")).serve)
    : run((await import("./cli/Folio.ts")).folio(words))

NodeRuntime.runMain<unknown, unknown>(program, { teardown, disableErrorReporting: true })

// Who closes the terminal wants what SIGTERM wants. What is said after that has no reader, and must not end the process.
process.on("SIGHUP", () => process.emit("SIGTERM", "SIGTERM"))
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
