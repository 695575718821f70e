import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import * as AccountView from "../sql/AccountView.ts"
import { ofAccount } from "../sql/Keys.ts"
import * as Query from "../sql/Query.ts"
import { Secrets } from "../sql/Secrets.ts"
import { secretPlace } from "./WebhookEndpoints.ts"

/** A webhook endpoint and the secret that signs its deliveries. */
export interface SigningSecret {
  readonly id: string
  readonly url: string
  readonly secret: string
}

/** The signing secrets of an account's endpoints, for comparing a signature with them. They are never shown. */
export class SigningSecrets extends Context.Service<SigningSecrets>()("folio/store/SigningSecrets", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets
    const find = Query.all(
      Schema.Struct({ id: Schema.String, url: Schema.String, secret: Schema.String }),
      (account: AccountMode) => sql`
        select id, url, secret from webhook_endpoints where ${ofAccount(sql, account)} order by id`
    )

    /** Those of the account's mode, oldest endpoint first. Reads in the account's view. */
    const all = Effect.fn("SigningSecrets.all")(function* (account: AccountMode) {
      const rows = yield* AccountView.within(sql, account)(find(account))
      return yield* Effect.forEach(rows, ({ id, secret, url }): Effect.Effect<SigningSecret> =>
        Effect.map(secrets.open(secret, secretPlace(id)), (opened) => ({ id, url, secret: opened }))
      )
    })

    return { all }
  })
}) {
  static readonly layer = Layer.effect(SigningSecrets, SigningSecrets.make)
}
