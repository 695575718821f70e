import { Effect, Redacted } from "effect"
import * as PgConnection from "@effect/sql-pg/PgConnection"
const [url, ...stmts] = process.argv.slice(2)
for (const s of stmts) {
  const r = await Effect.runPromise(PgConnection.make({ url: Redacted.make(url!), ssl: false }).pipe(Effect.flatMap((c) => c.query(s)), Effect.scoped))
  console.log(s); console.table(r.rows)
}
