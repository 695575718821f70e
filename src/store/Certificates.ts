import { Cache, Context, Duration, Effect, Exit, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { Account, AccountMode } from "../../schemas/Account.ts"
import { AccountId, CertificateId } from "../../schemas/Id.ts"
import { timestamp } from "../domain/AuthorityTime.ts"
import { Secrets } from "./Secrets.ts"

/** A signing certificate of a live account, without its key. */
export interface StoredCertificate {
  readonly account_id: AccountId
  readonly id: CertificateId
  readonly subject: string
  readonly not_before: Date
  readonly not_after: Date
  readonly created_at: Date
}

/** The certificate that an account signs with, and whether it is valid now. */
export interface CurrentCertificate extends StoredCertificate {
  readonly is_valid: boolean
}

const Row = Schema.Struct({
  account_id: AccountId,
  id: CertificateId,
  subject: Schema.String,
  not_before: Schema.Date,
  not_after: Schema.Date,
  created_at: Schema.Date
})
const CurrentRow = Schema.Struct({ ...Row.fields, is_valid: Schema.Boolean })

// A certificate changes once a year or two, and is looked at for every live document.
const cacheTime = Duration.seconds(1)
const cacheSize = 10_000

/** Where a certificate and its key are sealed for. */
export const certificatePlace = (id: string) => `certificates|${id}`

export class Certificates extends Context.Service<
  Certificates,
  {
    /**
     * What a live account signs with, as it was within the last second: the newest that is valid, else the newest; none when it
     * never had one.
     */
    readonly current: (account: AccountId) => Effect.Effect<Option.Option<CurrentCertificate>>
    /** The PEM that was inserted. */
    readonly pem: (
      certificate: Pick<StoredCertificate, "account_id" | "id">
    ) => Effect.Effect<Redacted.Redacted<string>>
    /** Part of the caller's transaction. */
    readonly insert: (certificate: StoredCertificate, pem: Redacted.Redacted<string>) => Effect.Effect<void>
    /** From now on `current` gives what is there now: to be called after the commit of an insertion. */
    readonly forget: (account: AccountId) => Effect.Effect<void>
  }
>()("folio/store/Certificates") {
  static readonly layer = Layer.effect(
    Certificates,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secrets = yield* Secrets
      const columns = sql.literal(Object.keys(Row.fields).join(", "))

      const find = SqlSchema.findOneOption({
        Request: AccountId,
        Result: CurrentRow,
        execute: (account) => sql`
          select ${columns}, not_before <= now() and now() < not_after as is_valid from certificates
          where account_id = ${account} and livemode order by is_valid desc, id desc limit 1`
      })
      const cache = yield* Cache.makeWith((account: AccountId) => Effect.orDie(find(account)), {
        capacity: cacheSize,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? cacheTime : 0)
      })

      const findSealed = SqlSchema.findOne({
        Request: Schema.Struct({ account_id: AccountId, id: CertificateId }),
        Result: Schema.Struct({ sealed: Schema.String }),
        execute: ({ account_id, id }) => sql`
          select sealed from certificates where account_id = ${account_id} and livemode and id = ${id}`
      })

      return Certificates.of({
        current: (account) => Cache.get(cache, account),
        pem: Effect.fn("Certificates.pem")(function* ({ account_id, id }) {
          const { sealed } = yield* Effect.orDie(findSealed({ account_id, id }))
          return Redacted.make(yield* secrets.open(sealed, certificatePlace(id)))
        }),
        insert: Effect.fn("Certificates.insert")(function* (certificate, pem) {
          const sealed = yield* secrets.seal(Redacted.value(pem), certificatePlace(certificate.id))
          yield* Effect.orDie(sql`insert into certificates ${sql.insert({ ...certificate, livemode: true, sealed })}`)
        }),
        forget: (account) => Cache.invalidate(cache, account)
      })
    })
  )
}

/** The certificate as its account shows it. */
export const certificateView = (
  certificate: { readonly subject: string; readonly not_after: Date } | null
): Account["certificate"] =>
  certificate === null ? null : { subject: certificate.subject, not_after: timestamp(certificate.not_after.getTime()) }

/** What the account of a key shows: the live account's own, or the sandbox's. */
export const shownCertificate = (
  certificates: Certificates["Service"],
  { account_id, livemode }: AccountMode,
  sandbox: { readonly subject: string; readonly not_after: Date } | null
) =>
  livemode
    ? Effect.map(certificates.current(account_id), (found) => certificateView(Option.getOrNull(found)))
    : Effect.succeed(certificateView(sandbox))
