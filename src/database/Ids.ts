import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SqlClient, Statement } from "effect/sql"
import { madeIds } from "../../schemas/Id.ts"

type Made = typeof madeIds

/** Makes new ids. In a process, each id sorts after the previous id, even within one millisecond. */
export class Ids extends Context.Service<Ids>()("folio/database/Ids", {
  make: Effect.map(SecureRandom.SecureRandom, (random) => {
    const made = Object.entries(madeIds).map(([kind, [prefix, schema]]) => [
      kind,
      Effect.map(random.ulid, (ulid) => schema.make(`${prefix}_${ulid.toLowerCase()}`))
    ])
    return Object.fromEntries(made) as { readonly [Kind in keyof Made]: Effect.Effect<Made[Kind][1]["Type"]> }
  })
}) {
  static readonly layer = Layer.effect(Ids, Ids.make)
}

const digits = "0123456789abcdefghjkmnpqrstvwxyz"
// Allows for clock differences between the processes that make ids, and for the time between an id and its row's
// timestamp.
const slackMs = 60_000

/** A text that sorts between the ids made before a time (Unix milliseconds) and the later ids. */
export const idOf = (prefix: string, timeMs: number): string => {
  let rest = Math.max(timeMs, 0)
  let text = ""
  for (let place = 0; place < 10; place++) {
    text = `${digits[rest % 32]}${text}`
    rest = Math.floor(rest / 32)
  }
  return `${prefix}_${text}`
}

/** A text that sorts before all ids made at `time` or later. Ids begin with their time, in base 32. */
export const firstIdAt = (prefix: string, time: Date): string => idOf(prefix, time.getTime() - slackMs)

/** A text that sorts after all ids made at `time` or earlier. */
const lastIdAt = (prefix: string, time: Date): string => idOf(prefix, time.getTime() + slackMs)

/** The SQL conditions for rows created from `from` to `to`, inclusive. The conditions on ids make use of the index. */
export const createdWithin = (
  sql: SqlClient.SqlClient,
  prefix: string,
  { from, to }: { readonly from: Date | null; readonly to: Date | null }
): ReadonlyArray<Statement.Fragment> => [
  ...(from === null ? [] : [sql`created_at >= ${from} and id >= ${firstIdAt(prefix, from)}`]),
  ...(to === null ? [] : [sql`created_at <= ${to} and id <= ${lastIdAt(prefix, to)}`])
]

/** The SQL of a delivery's id: the time of its event, and a hash of event and endpoint. Each pair has one id. */
export const deliveryId = (sql: SqlClient.SqlClient, event: Statement.Fragment, endpoint: Statement.Fragment) =>
  sql`'whd_' || substr(${event}, 5, 10) || substr(encode(sha256(convert_to(${event} || ${endpoint}, 'UTF8')), 'hex'), 1, 16)`

/** The SQL of the id of an event's email. The id derives from the event's id, because an event has only one email. */
export const emailId = (sql: SqlClient.SqlClient, event: Statement.Fragment) => sql`'em_' || substr(${event}, 5)`
