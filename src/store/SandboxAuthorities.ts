import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../schemas/Id.ts"
import { AuthorityMode } from "../../schemas/TestHelper.ts"
import * as Batcher from "./Batcher.ts"

const lookupsMax = 500

/** How an account that tests has set its simulated authority, and the jumps of its clock. */
export class SandboxAuthorities extends Context.Service<
  SandboxAuthorities,
  {
    readonly modeOf: (account_id: AccountId) => Effect.Effect<AuthorityMode>
    /** Part of the caller's transaction, in the account's view. */
    readonly setMode: (account_id: AccountId, mode: AuthorityMode) => Effect.Effect<void>
    /**
     * Makes all that waits in the account's test mode due sooner: documents, deliveries, what is told from how long the
     * authority has been away. What somebody is at work on is left alone. Ends the account's view of the caller's transaction.
     */
    readonly advance: (account_id: AccountId, seconds: number) => Effect.Effect<void>
  }
>()("folio/store/SandboxAuthorities") {
  static readonly layer = Layer.effect(
    SandboxAuthorities,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const isMode = Schema.is(AuthorityMode)

      // Asked at every call of the simulated authority, and never remembered: what a tester sets holds at once, in all processes.
      const modeOf = yield* Batcher.make({
        name: "SandboxAuthorities.modeOf",
        max: lookupsMax,
        run: Effect.fnUntraced(function* (ids: ReadonlyArray<AccountId>) {
          const rows = yield* sql<{ account_id: string; mode: string }>`
            select account_id, mode from sandbox_authorities
            where account_id = any(${[...new Set(ids)]}::text[]) and not livemode`
          const modes = new Map(rows.map(({ account_id, mode }) => [account_id, mode]))
          return ids.map((id): AuthorityMode => {
            const mode = modes.get(id)
            return isMode(mode) ? mode : "up"
          })
        }, Effect.orDie)
      })

      const setMode = Effect.fn("SandboxAuthorities.setMode")((account_id: AccountId, mode: AuthorityMode) =>
        sql`
          insert into sandbox_authorities (account_id, livemode, mode) values (${account_id}, false, ${mode})
          on conflict (account_id, livemode) do update set mode = excluded.mode`.pipe(Effect.orDie, Effect.asVoid)
      )

      const advance = Effect.fn("SandboxAuthorities.advance")(function* (account_id: AccountId, seconds: number) {
        const jump = sql`${seconds}::float8 * interval '1 second'`
        const own = sql`account_id = ${account_id} and not livemode`
        // The steps of documents are the service's.
        yield* sql`select set_config('role', 'folio_service', true)`
        yield* sql`
          update invoices set next_action_at = next_action_at - ${jump},
            submitted_at = case when state = 'submitted' then submitted_at - ${jump} else submitted_at end
          where ${own} and next_action_at is not null and worker is null`
        yield* sql`
          update deliveries set next_attempt_at = next_attempt_at - ${jump}
          where ${own} and status = 'pending' and worker is null`
        yield* sql`
          update authority_circuits set failing_since = failing_since - ${jump}, next_probe_at = next_probe_at - ${jump}
          where name = ${account_id}`
      }, Effect.orDie)

      return SandboxAuthorities.of({ modeOf, setMode, advance })
    })
  )
}
