import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import { AuthorityMode, AuthorityScript } from "../../../schemas/TestHelper.ts"
import * as AccountView from "../sql/AccountView.ts"
import { ofAccount } from "../sql/Keys.ts"
import * as Query from "../sql/Query.ts"

const Row = Schema.Struct({ mode: AuthorityMode, next: Schema.Array(AuthorityScript) })
/** How an account's simulated authority behaves, and the scripts that no document has taken yet. */
export type Standing = typeof Row.Type

const untouched: Standing = { mode: "up", next: [] }

/** Tells how the simulated authority of an account is set, for its portal. */
export class SandboxStanding extends Context.Service<SandboxStanding>()("folio/store/SandboxStanding", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const find = Query.first(
      Row,
      (account: AccountMode) => sql`select mode, next from sandbox_authorities where ${ofAccount(sql, account)}`
    )
    return {
      /** Reads in the account's view. */
      read: Effect.fn("SandboxStanding.read")((account: AccountMode) =>
        Effect.map(
          AccountView.within(sql, account)(find(account)),
          Option.getOrElse(() => untouched)
        )
      )
    }
  })
}) {
  static readonly layer = Layer.effect(SandboxStanding, SandboxStanding.make)
}
