import { Cache, Context, Duration, Effect, Exit, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import { type AccountId, SoftwareId } from "../../../schemas/Id.ts"
import { providerOf, type Software } from "../../documents/rules/parties/SoftwareRules.ts"
import { issuerChangedTooOften, issuersPerDayMax } from "./Accounts.ts"
import * as Query from "../../database/Query.ts"
import { Secrets } from "../../database/Secrets.ts"

/** A software that a live account has registered with the authority for its own use, without the PIN. */
export interface StoredSoftware {
  readonly account_id: AccountId
  readonly id: SoftwareId
  /** The id that the authority gave the software. */
  readonly software_id: string
  /** The NIT of the provider, without check digit. Null if the issuer is the provider. */
  readonly provider_number: string | null
  readonly created_at: Date
}

const Sealed = Schema.Struct({
  id: SoftwareId,
  software_id: Schema.String,
  /** The NIT of the provider, or the NIT of the issuer if the issuer is the provider. */
  provider_number: Schema.String,
  sealed: Schema.String
})

// The maximum number of issuer versions whose software is cached. The software of a version never changes.
const cacheSize = 10_000

/** The place that a software's PIN is encrypted for (see `Secrets`). */
export const softwareContext = (id: string) => `softwares|${id}`

/**
 * The softwares of accounts, only in live mode. `Accounts` stores the current software of a mode, and the software of
 * each issuer version.
 */
export class Softwares extends Context.Service<Softwares>()("folio/accounts/store/Softwares", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets

    const opened = Effect.fnUntraced(function* (found: Option.Option<typeof Sealed.Type>) {
      if (Option.isNone(found)) return Option.none<Software>()
      const { id, provider_number, sealed, software_id } = found.value
      const pin = yield* secrets.open(sealed, softwareContext(id))
      return Option.some<Software>({ id: software_id, provider: providerOf(provider_number), pin })
    })

    const named = sql`
      select s.id, s.software_id, s.sealed,
        coalesce(s.provider_number, m.issuer -> 'identification' ->> 'number') as provider_number`
    const findCurrent = Query.first(
      Sealed,
      (account: AccountId) => sql`
        ${named} from account_modes m
        join softwares s on s.account_id = m.account_id and s.livemode = m.livemode and s.id = m.software
        where m.account_id = ${account} and m.livemode and m.issuer is not null`
    )
    const findOfVersion = Query.first(
      Sealed,
      (account: string, version: number) => sql`
        ${named} from issuers m
        join softwares s on s.account_id = m.account_id and s.livemode = m.livemode and s.id = m.software
        where m.account_id = ${account} and m.livemode and m.version = ${version}`
    )
    const versions = yield* Cache.makeWith(
      (key: string) => {
        const [account = "", version = ""] = key.split("|")
        return Effect.flatMap(findOfVersion(account, Number(version)), opened)
      },
      { capacity: cacheSize, timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : 0) }
    )

    const findSealed = Query.one(
      Schema.Struct({ sealed: Schema.String }),
      (account: AccountId, id: string) => sql`
        select sealed from softwares where account_id = ${account} and livemode and id = ${id}`
    )
    // The seconds until the oldest of the last `issuersPerDayMax` softwares is a day old. Without a row, the software
    // may change.
    const waitOf = Query.first(
      Schema.Struct({ seconds: Schema.Int }),
      (account: AccountId) => sql`
        select ceil(extract(epoch from created_at + interval '1 day' - now()))::integer as seconds from softwares
        where account_id = ${account} and livemode and created_at > now() - interval '1 day'
        order by created_at desc offset ${issuersPerDayMax - 1} limit 1`
    )

    return {
      /** The account's own software in live mode. None if the mode has no own software, or no issuer. */
      current: Effect.fn("Softwares.current")((account: AccountId) => Effect.flatMap(findCurrent(account), opened)),
      /** The account's own software in documents with this issuer version. None if they use the service's software. */
      ofVersion: ({ account_id, livemode }: AccountMode, version: number) =>
        livemode ? Cache.get(versions, `${account_id}|${version}`) : Effect.succeedNone,
      /** The PIN of a software, as inserted. */
      pin: Effect.fn("Softwares.pin")(function* (account: AccountId, id: SoftwareId) {
        const { sealed } = yield* findSealed(account, id)
        return Redacted.make(yield* secrets.open(sealed, softwareContext(id)))
      }),
      /**
       * Stores a software in the caller's transaction. Fails with `rate_limited`, like a change of the issuer, because
       * Folio keeps all rows.
       */
      insert: Effect.fn("Softwares.insert")(function* (software: StoredSoftware, pin: Redacted.Redacted<string>) {
        const wait = yield* waitOf(software.account_id)
        if (Option.isSome(wait)) return yield* issuerChangedTooOften(wait.value.seconds)
        const sealed = yield* secrets.seal(Redacted.value(pin), softwareContext(software.id))
        yield* Effect.orDie(sql`insert into softwares ${sql.insert({ ...software, livemode: true, sealed })}`)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Softwares, Softwares.make)
}

/**
 * The account's own software of an issuer version, as a part of `Draft` and `Numbered`. Empty if the version uses the
 * service's software.
 */
export const ownSoftware = (softwares: Softwares["Service"], account: AccountMode, version: number) =>
  Effect.map(softwares.ofVersion(account, version), (found): { readonly software?: Software } =>
    Option.isSome(found) ? { software: found.value } : {}
  )
