import { Cache, Context, Duration, Effect, Exit, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Account } from "../../../schemas/Account.ts"
import { AccountId, CertificateId } from "../../../schemas/Id.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"
import { columnsOf } from "../../database/Keys.ts"
import * as Query from "../../database/Query.ts"
import { Secrets } from "../../database/Secrets.ts"

const Row = Schema.Struct({
  account_id: AccountId,
  id: CertificateId,
  subject: Schema.String,
  not_before: Schema.Date,
  not_after: Schema.Date,
  created_at: Schema.Date
})
/** A signing certificate of a live account, without its key. */
export type StoredCertificate = typeof Row.Type

const CurrentRow = Schema.Struct({ ...Row.fields, is_valid: Schema.Boolean })
/** The certificate that an account signs with, and whether it is valid now. */
export type CurrentCertificate = typeof CurrentRow.Type

/** The certificate that a live account signs with: the newest valid certificate, or else the newest certificate. */
export const currentCertificate = Query.first(
  CurrentRow,
  (sql: SqlClient.SqlClient, account: AccountId) => sql`
    select ${columnsOf(sql, Row)}, not_before <= now() and now() < not_after as is_valid from certificates
    where account_id = ${account} and livemode order by is_valid desc, id desc limit 1`
)

/** `currentCertificate` for commands, with the `SqlClient` of their context. */
export const signingCertificate = (account: AccountId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => currentCertificate(sql, account))

// Cached because a certificate changes once in one or two years but is read for every live document.
const cacheTime = Duration.seconds(1)
const cacheSize = 10_000

/** The place that a certificate and its key are encrypted for (see `Secrets`). */
export const certificateContext = (id: string) => `certificates|${id}`

export class Certificates extends Context.Service<Certificates>()("folio/accounts/store/Certificates", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets

    const cache = yield* Cache.makeWith((account: AccountId) => currentCertificate(sql, account), {
      capacity: cacheSize,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? cacheTime : 0)
    })

    const currentOf = Query.all(
      CurrentRow,
      (accounts: ReadonlyArray<AccountId>) => sql`
        select distinct on (account_id) ${columnsOf(sql, Row)}, not_before <= now() and now() < not_after as is_valid
        from certificates where account_id = any(${accounts}::text[]) and livemode
        order by account_id, is_valid desc, id desc`
    )

    const findSealed = Query.one(
      Schema.Struct({ sealed: Schema.String }),
      ({ account_id, id }: Pick<StoredCertificate, "account_id" | "id">) => sql`
        select sealed from certificates where account_id = ${account_id} and livemode and id = ${id}`
    )

    return {
      /** The certificate that a live account signs with, from a cache of at most 1 s. */
      current: (account: AccountId) => Cache.get(cache, account),
      /** The certificates that live accounts sign with, read from the database. */
      currentOf,
      /** The decrypted PEM text of a certificate, as inserted. */
      pem: Effect.fn("Certificates.pem")(function* (certificate: Pick<StoredCertificate, "account_id" | "id">) {
        const { sealed } = yield* findSealed(certificate)
        return Redacted.make(yield* secrets.open(sealed, certificateContext(certificate.id)))
      }),
      /** Encrypts and stores a certificate in the caller's transaction. */
      insert: Effect.fn("Certificates.insert")(function* (
        certificate: StoredCertificate,
        pem: Redacted.Redacted<string>
      ) {
        const sealed = yield* secrets.seal(Redacted.value(pem), certificateContext(certificate.id))
        yield* Effect.orDie(sql`insert into certificates ${sql.insert({ ...certificate, livemode: true, sealed })}`)
      }),
      /**
       * Drops the cached certificate, so that `current` reads the database again. Call it after the commit of an
       * insertion.
       */
      forget: (account: AccountId) => Cache.invalidate(cache, account)
    }
  })
}) {
  static readonly layer = Layer.effect(Certificates, Certificates.make)
}

/** The certificate as the API shows it in the account. */
export const certificateView = (
  certificate: { readonly subject: string; readonly not_after: Date } | null
): Account["certificate"] =>
  certificate === null ? null : { subject: certificate.subject, not_after: timestamp(certificate.not_after.getTime()) }
