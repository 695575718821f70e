import { Context, Effect } from "effect"

/** The points between two steps at which a crash must do no harm. */
export type FaultPoint =
  | "before-create"
  | "after-create"
  | "before-correct"
  | "after-correct"
  | "before-number"
  | "after-number"
  | "before-sign"
  | "after-sign"
  | "after-submit"
  | "after-verdict"
  | "after-outcome"
  | "after-mail"
  | "after-alert"
  | "after-events"
  | "before-send"
  | "after-send"
  | "after-record"

/** The effect that runs at a fault point. The default does nothing; tests provide another effect. */
export class Fault extends Context.Reference<(point: FaultPoint) => Effect.Effect<void>>("folio/runtime/Fault", {
  defaultValue: () => () => Effect.void
}) {
  static readonly at = (point: FaultPoint): Effect.Effect<void> => Effect.flatMap(Fault, (fault) => fault(point))
}
