import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountMode, Issuer } from "../../../schemas/Account.ts"
import type { LogoImprint } from "../../../schemas/Logo.ts"
import * as AccountView from "../../database/AccountView.ts"
import { ofAccount } from "../../database/Keys.ts"
import * as Query from "../../database/Query.ts"

/** A logo with its bytes. */
export interface StoredLogo extends LogoImprint {
  readonly bytes: Uint8Array
}

/**
 * Makes the functions that read and store the logos of an account's issuers, by the SHA-256 of their bytes. Folio
 * removes no logo, because the PDF of a document must not change. A document refers to the version of its issuer, and
 * the version refers to its logo.
 */
export const make = (sql: SqlClient.SqlClient) => {
  const find = Query.first(
    Schema.Struct({ bytes: Schema.Uint8Array }),
    (account: AccountMode, sha256: string) =>
      sql`select bytes from logos where ${ofAccount(sql, account)} and sha256 = ${sha256}`
  )
  const bytesOf = (account: AccountMode, { logo }: Pick<Issuer, "logo">) =>
    logo === undefined
      ? Effect.succeed(null)
      : Effect.map(find(account, logo.sha256), Option.match({ onNone: () => null, onSome: ({ bytes }) => bytes }))

  return {
    /** The bytes of an issuer's logo. Null if the issuer has no logo. */
    logoOf: Effect.fn("Accounts.logoOf")(bytesOf),
    /** The same as `logoOf`, in a transaction of `AccountView`. */
    readLogo: (account: AccountMode, issuer: Pick<Issuer, "logo">) =>
      AccountView.within(sql, account)(bytesOf(account, issuer)),
    /** Stores a logo in the caller's transaction, unless the account already has the logo. */
    keepLogo: ({ account_id, livemode }: AccountMode, { bytes, media_type, sha256 }: StoredLogo) =>
      sql`
          insert into logos ${sql.insert({ account_id, livemode, sha256, media_type, bytes })}
          on conflict do nothing`.pipe(Effect.orDie, Effect.asVoid)
  }
}
