import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../../schemas/Account.ts"
import type { DocumentKind } from "../../../../schemas/FiscalDocument.ts"
import type { AccountId } from "../../../../schemas/Id.ts"
import { AuthorityMode, type AuthorityModeRequest, AuthorityScript } from "../../../../schemas/TestHelper.ts"
import { documentKinds } from "../../../../schemas/DocumentKinds.ts"
import * as AccountView from "../../../database/AccountView.ts"
import * as Batcher from "../../../database/Batcher.ts"
import * as Input from "../../../database/Input.ts"
import { ofAccount } from "../../../database/Keys.ts"
import * as Query from "../../../database/Query.ts"
import * as ClockJumps from "./ClockJumps.ts"

const lookupsMax = 500

const Setting = Schema.Struct({ mode: AuthorityMode, next: Schema.Array(AuthorityScript) })
/** The mode of an account's simulated authority, and the scripts that no document has taken yet. */
export type SandboxSetting = typeof Setting.Type

const untouched: SandboxSetting = { mode: "up", next: [] }

const SandboxStatus = Schema.Struct({ mode: AuthorityMode, is_scripted: Schema.Boolean, has_next: Schema.Boolean })
type SandboxStatus = typeof SandboxStatus.Type
const noScripts = { next: [], scripted_from: null }
const unset: SandboxStatus = { mode: "up", is_scripted: false, has_next: false }

/** A document and its script. `correction`: the number of the document's corrections. */
const Given = Schema.Struct({
  id: Schema.String,
  correction: Schema.Int,
  is_given: Schema.Boolean,
  script: Schema.NullOr(AuthorityScript),
  is_retried: Schema.Boolean
})

/** The data that identify a numbered document to the authority. */
interface Numbered {
  readonly account_id: AccountId
  readonly kind: DocumentKind
  readonly full_number: string
}

/** The script that a document takes; undefined if no script is left. */
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

/** The simulated authorities of accounts: modes and scripts. Also advances the clock of an account's sandbox. */
export class SandboxAuthorities extends Context.Service<SandboxAuthorities>()("folio/accounts/SandboxAuthorities", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const statuses = Query.all(
      Schema.Struct({ account_id: Schema.String, ...SandboxStatus.fields }),
      (ids: ReadonlySet<AccountId>) => sql`
        select account_id, mode, scripted_from is not null as is_scripted, next <> '[]' as has_next
        from sandbox_authorities where account_id = any(${[...ids]}::text[]) and not livemode`
    )

    // Read at every call of the simulated authority, so that a change takes effect in all processes immediately.
    const statusOf = yield* Batcher.make({
      name: "SandboxAuthorities.statusOf",
      max: lookupsMax,
      run: Effect.fnUntraced(function* (ids: ReadonlyArray<AccountId>) {
        const found = new Map((yield* statuses(new Set(ids))).map((row) => [row.account_id, row]))
        return ids.map((id): SandboxStatus => found.get(id) ?? unset)
      })
    })

    const modeOf = (account_id: AccountId) => Effect.map(statusOf(account_id), ({ mode }) => mode)

    const own = (account_id: AccountId) => sql`account_id = ${account_id} and not livemode`

    const locked = Query.first(
      Schema.Struct({ next: Schema.Array(AuthorityScript), scripted_from: Schema.NullOr(Schema.String) }),
      (account_id: AccountId) => sql`
        select next, scripted_from from sandbox_authorities where ${own(account_id)} for update`
    )
    // Reads the ids of each kind separately, so that the primary key returns the rows in order.
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

    // Only open documents, because a script applies to a later submission.
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
     * Gives the remaining scripts to documents without a script. First come the documents created after the scripts
     * were set, in the order of creation. Then come corrected documents, in the order of correction. A document that
     * is corrected when no script is left never takes a later script. Runs in a transaction, whose lock allows one
     * caller at a time.
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

    // A retry returns to `signed` only if the document was submitted before. A correction ends the document's script.
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
     * The script of a numbered test document, or null. A document keeps its script until a correction. If the script
     * makes the document fail, a retry also ends the script. For an account that never had scripts, this needs no
     * further statement than `modeOf`.
     */
    const scriptOf = Effect.fn("SandboxAuthorities.scriptOf")(function* (document: Numbered) {
      const status = yield* statusOf(document.account_id)
      if (!status.is_scripted) return null
      let row = Option.getOrUndefined(yield* given(document))
      if (row !== undefined && !row.is_given && (status.has_next || row.correction > 0)) {
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
     * Sets the mode, the scripts or both, and returns both. The new scripts are for documents whose ids, without their
     * prefix, sort after `from`. Earlier documents first take the earlier scripts. Runs in the caller's transaction and
     * account view (`AccountView`).
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

    /** The setting of an account's simulated authority, read in the account's view. */
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
