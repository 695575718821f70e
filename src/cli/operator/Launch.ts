import { version } from "../../runtime/Version.ts"
import { Effect } from "effect"
import { starting } from "../../runtime/process/Welcome.ts"
import { operatorCommands } from "./OperatorCommands.ts"

const service = Effect.flatMap(
  Effect.promise(() => import("../../service/Service.ts")),
  ({ serve }) => serve()
)

/** Runs the command that the words name until the process ends. Without words, runs the service. */
export const launch = async (words: ReadonlyArray<string>) => {
  // Dynamic imports: the service loads no API commands, and the API commands load no service.
  if (words.length === 0 || (words.length === 1 && words[0] === "serve")) {
    const line = starting(process.env, version, process.stdout.isTTY)
    if (line !== undefined) process.stdout.write(`${line}\n`)
    const { run, start } = await import("../../service/Run.ts")
    const { asManyAsSet } = await import("../../service/supervisor/Several.ts")
    return start(run(asManyAsSet(service)))
  }
  const first = words.find((word) => !word.startsWith("-"))
  if (operatorCommands.some(({ name }) => name === first)) {
    const { run, start } = await import("../../service/Run.ts")
    return start(run((await import("./Folio.ts")).folio(words)))
  }
  return (await import("../user/Shell.ts")).main(words, { version, operators: operatorCommands })
}
