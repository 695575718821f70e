import { Effect, Latch } from "effect"
import { MemoryTables } from "./MemoryTables.ts"

/* Actions of a test at calls of the store. */

/** Runs `what` before each call of this name, and nothing before other calls. */
export const atCalls = (name: string, what: Effect.Effect<unknown>) =>
  Effect.map(MemoryTables, (memory) => {
    memory.onCall = (call) => (call === name ? Effect.asVoid(what) : Effect.void)
  })

/** Ends `atCalls`. */
export const atNoCalls = Effect.map(MemoryTables, (memory) => {
  memory.onCall = () => Effect.void
})

/** Blocks each call of this name until `open`. `arrived` ends when the first call arrives. */
export const holdCalls = Effect.fnUntraced(function* (name: string) {
  const [arrived, gate] = [Latch.makeUnsafe(), Latch.makeUnsafe()]
  yield* atCalls(name, Effect.andThen(arrived.open, gate.await))
  return { arrived: arrived.await, open: gate.open }
})
