import { Arbitrary, Effect } from "effect"
import { fork } from "node:child_process"
import { option, say } from "../support/processes/CommandLine.ts"
import { check, type Checked, describe, type OutcomesMissing } from "./checks/Check.ts"
import { auditLifecycle, commandSequences } from "./checks/documents/Lifecycles.ts"
import * as MemoryWorld from "./worlds/MemoryWorld.ts"

/**
 * Checks the model against the lifecycle's table and against the actors in memory, on both cores of a small machine.
 *
 *   npm run model -- [--sequences 20000] [--seed 1] [--replay <token>] [--met]
 */
const sequences = Number(option("sequences", "20000"))
const seed = option("seed", String(Date.now()))
const replay = option("replay", "")
const processes = 2

interface Part extends Omit<Checked, "met"> {
  readonly met: ReadonlyArray<readonly [string, number]>
  readonly lifecycle: string | null
}

const part = (runs: number, partSeed: string): Effect.Effect<Part, OutcomesMissing> =>
  Effect.scoped(
    Effect.gen(function* () {
      const lifecycle = yield* Arbitrary.checkEffect(
        commandSequences,
        (commands) => auditLifecycle(commands).length === 0,
        { runs, seed: partSeed }
      )
      const world = yield* MemoryWorld.make()
      const checked = yield* check(({ seed: own }) => Effect.as(world.reset(own), world), {
        runs,
        seed: partSeed,
        ...(replay === "" ? {} : { replay })
      })
      return { ...checked, met: [...checked.met], lifecycle: Arbitrary.formatCheckFailure(lifecycle) ?? null }
    })
  )

// A function: at the top of the module each child process would start children of its own.
const inProcesses = () =>
  Promise.all(
    Array.from(
      { length: processes },
      (_, index) =>
        new Promise<Part>((resolve, reject) => {
          const args = ["--part", `${seed}/${index}`, "--sequences", String(Math.ceil(sequences / processes))]
          const child = fork(import.meta.filename, args)
          child.once("message", (message) => resolve(message as Part))
          child.once("exit", (code) => reject(new Error(`a process ended with ${code}`)))
        })
    )
  )

const partSeed = option("part", "")
if (partSeed !== "") {
  const done = await Effect.runPromise(part(sequences, partSeed))
  process.send?.(done, undefined, undefined, () => process.exit(0))
} else {
  const begin = performance.now()
  const parts = replay === "" ? await inProcesses() : [await Effect.runPromise(part(1, seed))]
  const met = new Map<string, number>()
  for (const [what, count] of parts.flatMap((one) => one.met)) met.set(what, (met.get(what) ?? 0) + count)
  if (process.argv.includes("--met")) for (const [what, count] of [...met].toSorted()) say(`${count}\t${what}`)
  const failures = parts.flatMap(({ failure, lifecycle }) => [
    ...(failure === null ? [] : [`${describe(failure)}, as in: npm run model -- --replay <token>`]),
    ...(lifecycle === null ? [] : [lifecycle])
  ])
  for (const failure of failures) say(failure)
  const runs = parts.reduce((sum, one) => sum + one.runs, 0)
  const seconds = ((performance.now() - begin) / 1000).toFixed(0)
  say(
    `${runs} sequences against the actors and as many against the table, seed ${seed}, ${seconds} s: ${failures.length === 0 ? "nothing wrong" : "wrong"}`
  )
  process.exitCode = failures.length === 0 ? 0 : 1
}
