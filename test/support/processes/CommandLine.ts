import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Exit, References } from "effect"

/** What follows `--name` on the command line, or else this. */
export const option = (name: string, standard: string): string => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? standard : (process.argv[at + 1] ?? standard)
}

export const say = (line: string) => void process.stdout.write(`${line}\n`)

/**
 * Runs a program that gives what was found wrong, and exits with 1 if that is anything. Ctrl-C and SIGTERM end it in order: none
 * of its processes is left behind.
 */
export const runFinding = <E>(program: Effect.Effect<ReadonlyArray<string>, E>) =>
  NodeRuntime.runMain(Effect.provideService(program, References.MinimumLogLevel, "Error"), {
    teardown: (exit, onExit) =>
      onExit(Exit.isSuccess(exit) && Array.isArray(exit.value) && exit.value.length === 0 ? 0 : 1)
  })
