import { Duration, Effect, Layer } from "effect"
import { TestSetPace } from "../../../src/invoices/enablement/TestSetPace.ts"

/** Requests the verdicts of a test set without a wait. */
export const pace = Layer.effect(
  TestSetPace,
  Effect.map(TestSetPace, (usual) => ({ ...usual, askAfter: Duration.millis(10), askAtMost: Duration.millis(50) }))
)
