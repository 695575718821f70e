import { assert } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import type { SqlError } from "effect/sql"
import type * as AccountView from "../../../src/database/AccountView.ts"

/** The value of an effect: shows that the effect succeeds, without meeting another guard behind the tested one. */
export const answered = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) => {
    if (Exit.isFailure(exit)) assert.fail(`it is answered, and not failed by ${Cause.pretty(exit.cause)}`)
    return exit.value
  })

/** PostgreSQL's error for a statement that it must reject. */
export const refusal = <A, R>(statement: Effect.Effect<A, SqlError.SqlError, R>) =>
  Effect.match(statement, {
    onSuccess: () => "not refused",
    onFailure: ({ reason }) => (reason.cause instanceof Error ? reason.cause.message : reason._tag)
  })

/** The same in an account's view. The transaction of a rejected statement is rolled back. */
export const refusedIn = (
  view: ReturnType<typeof AccountView.within>,
  statement: Effect.Effect<unknown, SqlError.SqlError>
) => Effect.flip(view(Effect.flatMap(refusal(statement), Effect.fail)))
