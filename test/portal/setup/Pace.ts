import { Duration, Effect, Layer } from "effect"
import { TestSetPace } from "../../../src/issuing/enablement/TestSetPace.ts"

/** Asks for the verdicts of a test set at once. */
export const pace = Layer.effect(
  TestSetPace,
  Effect.map(TestSetPace, (usual) => ({ ...usual, askAfter: Duration.millis(10), askAtMost: Duration.millis(50) }))
)
