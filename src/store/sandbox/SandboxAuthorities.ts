import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import type { AccountId } from "../../../schemas/Id.ts"
import { AuthorityMode, type AuthorityModeRequest, AuthorityScript } from "../../../schemas/TestHelper.ts"
import { documentKinds } from "../../domain/documents/DocumentKinds.ts"
import * as AccountView from "../sql/AccountView.ts"
import * as Batcher from "../sql/Batcher.ts"
import * as Input from "../sql/Input.ts"
import { ofAccount } from "../sql/Keys.ts"
import * as Query from "../sql/Query.ts"
import * as ClockJumps from "./ClockJumps.ts"

const lookupsMax = 500

const Setting = Schema.Struct({ mode: AuthorityMode, next: Schema.Array(AuthorityScript) })
/** How an account's simulated authority behaves, and the scripts that no document has taken yet. */
export type SandboxSetting = typeof Setting.Type

const untouched: SandboxSetting = { mode: "up", next: [] }

const Standing = Schema.Struct({ mode: AuthorityMode, is_scripted: Schema.Boolean, has_next: Schema.Boolean })
type Standing = typeof Standing.Type
const noScripts = { next: [], scripted_from: null }
const unset: Standing = { mode: "up", is_scripted: false, has_next: false }

/** A document and its script. `correction`: how often the document was corrected. */
const Given = Schema.Struct({
  id: Schema.String,
  correction: Schema.Int,
  is_given: Schema.Boolean,
  script: Schema.NullOr(AuthorityScript),
  is_retried: Schema.Boolean
})

/** What names a numbered document to its authority. */
interface Numbered {
  readonly account_id: AccountId
  readonly kind: DocumentKind
  readonly full_number: string
}

/** The script that a document takes: none if no script is left. */
interface TakenScript {
  readonly id: string
  readonly correction: number
  readonly script: AuthorityScript | undefined
}
const takenInput = Input.make<TakenScript>({
  document_id: ["text", ({ id }) => id],
  correction: ["integer", ({ correction }) => correction],
  script: ["json", ({ script }) => script]
})

/**
 * How an account's simulated authority behaves in test mode: its mode and its scripts. Also the jumps of the account's
 * test clock.
 */
