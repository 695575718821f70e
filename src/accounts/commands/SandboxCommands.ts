import { Effect } from "effect"
import type { ClockAdvance, SandboxAuthority } from "../../../schemas/TestHelper.ts"
import { documentKinds } from "../../../schemas/DocumentKinds.ts"
import { SandboxAuthorities } from "../store/sandbox/SandboxAuthorities.ts"
import { Ids } from "../../database/Ids.ts"
import * as Command from "../Command.ts"

/** The commands that set the simulated authority's mode and scripts, and that advance the sandbox's clock. */
export const make = Effect.gen(function* () {
  const ids = yield* Ids
  const authorities = yield* SandboxAuthorities

  const SetSandboxAuthority = Command.alone("SetSandboxAuthority", {
    run: function* ({ account_id }, { request }) {
      // An id of the current time. This actor makes the ids of the account's documents, so later documents have greater
      // ids.
      const now = (yield* ids.invoice).slice(`${documentKinds.invoice.prefix}_`.length)
      const kept = yield* authorities.set(account_id, request, now)
      return {
        answer: Command.ok({ object: "sandbox_authority", ...kept } satisfies SandboxAuthority),
        audit: [["sandbox.set", account_id]]
      }
    }
  })

  // The sweeper finds the work that becomes due within a second.
  const AdvanceClock = Command.alone("AdvanceClock", {
    // Moves many rows in portions before the transaction, which would otherwise lock all rows until its end. If the
    // process dies between two portions, the repeated request runs again, and rows that have already moved move once
    // more.
    isBeforeLong: true,
    before: function* ({ account_id }, { request: { seconds } }) {
      const isMuch = yield* authorities.isMuchToAdvance(account_id)
      if (isMuch) yield* authorities.advance(account_id, seconds)
      return isMuch
    },
    run: function* ({ account_id }, { request: { seconds } }, isDone) {
      if (!isDone) yield* authorities.advance(account_id, seconds)
      return {
        answer: Command.ok({ object: "clock_advance", seconds } satisfies ClockAdvance),
        audit: [["sandbox.advanced", account_id, { seconds }]]
      }
    }
  })

  return { SetSandboxAuthority, AdvanceClock }
})
