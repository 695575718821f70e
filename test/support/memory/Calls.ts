import { Effect, Latch } from "effect"
import { MemoryTables } from "./MemoryTables.ts"

/* What a test lets happen at the calls of the store. */

/** Does `what` before each call of this name, and nothing before any other. */
export const atCalls = (name: string, what: Effect.Effect<unknown>) =>
  Effect.map(MemoryTables, (memory) => {
    memory.onCall = (call) => (call === name ? Effect.asVoid(what) : Effect.void)
  })

/** Ends what was begun with `atCalls`. */
export const atNoCalls = Effect.map(MemoryTables, (memory) => {
  memory.onCall = () => Effect.void
})

/** Holds up each call of this name until `open`. `arrived` ends when the first is there. */
export const holdCalls = Effect.fnUntraced(function* (name: string) {
  const [arrived, gate] = [Latch.makeUnsafe(), Latch.makeUnsafe()]
  yield* atCalls(name, Effect.andThen(arrived.open, gate.await))
  return { arrived: arrived.await, open: gate.open }
})
