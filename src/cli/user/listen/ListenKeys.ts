import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Terminal from "effect/Terminal"

/**
 * Runs the actions of the terminal's keys until `q` or Ctrl-C. The terminal returns to lines afterwards, also after a
 * failure.
 */
export const follow = <E, R>(keys: Readonly<Record<string, Effect.Effect<unknown, E, R>>>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const terminal = yield* Terminal.Terminal
      const input = yield* terminal.readInput
      for (;;) {
        // The terminal ends the queue at Ctrl-C, Ctrl-D and Escape.
        const pressed = yield* Effect.option(Queue.take(input))
        if (Option.isNone(pressed)) return
        const { key } = pressed.value
        const letter = Option.getOrElse(pressed.value.input, () => key.name)
        if (letter === "q" || (key.ctrl && key.name === "c")) return
        yield* keys[letter] ?? Effect.void
      }
    })
  )
