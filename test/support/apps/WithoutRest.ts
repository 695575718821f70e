import { RequestTurnLimits } from "../../../src/http/limits/RequestTurns.ts"

/** The turns as they are, but that no account rests after a large request: tests ask for the largest in a row. */
export const withoutRest = {
  ...RequestTurnLimits.defaults,
  restMsOfKib: { answer: 0, body: 0, document: { sent: 0, copied: 0, moved: 0 } },
  slowRead: { fromMs: 0, restMsMax: 0 }
}
