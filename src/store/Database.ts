import { Context, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"

const patience = "2 seconds"

export class Database extends Context.Service<
  Database,
  {
    /** Whether the database answers within two seconds. */
    readonly answers: Effect.Effect<boolean>
  }
>()("folio/store/Database") {
  static readonly layer = Layer.effect(
    Database,
    Effect.map(SqlClient.SqlClient, (sql) =>
      Database.of({
        // Joined, not timed out itself: to interrupt a query on a dead connection takes seconds.
        answers: Effect.forkDetach(Effect.isSuccess(sql`select 1`)).pipe(
          Effect.flatMap(Fiber.join),
          Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(false) })
        )
      })
    )
  )
}