export class SandboxAuthorities extends Context.Service<SandboxAuthorities>()("folio/store/SandboxAuthorities", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const standings = Query.all(
      Schema.Struct({ account_id: Schema.String, ...Standing.fields }),
      (ids: ReadonlySet<AccountId>) => sql`
        select account_id, mode, scripted_from is not null as is_scripted, next <> '[]' as has_next
        from sandbox_authorities where account_id = any(${[...ids]}::text[]) and not livemode`
    )

    // Read at every call of the simulated authority and never cached, so that a change takes effect immediately in all
    // processes.
    const standingOf = yield* Batcher.make({
      name: "SandboxAuthorities.standingOf",
      max: lookupsMax,
      run: Effect.fnUntraced(function* (ids: ReadonlyArray<AccountId>) {
        const found = new Map((yield* standings(new Set(ids))).map((row) => [row.account_id, row]))
        return ids.map((id): Standing => found.get(id) ?? unset)
      })
    })

    const modeOf = (account_id: AccountId) => Effect.map(standingOf(account_id), ({ mode }) => mode)

    const own = (account_id: AccountId) => sql`account_id = ${account_id} and not livemode`

    const locked = Query.first(
      Schema.Struct({ next: Schema.Array(AuthorityScript), scripted_from: Schema.NullOr(Schema.String) }),
      (account_id: AccountId) => sql`
        select next, scripted_from from sandbox_authorities where ${own(account_id)} for update`
    )
    // The range of ids of each kind is read on its own, so that the primary key gives the rows in order.
    const withoutScript = Query.all(
      Schema.Struct({ id: Schema.String }),
      (account_id: AccountId, from: string, count: number) => sql`
        select id from (${sql.join(
          " union all ",
          false
        )(
          Object.values(documentKinds).map(
            ({ prefix }) => sql`
            (select id from invoices i
            where ${own(account_id)} and id > ${`${prefix}_${from}`} and id < ${`${prefix}_z`} and not exists (
              select from sandbox_scripts s
              where s.account_id = i.account_id and s.livemode = i.livemode and s.document_id = i.id and s.correction = 0
            ) order by id limit ${count})`
          )
        )}) made
        order by split_part(id, '_', 2) collate "C" limit ${count}`
    )

    // Only those that may still be submitted: a script is for what comes.
    const correctedWithoutScript = Query.all(
      Schema.Struct({ id: Schema.String, correction: Schema.Int }),
      (account_id: AccountId) => sql`
        select i.id, c.correction from (
          select invoice_id, count(*)::integer as correction, max(version) as version from rejected_documents
          where ${own(account_id)} group by invoice_id
        ) c
        join invoices i on i.account_id = ${account_id} and not i.livemode and i.id = c.invoice_id
          and i.next_action_at is not null
        join transitions t on t.account_id = i.account_id and not t.livemode and t.invoice_id = i.id
          and t.version = c.version + 1
        where not exists (
          select from sandbox_scripts s
          where s.account_id = i.account_id and not s.livemode and s.document_id = i.id and s.correction = c.correction
        ) order by t.at, i.id`
    )

    /**
     * Gives each document that was created after the scripts were set, and has none, the next of the scripts that are
     * left, in the order of creation; and then each document that was corrected since, in the order of correction. What
     * is corrected when no script is left keeps that there was none, and takes none of later scripts. Runs in a
     * transaction; the locked row lets one caller at a time give out the account's scripts.
     */
    const giveScripts = Effect.fnUntraced(function* (account_id: AccountId) {
      const { next, scripted_from } = Option.getOrElse(yield* locked(account_id), () => noScripts)
      const made =
        scripted_from === null || next.length === 0 ? [] : yield* withoutScript(account_id, scripted_from, next.length)
      const corrected = yield* correctedWithoutScript(account_id)
      const takers = [...made.map(({ id }) => ({ id, correction: 0 })), ...corrected]
      if (takers.length === 0) return
      const taken = takers.map((taker, index) => ({ ...taker, script: next[index] }))
      yield* sql`
        insert into sandbox_scripts (account_id, livemode, document_id, correction, script)
        select ${account_id}, false, document_id, correction, script::jsonb
        from ${takenInput(sql, taken)} on conflict do nothing`
      if (next.length === 0) return
      yield* sql`
        update sandbox_authorities set next = ${JSON.stringify(next.slice(takers.length))}::jsonb
        where ${own(account_id)}`
    }, Effect.orDie)

    // A retry leads back to `signed` only if the document was submitted before. A correction ends the script that the
    // document had.
    const given = Query.first(
      Given,
      ({ account_id, full_number, kind }: Numbered) => sql`
        select i.id, c.count as correction, s.document_id is not null as is_given, s.script,
          exists (
            select from transitions t
            where t.account_id = i.account_id and t.livemode = i.livemode and t.invoice_id = i.id
              and t.command = 'Retry' and t.to_state = 'signed' and t.version > coalesce(c.version, 0)
          ) as is_retried
        from invoices i
        cross join lateral (
          select count(*)::integer, max(r.version) as version from rejected_documents r
          where r.account_id = i.account_id and r.livemode = i.livemode and r.invoice_id = i.id
        ) c
        left join sandbox_scripts s on s.account_id = i.account_id and s.livemode = i.livemode and s.document_id = i.id
          and s.correction = c.count
        where i.full_number = ${full_number} and i.account_id = ${account_id} and not i.livemode and i.kind = ${kind}`
    )

    /**
     * The script of a numbered test document, or null. A document keeps the script that it took; only a correction, and
     * a retry of a document whose script let it fail, end the script. For an account that never had scripts, this costs
     * no statement beside that of `modeOf`.
     */
    const scriptOf = Effect.fn("SandboxAuthorities.scriptOf")(function* (document: Numbered) {
      const standing = yield* standingOf(document.account_id)
      if (!standing.is_scripted) return null
      let row = Option.getOrUndefined(yield* given(document))
      if (row !== undefined && !row.is_given && (standing.has_next || row.correction > 0)) {
        yield* Effect.orDie(sql.withTransaction(giveScripts(document.account_id)))
        row = Option.getOrUndefined(yield* given(document))
      }
      return row === undefined || (row.is_retried && row.script?.fail === true) ? null : row.script
    })

    const kept = Query.one(
      Setting,
      (account_id: AccountId, { mode, next }: AuthorityModeRequest, from: string) => sql`
        insert into sandbox_authorities as old (account_id, livemode, mode, next, scripted_from)
        values (${account_id}, false, ${mode ?? "up"}, ${JSON.stringify(next ?? [])}::jsonb, ${next === undefined ? null : from})
        on conflict (account_id, livemode) do update set
          ${sql.csv([
            ...(mode === undefined ? [] : [sql`mode = excluded.mode`]),
            ...(next === undefined ? [] : [sql`next = excluded.next, scripted_from = excluded.scripted_from`])
          ])}
        returning mode, next`
    )

    /**
     * Sets the mode, the scripts or both, as the request names them, and returns both. The new scripts are for
     * documents whose ids, without their prefix, sort after `from`; earlier documents first take theirs from the
     * scripts that were set before. Runs in the caller's transaction, in the account's view (`AccountView`).
     */
    const set = Effect.fn("SandboxAuthorities.set")(function* (
      account_id: AccountId,
      request: AuthorityModeRequest,
      from: string
    ) {
      yield* giveScripts(account_id)
      return yield* kept(account_id, request, from)
    })

    const found = Query.first(
      Setting,
      (account: AccountMode) => sql`select mode, next from sandbox_authorities where ${ofAccount(sql, account)}`
    )

    /** How the simulated authority is set, read in the account's view. */
    const setting = Effect.fn("SandboxAuthorities.setting")((account: AccountMode) =>
      Effect.map(
        AccountView.within(sql, account)(found(account)),
        Option.getOrElse(() => untouched)
      )
    )

    const { advance, isMuchToAdvance } = yield* ClockJumps.make

    return { modeOf, scriptOf, set, setting, isMuchToAdvance, advance }
  })
}) {
  static readonly layer = Layer.effect(SandboxAuthorities, SandboxAuthorities.make)
}
