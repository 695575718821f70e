import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Query from "../sql/Query.ts"
import { Secrets } from "../sql/Secrets.ts"

/* The certificate that signs the test documents of all processes: PEM text, sealed in one row. */

const place = "sandbox_certificate"

const row = Query.firstIn(
  Schema.Struct({ sealed: Schema.String }),
  (sql) => sql`select sealed from sandbox_certificate`
)

/**
 * The PEM text of the certificate; undefined when there is none yet. Dies when the key of `Secrets` is not the
 * database's.
 */
export const storedCertificate = Effect.gen(function* () {
  const secrets = yield* Secrets
  const found = yield* row
  return Option.isNone(found) ? undefined : yield* secrets.open(found.value.sealed, place)
})

/**
 * Stores `pem` in place of `before`, the certificate that this process has read, and returns the certificate that
 * stands then: another process may have been first.
 */
export const replaceCertificate = Effect.fnUntraced(function* (before: string | undefined, pem: string) {
  const sql = yield* SqlClient.SqlClient
  const secrets = yield* Secrets
  const sealed = yield* secrets.seal(pem, place)
  if (before === undefined) {
    yield* Effect.orDie(sql`insert into sandbox_certificate ${sql.insert({ sealed })} on conflict do nothing`)
  } else {
    const found = yield* row
    // The same text sealed twice differs: what was read is compared by what it opens to.
    if (Option.isSome(found) && (yield* secrets.open(found.value.sealed, place)) === before) {
      yield* Effect.orDie(
        sql`update sandbox_certificate set sealed = ${sealed} where one and sealed = ${found.value.sealed}`
      )
    }
  }
  return (yield* storedCertificate) ?? pem
})
