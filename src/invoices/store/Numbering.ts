import { Context, Effect, Exit, Layer, Option, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { WaitingCode } from "../../../schemas/AuthorityTrouble.ts"
import type { DocumentKey } from "../../../schemas/FiscalDocument.ts"
import type { ResolutionId } from "../../../schemas/Id.ts"
import * as Batcher from "../../database/Batcher.ts"
import * as Input from "../../database/Input.ts"
import { keyColumns } from "../../database/Keys.ts"
import * as Query from "../../database/Query.ts"
import { type LoadedInvoice, loadedColumns, readLoaded } from "./Invoices.ts"
import { Workers } from "../../database/Workers.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"

export interface DraftToNumber {
  readonly key: DocumentKey
  readonly resolution_id: ResolutionId
  /** YYYY-MM-DD, in the authority's zone */
  readonly issue_date: string
  readonly issue_time: string
  /** The issuer version that issues the document. The CUFE or CUDE contains this issuer's NIT. */
  readonly issuer_version: number
  /**
   * The text after the full number in the input of the code, which is its SHA-384. Null if the country's code is
   * different: the document gets a number without a code, and `Redating` adds the code before the signature.
   */
  readonly cufe_tail: string | null
}

/** A draft whose range is held, and the draft's reason to wait. */
export interface HeldDraft extends Pick<DraftToNumber, "key" | "resolution_id"> {
  readonly waiting: { readonly code: WaitingCode; readonly message: string }
}

/**
 * The result of numbering a draft.
 *
 * - `numbered`: the draft has its number.
 * - `no_number_left`: the range is exhausted, inactive, held or not valid on the issue date. No number was used.
 * - `not_a_draft`: another caller has numbered or ended the draft.
 */
export type NumberingResult = "numbered" | "no_number_left" | "not_a_draft"

/** A draft after its numbering. `row`: the numbered document; none without a number or if the row is unreadable. */
export interface NumberedDraft {
  readonly result: NumberingResult
  readonly row: Option.Option<LoadedInvoice>
}

const batchMax = 500

const input = Input.make<DraftToNumber>({
  ...keyColumns,
  resolution_id: ["text", (draft) => draft.resolution_id],
  issue_date: ["date", (draft) => draft.issue_date],
  issue_time: ["text", (draft) => draft.issue_time],
  issuer_version: ["integer", (draft) => draft.issuer_version],
  cufe_tail: ["text", (draft) => draft.cufe_tail]
})

const heldInput = Input.make<HeldDraft>({
  ...keyColumns,
  resolution_id: ["text", (draft) => draft.resolution_id],
  waiting: ["text", ({ waiting }) => JSON.stringify(waiting)]
})

// The release of a range wakes its drafts. This time is for a draft that the release missed.
const heldForMinutes = 60

export interface NewDate {
  readonly key: DocumentKey
  /** The document's version when the caller read the old date. */
  readonly version: number
  /** YYYY-MM-DD, in the authority's zone */
  readonly issue_date: string
  readonly issue_time: string
  /** The CUFE or CUDE with the new date. */
  readonly cufe: string
}

// `too_late`: the document has changed, or its bytes may have been sent.
// `out_of_range`: the range is not valid on the new date.
const Redated = Schema.Struct({ result: Schema.Literals(["redated", "too_late", "out_of_range"]) })

/** The sweeper takes a document if its actor has not signed it within this time. */
export const signWithinSeconds = 5

/**
 * Gives numbers without gaps or duplicates, for any number of concurrent callers. A statement locks the documents
 * before their ranges, both in id order, and updates counter and documents together, without a SEQUENCE.
 */
export class Numbering extends Context.Service<Numbering>()("folio/invoices/store/Numbering", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const workers = yield* Workers
    const { digits, separator } = (yield* NationalProfile).numbering
    const head =
      separator === "" ? sql`f.prefix` : sql`case when f.prefix = '' then '' else f.prefix || ${separator} end`
    const written =
      digits <= 1 ? sql`f.number` : sql`lpad(f.number::text, greatest(length(f.number::text), ${digits}::integer), '0')`
    const fullNumber = sql`${head} || ${written}`

    const number = yield* Batcher.make({
      name: "Numbering.number",
      max: batchMax,
      // `once` removes duplicates: two instances of one actor in this process can offer the same draft. The statement
      // returns whole documents, so that signing needs no second read. It compares the state with a column. With a
      // constant, PostgreSQL would read the index of queued drafts, with every draft numbered since the last vacuum.
      run: (drafts: ReadonlyArray<DraftToNumber>) =>
        Effect.orDie(sql<{ readonly result: NumberingResult }>`
          with input as (select * from ${input(sql, drafts)}),
          once as (select distinct on (id) *, 'queued' as from_state from input order by id, ord),
          draft as (
            select n.* from once n
            join invoices i on i.account_id = n.account_id and i.livemode = n.livemode and i.id = n.id
              and i.state = n.from_state
            where i.number is null
            order by i.id for update of i
          ),
          range as (
            select r.* from resolutions r
            where (r.account_id, r.livemode, r.id) in (select account_id, livemode, resolution_id from draft)
              and r.is_active and r.held_since is null
            order by r.id for update of r
          ),
          fitting as (
            select * from (
              select d.*, r.prefix, r.to_number,
                r.next_number + row_number() over (partition by r.account_id, r.livemode, r.id order by d.id) - 1 as number
              from draft d
              join range r on r.account_id = d.account_id and r.livemode = d.livemode and r.id = d.resolution_id
              where d.issue_date between r.valid_from and r.valid_to
            ) ranked
            where number <= to_number
          ),
          counter as (
            update resolutions r set next_number = r.next_number + f.count
            from (
              select account_id, livemode, resolution_id, count(*) from fitting
              group by account_id, livemode, resolution_id
            ) f
            where r.account_id = f.account_id and r.livemode = f.livemode and r.id = f.resolution_id
          ),
          numbered as (
            update invoices i set state = 'numbered', version = i.version + 1, attempts = 0,
              resolution_id = f.resolution_id,
              prefix = f.prefix, number = f.number, full_number = ${fullNumber},
              cufe = encode(sha384(convert_to(${fullNumber} || f.cufe_tail, 'UTF8')), 'hex'),
              issue_date = f.issue_date, issue_time = f.issue_time, issuer_version = f.issuer_version, updated_at = now(),
              next_action_at = now() + ${signWithinSeconds} * interval '1 second', worker = ${workers.id}
            from fitting f
            where i.account_id = f.account_id and i.livemode = f.livemode and i.id = f.id
            returning i.*
          ),
          log as (
            insert into transitions (account_id, livemode, invoice_id, version, command, from_state, to_state, at)
            select account_id, livemode, id, version, 'Number', 'queued', 'numbered', now() from numbered
          )
          select case when i.id is not null then 'numbered' when d.id is not null then 'no_number_left'
            else 'not_a_draft' end as result, ${loadedColumns(sql)}
          from input n
          left join draft d on d.ord = n.ord
          left join numbered i on i.id = d.id
          left join range r on r.account_id = i.account_id and r.livemode = i.livemode and r.id = i.resolution_id
          left join invoices c on c.account_id = i.account_id and c.livemode = i.livemode and c.id = i.invoice_id
          order by n.ord`)
    })

    /**
     * Sets the drafts whose range is still held to wait, and returns their ids. Other callers may have numbered the
     * other drafts. Locks the range first, so that its release wakes all waiting drafts.
     */
    const wait = Query.all(
      Schema.Struct({ id: Schema.String }),
      (drafts: ReadonlyArray<HeldDraft>) => sql`
        with input as (select * from ${heldInput(sql, drafts)}),
        range as materialized (
          select r.account_id, r.livemode, r.id from resolutions r
          where (r.account_id, r.livemode, r.id) in (select account_id, livemode, resolution_id from input)
            and r.held_since is not null
          order by r.id for share of r
        ),
        draft as materialized (
          select i.account_id, i.livemode, i.id, n.waiting from input n
          join range r on r.account_id = n.account_id and r.livemode = n.livemode and r.id = n.resolution_id
          join invoices i on i.account_id = n.account_id and i.livemode = n.livemode and i.id = n.id
          where i.state = 'queued' order by i.id for update of i
        )
        update invoices i set attempts = greatest(i.attempts, 1), worker = null,
          next_action_at = now() + ${heldForMinutes} * interval '1 minute', waiting = d.waiting::jsonb,
          waiting_since = case when i.waiting ->> 'code' = d.waiting::jsonb ->> 'code' then i.waiting_since else now() end
        from draft d
        where i.account_id = d.account_id and i.livemode = d.livemode and i.id = d.id
        returning i.id`
    )

    /** Gives a document that waited past midnight its signature's date and a new CUFE or CUDE. */
    const redate = Query.one(
      Redated,
      (date: NewDate) => sql`
        with found as (
          select i.account_id, i.livemode, i.id, i.state, not is_issued(i) and i.version = ${date.version}
              and i.state in ('numbered', 'signed') as is_ours,
            i.resolution_id is null or ${date.issue_date}::date between r.valid_from and r.valid_to as is_valid
          from invoices i
          left join resolutions r on r.account_id = i.account_id and r.livemode = i.livemode and r.id = i.resolution_id
          where i.account_id = ${date.key.account_id} and i.livemode = ${date.key.livemode} and i.id = ${date.key.id}
          for update of i
        ),
        moved as (
          update invoices i set state = 'numbered', version = i.version + 1, cufe = ${date.cufe},
            issue_date = ${date.issue_date}::date, issue_time = ${date.issue_time}, updated_at = now(),
            next_action_at = now() + ${signWithinSeconds} * interval '1 second', worker = ${workers.id}
          from found f
          where f.is_ours and f.is_valid
            and i.account_id = f.account_id and i.livemode = f.livemode and i.id = f.id
          returning i.account_id, i.livemode, i.id, i.version, f.state as from_state
        ),
        log as (
          insert into transitions (account_id, livemode, invoice_id, version, command, from_state, to_state, at)
          select account_id, livemode, id, version, 'Redate', from_state, 'numbered', now() from moved
        )
        select case when exists (select from moved) then 'redated'
          when exists (select from found where is_ours) then 'out_of_range' else 'too_late' end as result`
    )

    type Answer = Effect.Success<ReturnType<typeof number>>
    const read = (answer: Answer): NumberedDraft => ({
      result: answer.result,
      row: answer.result === "numbered" ? Result.getSuccess(readLoaded(answer)) : Option.none()
    })

    return {
      number: (draft: DraftToNumber): Effect.Effect<NumberedDraft> => Effect.map(number(draft), read),
      /** Numbers drafts in the order of their ids, each with its own result. */
      numberAll: (drafts: ReadonlyArray<DraftToNumber>): Effect.Effect<ReadonlyArray<Exit.Exit<NumberedDraft>>> =>
        Effect.map(number.all(drafts), (answers) => answers.map(Exit.map(read))),
      wait: Effect.fn("Numbering.wait")((drafts: ReadonlyArray<HeldDraft>) =>
        Effect.map(wait(drafts), (rows) => rows.map(({ id }) => id))
      ),
      redate: Effect.fn("Numbering.redate")((date: NewDate) => Effect.map(redate(date), ({ result }) => result))
    }
  })
}) {
  static readonly layer = Layer.effect(Numbering, Numbering.make)
}
