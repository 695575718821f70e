import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { AccountId } from "../../schemas/Id.ts"
import { AuthorityMode } from "../../schemas/TestHelper.ts"
import * as Batcher from "./Batcher.ts"

const lookupsMax = 500

// As many rows are locked for a moment: who works on one of them waits no longer than that.
export const portionMax = 500

/** How an account that tests has set its simulated authority, and the jumps of its clock. */
export class SandboxAuthorities extends Context.Service<
  SandboxAuthorities,
  {
    readonly modeOf: (account_id: AccountId) => Effect.Effect<AuthorityMode>
    /** Part of the caller's transaction, in the account's view. */
    readonly setMode: (account_id: AccountId, mode: AuthorityMode) => Effect.Effect<void>
    /**
     * Whether more waits than may be locked together: then `advance` is no part of a transaction, and each portion of its own
     * one.
     */
    readonly isMuchToAdvance: (account_id: AccountId) => Effect.Effect<boolean>
    /**
     * Makes all that waits in the account's test mode due sooner: documents, deliveries, what is told from how long the
     * authority has been away. What somebody is at work on is left alone, and what rests until it is looked for. Ends the
     * account's view of the caller's transaction, if there is one.
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

      // Each with the time that says when it is due.
      const waiting = [
        {
          table: sql`invoices`,
          due: sql`next_action_at`,
          waits: sql`next_action_at < 'infinity' and worker is null`,
          also: (jump: Statement.Fragment) =>
            sql`, submitted_at = case when state = 'submitted' then submitted_at - ${jump} else submitted_at end`
        },
        {
          table: sql`deliveries`,
          due: sql`next_attempt_at`,
          waits: sql`status = 'pending' and next_attempt_at < 'infinity' and worker is null`,
          also: () => sql``
        }
      ]

      const isMuchToAdvance = Effect.fn("SandboxAuthorities.isMuchToAdvance")(function* (account_id: AccountId) {
        const counts = yield* Effect.forEach(
          waiting,
          ({ table, waits }) => sql<{ count: number }>`
            select count(*)::integer as count from (
              select from ${table} where account_id = ${account_id} and not livemode and ${waits} limit ${portionMax + 1}
            ) waiting`
        )
        return counts.flat().reduce((sum, { count }) => sum + count, 0) > portionMax
      }, Effect.orDie)

      /** Moves what comes next after `last`; gives the id with which that ends, null when there was nothing. */
      const moveAfter = (
        { also, due, table, waits }: (typeof waiting)[number],
        account_id: AccountId,
        seconds: number,
        last: string
      ) => {
        const jump = sql`${seconds}::float8 * interval '1 second'`
        const own = sql`account_id = ${account_id} and not livemode`
        // One portion of an account at a time: two calls would each leave out what the other has just locked. Whatever else is
        // locked is being worked at.
        return sql`select pg_advisory_xact_lock(hashtextextended(${`advance ${account_id}`}, 0))`.pipe(
          Effect.andThen(sql<{ last: string | null }>`
            with portion as materialized (
              select id from ${table} where ${own} and id > ${last} and ${waits} order by id limit ${portionMax}
            ),
            free as materialized (
              select id from ${table} where ${own} and id in (select id from portion) and ${waits}
              order by id for update skip locked
            ),
            moved as (
              update ${table} set ${due} = ${due} - ${jump}${also(jump)} where ${own} and id in (select id from free)
            )
            select max(id) as last from portion`),
          Effect.map((rows) => rows[0]?.last ?? null),
          sql.withTransaction
        )
      }

      const advance = Effect.fn("SandboxAuthorities.advance")(function* (account_id: AccountId, seconds: number) {
        // The steps of documents are the service's.
        yield* sql`select set_config('role', 'folio_service', true)`
        for (const which of waiting) {
          let last: string | null = ""
          while (last !== null) last = yield* moveAfter(which, account_id, seconds, last)
        }
        const jump = sql`${seconds}::float8 * interval '1 second'`
        yield* sql`
          update authority_circuits set failing_since = failing_since - ${jump}, next_probe_at = next_probe_at - ${jump}
          where name = ${account_id}`
      }, Effect.orDie)

      return SandboxAuthorities.of({ modeOf, setMode, isMuchToAdvance, advance })
    })
  )
}
