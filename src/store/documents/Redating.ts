import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { DocumentKey } from "../../../schemas/FiscalDocument.ts"
import * as Query from "../sql/Query.ts"
import { signWithinSeconds } from "./Numbering.ts"
import { Workers } from "../sql/Workers.ts"

export interface NewDate {
  readonly key: DocumentKey
  /** The document's version in which the caller read the old date. */
  readonly version: number
  /** YYYY-MM-DD, in the authority's zone */
  readonly issue_date: string
  readonly issue_time: string
  /** The CUFE or CUDE with the new date. */
  readonly cufe: string
}

/** `too_late`: the document changed, or its bytes may have been sent. `out_of_range`: its range is not valid on the new date. */
const Redated = Schema.Struct({ result: Schema.Literals(["redated", "too_late", "out_of_range"]) })
export type Redated = (typeof Redated.Type)["result"]

/** Sets the issue date of a document that waited past midnight to the date of its signature, which changes the CUFE or CUDE. */
export class Redating extends Context.Service<Redating>()("folio/store/Redating", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const workers = yield* Workers

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

    return { redate: Effect.fn("Redating.redate")((date: NewDate) => Effect.map(redate(date), ({ result }) => result)) }
  })
}) {
  static readonly layer = Layer.effect(Redating, Redating.make)
}
