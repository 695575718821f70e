import { Effect } from "effect"
import type { ClockAdvance, SandboxAuthority } from "../../schemas/TestHelper.ts"
import { SandboxAuthorities } from "../store/sandbox/SandboxAuthorities.ts"
import * as Command from "./Command.ts"

/** The commands with which a tester sets the simulated authority's mode and advances the sandbox's clock. */
export const make = Effect.gen(function* () {
  const { alone } = yield* Command.make
  const authorities = yield* SandboxAuthorities

  const SetSandboxAuthority = alone("SetSandboxAuthority", {
    run: function* ({ account_id }, { request: { mode } }) {
      yield* authorities.setMode(account_id, mode)
      return { answer: Command.ok({ object: "sandbox_authority", mode } satisfies SandboxAuthority), audit: [] }
    }
  })

  // Within a second the sweeper finds the work that the advance has made due.
  const AdvanceClock = alone("AdvanceClock", {
    // Many rows are moved in portions before the transaction, which would lock all of the rows until its end. If the process dies
    // between two portions, the repeated request is carried out anew, and rows that had been moved move once more.
    isBeforeLong: true,
    before: function* ({ account_id }, { request: { seconds } }) {
      const isMuch = yield* authorities.isMuchToAdvance(account_id)
      if (isMuch) yield* authorities.advance(account_id, seconds)
      return isMuch
    },
    run: function* ({ account_id }, { request: { seconds } }, isDone) {
      if (!isDone) yield* authorities.advance(account_id, seconds)
      return { answer: Command.ok({ object: "clock_advance", seconds } satisfies ClockAdvance), audit: [] }
    }
  })

  return { SetSandboxAuthority, AdvanceClock }
})
