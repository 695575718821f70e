import { Effect } from "effect"

// `npm start` passes on the Ctrl-C that the terminal has already sent to the whole group of processes.
const echo = "1 second"

const pressedAgain = Effect.callback<void>((resume) => {
  const stop = () => resume(Effect.void)
  process.once("SIGINT", stop)
  return Effect.sync(() => process.removeListener("SIGINT", stop))
}).pipe(Effect.delay(echo))

/** Waits for this number of seconds. A second Ctrl-C ends the wait. */
export const drainFor = (seconds: number) => Effect.raceFirst(Effect.sleep(`${seconds} seconds`), pressedAgain)
