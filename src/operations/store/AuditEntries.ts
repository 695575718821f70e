import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import { type AuditAction, AuditEntry, operatorId } from "../../../schemas/AuditEntry.ts"
import { ApiKeyId, AuditEntryId, RequestId } from "../../../schemas/Id.ts"
import type { PageRequest } from "../../../schemas/Page.ts"
import { createdWithin } from "../../database/Ids.ts"
import { columnsOf } from "../../database/Keys.ts"
import { actingKeyId, actingPrefix, isActingKey } from "../../accounts/rules/ApiKeyFormat.ts"
import * as Pages from "../../database/Pages.ts"
import * as Query from "../../database/Query.ts"
import { viewOf } from "../../database/View.ts"

const Stored = Schema.Struct({
  ...AccountMode.fields,
  id: AuditEntryId,
  created_at: Schema.Date,
  actor: Schema.String,
  action: Schema.String,
  object_id: Schema.NullOr(Schema.String),
  request_id: Schema.NullOr(RequestId),
  ip: Schema.NullOr(Schema.String),
  details: Schema.Record(Schema.String, Schema.Unknown)
})
const Row = Schema.Struct({
  ...Stored.fields,
  /** The platform's key that made the change, if `actor` stands for it. */
  platform_key: Schema.NullOr(ApiKeyId)
})
export type StoredAuditEntry = typeof Row.Type

/** The filter of a list of entries. A null field matches all entries. `from` and `to` are inclusive. */
export interface AuditFilter {
  readonly action: AuditAction | null
  readonly actor: string | null
  readonly object_id: string | null
  readonly from: Date | null
  readonly to: Date | null
}

/** The entries of one account or of all accounts, and of live mode only if `live` is true. */
export interface TailFilter {
  readonly account: string | null
  readonly live: boolean
}

// The index `audit_log_actions` has no entries of these actions.
const frequent = ["customer.created", "document.created"] as const

/** The entries of the audit log, to read. */
export class AuditEntries extends Context.Service<AuditEntries>()("folio/operations/store/AuditEntries", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql`${columnsOf(sql, Stored)},
      case when actor like ${`${actingPrefix}%`} then platform_key_of(actor) end as platform_key`
    const { find, list } = Pages.readers(sql, {
      service: "AuditEntries",
      narrow: "Narrow it with created[gte] and created[lte], or search by object_id.",
      table: "audit_log",
      row: Row,
      columns
    })

    // A filter by a platform's key finds the entries of its row in the account.
    const isBy = (actor: string, acting: string) =>
      sql`actor = case when platform_key_of(${acting}) is null then ${actor} else ${acting} end`
    const fits = (account: AccountMode, { action, actor, object_id, ...moments }: AuditFilter): Statement.Fragment =>
      sql.and([
        sql`true`,
        ...(action === null ? [] : [sql`action = ${action}`]),
        // The exact condition of the index, because a plan with only parameters could not use the index.
        ...(action === null || frequent.some((one) => one === action)
          ? []
          : [sql`action not in ('customer.created', 'document.created')`]),
        ...(actor === null ? [] : [isBy(actor, actingKeyId(actor, account.account_id))]),
        ...(object_id === null ? [] : [sql`object_id = ${object_id}`]),
        ...createdWithin(sql, "aud", moments)
      ])

    // Reads each account by the primary key, because no index has the entries of all accounts.
    const ofAll = ({ account, live }: TailFilter, bound: Statement.Fragment, order: Statement.Fragment, most: number) =>
      sql`
        select e.* from account_modes m
        cross join lateral (
          select ${columns} from audit_log l
          where l.account_id = m.account_id and l.livemode = m.livemode and ${bound} order by id ${order} limit ${most}
        ) e
        where ${account === null ? sql`true` : sql`m.account_id = ${account}`} and ${live ? sql`m.livemode` : sql`true`}
        order by e.id ${order} limit ${most}`
    const latest = Query.all(Row, (filter: TailFilter, most: number) => ofAll(filter, sql`true`, sql`desc`, most))

    return {
      find,
      list: (account: AccountMode, request: PageRequest, filter: AuditFilter) =>
        list(account, request, fits(account, filter)),
      /** The latest entries, oldest first. */
      latest: (filter: TailFilter, most: number) => Effect.map(latest(filter, most), (rows) => rows.toReversed()),
      /** The first entries whose ids are greater than `after`, oldest first. */
      since: Query.all(Row, (filter: TailFilter, after: string, most: number) =>
        ofAll(filter, sql`l.id > ${after}`, sql`asc`, most)
      )
    }
  })
}) {
  static readonly layer = Layer.effect(AuditEntries, AuditEntries.make)
}

const typeOf = (actor: string) => {
  if (actor === operatorId) return "operator"
  if (isActingKey(actor)) return "platform"
  return actor.startsWith("ps_") ? "portal_session" : "api_key"
}

const view = viewOf(AuditEntry)

export const auditEntryView = (row: StoredAuditEntry): AuditEntry =>
  view({ ...row, actor: { type: typeOf(row.actor), id: row.platform_key ?? row.actor } })
