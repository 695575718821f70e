import { Deferred, type Duration, Effect, Option } from "effect"
import { spawn } from "node:child_process"
import { isReady } from "../../runtime/process/Supervised.ts"

/** How a process ended: with a code, or by a signal. */
export interface End {
  readonly code: number | null
  readonly signal: string | null
}

export interface Child {
  readonly pid: number
  /** Whether the process has ever reported that it is ready. */
  readonly wasReady: () => boolean
  /** Succeeds once the process is ready. */
  readonly ready: Effect.Effect<void>
  readonly ended: Effect.Effect<End>
}

/**
 * Starts this program again as a child process with this environment. When the scope closes, it sends the process a
 * stop signal, waits for its end, and kills it after `stopWithin`.
 */
export const child = Effect.fnUntraced(function* (env: NodeJS.ProcessEnv, stopWithin: Duration.Input) {
  const ready = yield* Deferred.make<void>()
  const ended = yield* Deferred.make<End>()
  const end = (code: number | null, signal: string | null) =>
    Deferred.doneUnsafe(ended, Effect.succeed({ code, signal }))
  let wasReady = false
  const self = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const started = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
        env,
        // The child writes to the same output.
        stdio: ["ignore", "inherit", "inherit", "ipc"],
        // A separate session: Ctrl-C and a closed terminal reach only the supervisor, which then stops its processes.
        detached: true
      })
      started.on("message", (message) => {
        if (!isReady(message)) return
        wasReady = true
        Deferred.doneUnsafe(ready, Effect.void)
      })
      started.once("exit", end)
      // A failure to send a signal is also an `error` event, but the process has not ended.
      started.on("error", () => started.pid === undefined && end(null, "an error of the system"))
      return started
    }),
    (started) =>
      Effect.gen(function* () {
        started.kill("SIGTERM")
        const stopped = yield* Effect.interruptible(Deferred.await(ended)).pipe(Effect.timeoutOption(stopWithin))
        if (Option.isSome(stopped)) return
        yield* Effect.logWarning(`The process with pid ${started.pid} did not stop; Folio kills it`)
        started.kill("SIGKILL")
        yield* Deferred.await(ended)
      })
  )
  const pid = self.pid ?? 0
  return { pid, wasReady: () => wasReady, ready: Deferred.await(ready), ended: Deferred.await(ended) } satisfies Child
})

const settledAfter = 60_000
const firstWait = 1_000
const longestWait = 30_000

/** Whether a process ran for so many milliseconds that its end counts as the first one again. */
export const isSettled = (lived: number): boolean => lived >= settledAfter

/** Milliseconds to wait after the n-th consecutive death of a process, from 1: none after the first, at most 30 s. */
export const waitAfter = (deaths: number): number =>
  deaths <= 1 ? 0 : Math.min(longestWait, firstWait * 2 ** (deaths - 2))
