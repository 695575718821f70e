import { Effect, Schedule } from "effect"
import { Singleton } from "effect/cluster"
import { BuyersAnswers } from "../issuing/acceptance/BuyersAnswers.ts"

const interval = "1 second"

/** Looks once a second for questions to the authority about buyers whose time has come by the database's clock, and asks them. */
export const layer = Singleton.make(
  "BuyersAnswers",
  Effect.gen(function* () {
    const { askAll } = yield* BuyersAnswers
    if (askAll === null) return
    yield* Effect.repeat(
      Effect.catchCause(askAll, (cause) =>
        Effect.logWarning("What buyers have answered could not be asked; the next try is in a second", cause)
      ),
      Schedule.spaced(interval)
    )
  })
)
