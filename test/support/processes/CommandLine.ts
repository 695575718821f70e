import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Exit, References } from "effect"

/** The value of `--name` on the command line, or else the default. */
export const option = (name: string, standard: string): string => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? standard : (process.argv[at + 1] ?? standard)
}

export const say = (line: string) => void process.stdout.write(`${line}\n`)

/**
 * Runs a program that returns findings, and exits with 1 if there are any. Ctrl-C and SIGTERM stop it in order, with
 * all of its processes.
 */
export const runFinding = <E>(program: Effect.Effect<ReadonlyArray<string>, E>) =>
  NodeRuntime.runMain(Effect.provideService(program, References.MinimumLogLevel, "Error"), {
    teardown: (exit, onExit) =>
      onExit(Exit.isSuccess(exit) && Array.isArray(exit.value) && exit.value.length === 0 ? 0 : 1)
  })
