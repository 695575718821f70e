import { Limits } from "../../../src/settings/Limits.ts"

/** The default turns without rests: tests send the largest requests in a row. */
export const withoutRest = {
  ...Limits.defaults.requests,
  restMsOfKib: { answer: 0, body: 0, document: { sent: 0, copied: 0, moved: 0 } },
  slowRead: { fromMs: 0, restMsMax: 0 },
  // However slow the machine of the tests is, no creation is refused for it.
  creation: { ...Limits.defaults.requests.creation, maxDelay: "1 hour" as const }
}
