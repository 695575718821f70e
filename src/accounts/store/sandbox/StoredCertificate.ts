import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Query from "../../../database/Query.ts"
import { Secrets } from "../../../database/Secrets.ts"

/* The certificate that signs the test documents of all processes: encrypted PEM text in one row. */

/** The place that the certificate is encrypted for (see `Secrets`). */
export const sandboxCertificateContext = "sandbox_certificate"

const row = Query.firstIn(
  Schema.Struct({ sealed: Schema.String }),
  (sql) => sql`select sealed from sandbox_certificate`
)

/** The PEM text of the certificate; undefined if none is stored. Dies if the key of `Secrets` is not the database's. */
export const storedCertificate = Effect.gen(function* () {
  const secrets = yield* Secrets
  const found = yield* row
  return Option.isNone(found) ? undefined : yield* secrets.open(found.value.sealed, sandboxCertificateContext)
})

/**
 * Replaces `before`, the certificate that this process has read, with `pem`. Returns the stored certificate, which is
 * another one if another process was first.
 */
export const replaceCertificate = Effect.fnUntraced(function* (before: string | undefined, pem: string) {
  const sql = yield* SqlClient.SqlClient
  const secrets = yield* Secrets
  const sealed = yield* secrets.seal(pem, sandboxCertificateContext)
  if (before === undefined) {
    yield* Effect.orDie(sql`insert into sandbox_certificate ${sql.insert({ sealed })} on conflict do nothing`)
  } else {
    const found = yield* row
    // Compares the opened texts, because two ciphertexts of the same text differ.
    if (Option.isSome(found) && (yield* secrets.open(found.value.sealed, sandboxCertificateContext)) === before) {
      yield* Effect.orDie(
        sql`update sandbox_certificate set sealed = ${sealed} where one and sealed = ${found.value.sealed}`
      )
    }
  }
  return (yield* storedCertificate) ?? pem
})
