import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Query from "./sql/Query.ts"
import { leaseSeconds } from "./sql/Workers.ts"

/** For each kind of work, whether there may be some that is due. What is due is told by the statement that takes it. */
const Due = Schema.Struct({
  deadWorkers: Schema.Boolean,
  documents: Schema.Boolean,
  resting: Schema.Boolean,
  deliveries: Schema.Boolean,
  emails: Schema.Boolean,
  testSets: Schema.Boolean,
  questions: Schema.Boolean
})

export type KindOfWork = keyof typeof Due.Type

/** The answer of a look when there is work of every kind. */
export const everyKind: typeof Due.Type = {
  deadWorkers: true,
  documents: true,
  resting: true,
  deliveries: true,
  emails: true,
  testSets: true,
  questions: true
}

/** Looks for all kinds of work in one statement, so that the sweeper of an idle service sends one statement a second, and not seven. */
export class DueWork extends Context.Service<DueWork>()("folio/store/DueWork", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // Each condition is read from the first row of an index. Of deliveries the index begins with the endpoint: any that is pending counts.
    const look = Query.one(
      Due,
      () => sql`
        select
          exists (
            select from workers where dead_since is not null or seen_at < now() - ${leaseSeconds} * interval '1 second'
          ) as "deadWorkers",
          exists (select from invoices where next_action_at <= now()) as documents,
          exists (select from invoices where next_action_at = 'infinity') as resting,
          exists (select from deliveries where status = 'pending') as deliveries,
          exists (select from emails where next_attempt_at <= now()) as emails,
          exists (select from enablements where status = 'running' and next_action_at <= now()) as "testSets",
          exists (select from acceptances where next_question_at <= now()) as questions`
    )
    return {
      /** When the look fails, for instance because one of the tables is locked, there may be work of every kind. */
      look: Effect.suspend(look).pipe(
        Effect.catchCause((cause) =>
          Effect.as(Effect.logWarning("The look for due work failed; all kinds of work are swept", cause), everyKind)
        ),
        Effect.withSpan("DueWork.look")
      )
    }
  })
}) {
  static readonly layer = Layer.effect(DueWork, DueWork.make)
}
