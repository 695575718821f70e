import { Effect, Schema, String } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import { TimelineEntry } from "../../../schemas/Timeline.ts"
import { eventView, type AuthorityEvent } from "../rules/AcceptanceRules.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"
import { ofAccount } from "../../database/Keys.ts"
import * as Pages from "../../database/Pages.ts"
import { bounded } from "../../database/SlowReads.ts"

/** Maximum entries of a timeline. Only a document with days of manual redeliveries has more. */
export const timelineMax = 1_000

const Row = Schema.Struct({ at_ms: Schema.Finite, entry: Schema.Record(Schema.String, Schema.Unknown) })

/** The name of a document's command as the API shows it. */
export const commandName = (command: string): string => String.pascalToSnake(command)

/** An entry as the API shows it, with the names of its command or of its registered acceptance. */
const shown = ({ type, ...entry }: Readonly<Record<string, unknown>>) => {
  if (type === "acceptance") return { type, ...eventView(entry as unknown as AuthorityEvent) }
  return typeof entry["command"] === "string"
    ? { type, ...entry, command: commandName(entry["command"]) }
    : { type, ...entry }
}

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const decode = Schema.decodeUnknownEffect(Schema.Array(TimelineEntry))

/**
 * Makes the function that reads the first `timelineMax` entries of a document, oldest first, by the database's clock.
 * A document that does not exist has no entries.
 */
export const make = (sql: SqlClient.SqlClient) =>
  Effect.fn("Invoices.timeline")(
    function* (account: AccountMode, id: string) {
      const own = ofAccount(sql, account)
      const all = sql`
          with happened as (
            select created_at as at, 0 as rank, 0 as ord, json_build_object('type', 'transition', 'command', 'Create',
              'from', null, 'to', 'queued', 'version', 1) as entry
            from invoices where ${own} and id = ${id}
            union all
            select t.at, 1, t.version, (jsonb_build_object('type', 'transition', 'command', t.command,
              'from', t.from_state, 'to', t.to_state, 'version', t.version) || coalesce(r.what, '{}'))::json
            from transitions t left join (
              select version, jsonb_build_object(case when invoice_id like 'inv%' then 'cufe' else 'cude' end, cufe,
                'issue_date', issue_date, 'authority_errors', authority_errors) as what
              from rejected_documents where ${own} and invoice_id = ${id}
            ) r on r.version = t.version
            where t.account_id = ${account.account_id} and t.livemode = ${account.livemode} and t.invoice_id = ${id}
            union all
            select status_at, 1, attempts, json_build_object('type', 'email', 'email_id', id, 'to', recipient,
              'status', status, 'attempts', attempts, 'reason', reason)
            from emails where ${own} and invoice_id = ${id}
            union all
            select to_timestamp((r.value ->> 'at')::float8 / 1000), 1, r.key::integer,
              json_build_object('type', 'acceptance', 'code', r.key, 'by', r.value ->> 'by', 'claim', r.value ->> 'claim')
            from acceptances a cross join lateral jsonb_each(a.events) r
            where a.account_id = ${account.account_id} and a.livemode = ${account.livemode} and a.id = ${id}
            union all
            select coalesce(t.at, e.created_at), 2, e.seq,
              json_build_object('type', 'event', 'event_id', e.id, 'event_type', e.type)
            from events e left join transitions t on t.account_id = e.account_id and t.livemode = e.livemode
              and t.invoice_id = e.object_id and t.version = e.object_version
            where e.account_id = ${account.account_id} and e.livemode = ${account.livemode} and e.object_id = ${id}
            union all
            select a.started_at, 3, a.number, json_build_object('type', 'delivery_attempt', 'event_id', d.event_id,
              'webhook_delivery_id', d.id, 'webhook_endpoint_id', d.endpoint_id, 'number', a.number,
              'trigger', a.trigger, 'duration_ms', a.duration_ms, 'response_status', a.response_status, 'error', a.error)
            from events e
            join deliveries d on d.event_id = e.id and d.account_id = e.account_id and d.livemode = e.livemode
            join attempts a on a.delivery_id = d.id and a.account_id = d.account_id and a.livemode = d.livemode
            where e.account_id = ${account.account_id} and e.livemode = ${account.livemode} and e.object_id = ${id}
          )
          select floor(extract(epoch from at) * 1000)::float8 as at_ms, entry from happened`
      const rows = yield* Pages.firstRows(sql, all, sql`at, rank, ord`, timelineMax)
      const entries = (yield* decodeRows(rows)).map(({ at_ms, entry }) => ({
        object: "timeline_entry",
        ...shown(entry),
        at: timestamp(at_ms)
      }))
      return { rows: yield* decode(entries), has_more: Pages.hasMore(rows) }
    },
    (effect, account) =>
      bounded(sql, account, {
        name: "timeline",
        narrow: "Read the events of the document instead: GET /v1/events?object_id=…"
      })(Effect.orDie(effect))
  )
