/** The service's guarantees for its rows, checked in a database after a restore. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

interface Promised {
  /** The guarantee, in words. */
  readonly promise: string
  /** A query for violations: one text per row. */
  readonly broken: string
}

const mostTold = 5

const promises: ReadonlyArray<Promised> = [
  {
    promise: "Numbers have no gap",
    broken: `
      select format('%s: %s numbers of %s to %s are with documents, %s are recorded as lost', r.id, given.count, given.first,
        r.next_number - 1, lost.count) as broken
      from resolutions r
      join lateral (
        select count(*), min(number) as first from invoices i
        where i.account_id = r.account_id and i.livemode = r.livemode and i.resolution_id = r.id and i.number is not null
      ) given on given.count > 0
      join lateral (
        select coalesce(sum(l.to_number - l.from_number + 1), 0) as count from lost_numbers l
        where l.account_id = r.account_id and l.livemode = r.livemode and l.resolution_id = r.id and l.from_number > given.first
      ) lost on true
      where given.count + lost.count <> r.next_number - given.first`
  },
  {
    promise: "No number is beyond its range's counter",
    broken: `
      select format('%s has %s', i.id, i.full_number) as broken from invoices i
      join resolutions r on r.account_id = i.account_id and r.livemode = i.livemode and r.id = i.resolution_id
      where i.number is not null and (i.number >= r.next_number or i.number < r.from_number)`
  },
  {
    promise: "Numbers and codes are unique",
    broken: `
      (select format('%s has %s twice', account_id, full_number) as broken from invoices where full_number is not null
        group by account_id, livemode, kind, full_number having count(*) > 1)
      union all
      (select format('%s has the code %s twice', account_id, cufe) from invoices where cufe is not null
        group by account_id, livemode, cufe having count(*) > 1)`
  },
  {
    promise: "Every sent document has its signed bytes, with its code",
    broken: `
      select i.id as broken from invoices i
      left join invoice_documents d on d.account_id = i.account_id and d.livemode = i.livemode and d.invoice_id = i.id
      where i.state in ('signed', 'submitted', 'accepted_contingency', 'accepted_by_authority', 'rejected_by_authority')
        and (d.invoice_id is null
          or octet_length(i.cufe) = 96 and position(convert_to(i.cufe, 'UTF8') in d.signed) = 0)`
  },
  {
    promise: "Every outcome of the last day has its event, and every event its document",
    broken: `
      (select format('%s has no event of its outcome', i.id) as broken from invoices i
        where i.state in ('accepted_by_authority', 'rejected_by_authority')
          and i.updated_at > (select max(taken_at) from restores) - interval '20 hours'
          and not exists (select from events e where e.account_id = i.account_id and e.livemode = i.livemode and e.object_id = i.id))
      union all
      (select format('%s is of %s, which is not there', e.id, e.object_id) from events e
        where not e.is_test and e.object_id like 'inv\\_%' and not exists (
          select from invoices i where i.account_id = e.account_id and i.livemode = e.livemode and i.id = e.object_id
        ))`
  },
  {
    promise: "Every document has a timeline that ends in its state",
    broken: `
      select format('%s is %s', i.id, i.state) as broken from invoices i
      join lateral (
        select t.to_state from transitions t
        where t.account_id = i.account_id and t.livemode = i.livemode and t.invoice_id = i.id order by t.version desc limit 1
      ) last on true
      where last.to_state <> i.state`
  }
]

/** Each guarantee with its violations, at most five texts. Runs in a session that sees all rows. */
export const looked = (sql: SqlClient.SqlClient) =>
  Effect.forEach(promises, ({ broken, promise }) =>
    Effect.map(sql.unsafe<{ broken: string }>(`select * from (${broken}) b limit ${mostTold}`), (rows) => ({
      promise,
      broken: rows.map((row) => row.broken)
    }))
  )
