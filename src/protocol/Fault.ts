import { Context, Effect } from "effect"

/** The places between two steps where a crash must cost nothing. */
export type FaultPoint =
  | "before-create"
  | "after-create"
  | "before-number"
  | "after-number"
  | "before-sign"
  | "after-sign"
  | "after-submit"
  | "after-verdict"
  | "after-outcome"
  | "after-mail"
  | "before-send"
  | "after-send"
  | "after-record"

/** What happens at a fault point: nothing, unless a test provides it. */
export class Fault extends Context.Reference<(point: FaultPoint) => Effect.Effect<void>>("folio/protocol/Fault", {
  defaultValue: () => () => Effect.void
}) {
  static readonly at = (point: FaultPoint): Effect.Effect<void> => Effect.flatMap(Fault, (fault) => fault(point))
}
