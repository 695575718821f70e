import { Effect, Schedule } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { Rows } from "../support/database/Books.ts"
import { dataDirectory, embedded, queryAs, urlOf } from "../support/database/Postgres.ts"

/** A PostgreSQL for this run. After a kill it starts again on the same port and data. */
export const database = Effect.gen(function* () {
  const dataDir = yield* dataDirectory
  const { admin, owner } = yield* embedded(dataDir)
  const pidFile = Path.join(dataDir, "postgres/postmaster.pid")
  const url = urlOf(admin, "folio")

  const killOne = Effect.ignore(
    Effect.try(() => process.kill(Number(Fs.readFileSync(pidFile, "utf8").split("\n")[0]), "SIGKILL"))
  )
  const rows: Rows = <A>(statement: string) =>
    queryAs(url, statement).pipe(
      Effect.map((answer) => answer.rows as ReadonlyArray<A>),
      Effect.retry({ schedule: Schedule.spaced("200 millis"), times: 100 })
    )
  return {
    /** For the service's processes. */
    url: owner,
    /** Queries as the superuser, without row level security. Waits while the server is down. */
    rows,
    /** Kills the server with SIGKILL, and each restarted server within this many milliseconds. */
    kill: (forMs: number) =>
      Effect.andThen(killOne, Effect.repeat(killOne, Schedule.spaced("50 millis"))).pipe(
        Effect.timeoutOption(Math.max(forMs, 1)),
        Effect.asVoid
      )
  }
})
export type Database = Effect.Success<typeof database>
