import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { ResolutionId } from "../../schemas/Id.ts"
import * as Batcher from "./Batcher.ts"
import type { InvoiceKey } from "./Invoices.ts"
import { Workers } from "./Workers.ts"

export interface DraftToNumber {
  readonly key: InvoiceKey
  readonly resolution_id: ResolutionId
  /** YYYY-MM-DD, in the authority's zone */
  readonly issue_date: string
  readonly issue_time: string
  /** Which of its account's issuers it is issued by: the one in the code. */
  readonly issuer_version: number
  /** What the invoice code is hashed from, after the number. */
  readonly cufe_tail: string
}

/**
 * `numbered`: it has its number now. `no_number_left`: the range is exhausted, inactive or not valid on the issue date, and
 * nothing was used. `not_a_draft`: somebody else numbered or ended it.
 */
export const NumberingResult = Schema.Literals(["numbered", "no_number_left", "not_a_draft"])
export type NumberingResult = typeof NumberingResult.Type

const batchMax = 500

// How long the invoice's actor may take to sign and submit before the sweeper reminds it.
const signWithinSeconds = 5

/**
 * Gives numbers: gapless and without twins, whoever and however many call. Documents are locked before their ranges, both in
 * the order of their ids; the counter moves in the same statement as the documents, and no SEQUENCE takes part.
 */
export class Numbering extends Context.Service<
  Numbering,
  { readonly number: (draft: DraftToNumber) => Effect.Effect<NumberingResult> }
>()("folio/store/Numbering") {
  static readonly layer = Layer.effect(
    Numbering,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const workers = yield* Workers
      const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ result: NumberingResult })))

      const number = yield* Batcher.make({
        name: "Numbering.number",
        max: batchMax,
        run: Effect.fnUntraced(function* (drafts: ReadonlyArray<DraftToNumber>) {
          // `once`: an actor that lives twice in this process puts the same draft into a batch twice.
          const rows = yield* sql`
            with input as (
              select * from unnest(
                ${drafts.map((draft) => draft.key.account_id)}::text[],
                ${drafts.map((draft) => draft.key.livemode)}::boolean[],
                ${drafts.map((draft) => draft.key.id)}::text[],
                ${drafts.map((draft) => draft.resolution_id)}::text[],
                ${drafts.map((draft) => draft.issue_date)}::date[],
                ${drafts.map((draft) => draft.issue_time)}::text[],
                ${drafts.map((draft) => draft.issuer_version)}::integer[],
                ${drafts.map((draft) => draft.cufe_tail)}::text[]
              ) with ordinality as n (account_id, livemode, id, resolution_id, issue_date, issue_time,
                issuer_version, cufe_tail, ord)
            ),
            once as (select distinct on (id) * from input order by id, ord),
            draft as (
              select n.* from once n
              join invoices i on i.account_id = n.account_id and i.livemode = n.livemode and i.id = n.id
              where i.state = 'queued' and i.number is null
              order by i.id for update of i
            ),
            range as (
              select r.* from resolutions r
              where (r.account_id, r.livemode, r.id) in (select account_id, livemode, resolution_id from draft)
                and r.is_active
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
                prefix = f.prefix, number = f.number, full_number = f.prefix || f.number,
                cufe = encode(sha384(convert_to(f.prefix || f.number || f.cufe_tail, 'UTF8')), 'hex'),
                issue_date = f.issue_date, issue_time = f.issue_time, issuer_version = f.issuer_version, updated_at = now(),
                next_action_at = now() + ${signWithinSeconds} * interval '1 second', worker = ${workers.id}
              from fitting f
              where i.account_id = f.account_id and i.livemode = f.livemode and i.id = f.id
              returning i.account_id, i.livemode, i.id, i.version
            ),
            log as (
              insert into transitions (account_id, livemode, invoice_id, version, command, from_state, to_state, at)
              select account_id, livemode, id, version, 'Number', 'queued', 'numbered', now() from numbered
            )
            select case when m.id is not null then 'numbered' when d.id is not null then 'no_number_left'
              else 'not_a_draft' end as result
            from input n
            left join draft d on d.ord = n.ord
            left join numbered m on m.id = d.id
            order by n.ord`.pipe(Effect.flatMap(decode))
          return rows.map((row) => row.result)
        }, Effect.orDie)
      })

      return Numbering.of({ number })
    })
  )
}
