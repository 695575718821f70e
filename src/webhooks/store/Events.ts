import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { EventType } from "../../../schemas/Event.ts"
import { EventId } from "../../../schemas/Id.ts"
import type { PageRequest } from "../../../schemas/Page.ts"
import * as AccountView from "../../database/AccountView.ts"
import { createdWithin } from "../../database/Ids.ts"
import * as Input from "../../database/Input.ts"
import { isUsableApiKey, type Key, ofAccount, ofKey } from "../../database/Keys.ts"
import * as Pages from "../../database/Pages.ts"
import * as Query from "../../database/Query.ts"
import { bounded } from "../../database/SlowReads.ts"

/** An event's id and delivered body. */
const Row = Schema.Struct({ id: EventId, body: Schema.String })
export type StoredEvent = typeof Row.Type

export interface EventFilter {
  /** Null matches any type. */
  readonly types: ReadonlyArray<EventType> | null
  readonly object_id: string | null
  /** `from` and `to` are inclusive. */
  readonly from: Date | null
  readonly to: Date | null
}

/** A position in the order of events for clients: the transaction that wrote an event, and its sequence number. */
const Position = Schema.Struct({ tx: Schema.String, seq: Schema.BigInt })
export type Position = typeof Position.Type

export const beginning: Position = { tx: "0", seq: 0n }

export interface Waiter {
  readonly account: AccountMode & { readonly api_key_id: string }
  readonly position: Position
  readonly filter: EventFilter
}

/** The news for a waiting request: its API key has ended, or an event has arrived. */
const News = Schema.Literals(["key_ended", "arrived"])
export type News = typeof News.Type

/** The result of a look-up for a waiting request. Without news, the next look-up continues from the position `next`. */
export interface Look {
  readonly news: News | null
  readonly next: Position
}

const input = Input.make<Waiter>({
  account_id: ["text", ({ account }) => account.account_id],
  livemode: ["boolean", ({ account }) => account.livemode],
  api_key_id: ["text", ({ account }) => account.api_key_id],
  tx: ["text", ({ position }) => position.tx],
  seq: ["bigint", ({ position }) => position.seq],
  types: ["text", ({ filter }) => filter.types?.join()],
  object_id: ["text", ({ filter }) => filter.object_id],
  since: ["timestamptz", ({ filter }) => filter.from],
  until: ["timestamptz", ({ filter }) => filter.to]
})

/**
 * The later of a position and an edge. An edge can move back: if a transaction of another database ends between the
 * snapshot and the read of the locks, it counts for this database.
 */
const later = (from: Position, edge: string): Position =>
  BigInt(edge) > BigInt(from.tx) ? { tx: edge, seq: 0n } : from

const narrow = "Narrow it with created[gte] and created[lte], or search by object_id."

/**
 * The events of accounts. Lists contain only settled events. An event is settled once all older transactions of the
 * database have ended, so that no earlier event can appear. Test events are found only by their id.
 */
export class Events extends Context.Service<Events>()("folio/webhooks/store/Events", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql`id, body`
    const { find, list } = Pages.readers(sql, { service: "Events", table: "events", columns, row: Row, narrow })
    const decode = Schema.decodeUnknownEffect(Schema.Array(Row))

    const fits = ({ object_id, types, ...filter }: EventFilter): Statement.Fragment =>
      sql.and([
        ...(types === null ? [] : [sql`type = any(${types}::text[])`]),
        ...(object_id === null ? [] : [sql`object_id = ${object_id}`]),
        ...createdWithin(sql, "evt", filter)
      ])
    // Differs from the predicate of `events_settled`, so that the planner does not use that index, which has another
    // order than the list.
    const isListed = sql`is_test is not true`
    const isSettled = sql`tx < (select oldest_transaction())`

    const findPosition = Query.first(
      Position,
      (key: Key) => sql`select tx::text as tx, seq from events where ${ofKey(sql, key)} and not is_test`
    )
    /** The position of an event. Fails with `invalid_cursor` if the event does not exist. */
    const position = Effect.fn("Events.position")(function* (account: AccountMode, id: string) {
      const found = yield* AccountView.within(sql, account)(findPosition({ ...account, id }))
      return Option.getOrUndefined(found) ?? (yield* unknownEvent(id))
    })

    const findEdge = Query.one(Schema.Struct({ tx: Schema.String }), () => sql`select oldest_transaction()::text as tx`)
    const after = Effect.fn("Events.after")(function* (
      account: AccountMode,
      from: Position,
      filter: EventFilter,
      limit: number
    ) {
      // Forces a scan in index order that ends with the page. A bitmap scan would read all later events for each page.
      yield* sql`set local enable_bitmapscan = off`
      // Precedes the read of events, which then contains all events of transactions older than `edge`.
      const edge = yield* findEdge()
      const following = sql`
        select ${columns} from events
        where ${ofAccount(sql, account)} and (tx, seq) > (${from.tx}::text::xid8, ${from.seq}::bigint) and tx < ${edge.tx}::text::xid8
          and not is_test and ${fits(filter)}`
      const found = yield* Pages.firstRows(sql, following, sql`tx, seq`, limit)
      return { rows: yield* decode(found), has_more: Pages.hasMore(found), next: later(from, edge.tx) }
    }, Effect.orDie)

    const news = Query.all(
      Schema.Struct({ news: Schema.NullOr(News), tx: Schema.String }),
      (waiters: ReadonlyArray<Waiter>) => sql`
        select (select oldest_transaction())::text as tx, case
          when not exists (select from api_keys where id = n.api_key_id and ${sql.literal(isUsableApiKey)}) then 'key_ended'
          when exists (
            select from events e
            where e.account_id = n.account_id and e.livemode = n.livemode and not e.is_test
              and (e.tx, e.seq) > (n.tx::xid8, n.seq) and e.tx < (select oldest_transaction())
              and (n.types is null or e.type = any(string_to_array(n.types, ',')))
              and (n.object_id is null or e.object_id = n.object_id)
              and (n.since is null or e.created_at >= n.since) and (n.until is null or e.created_at <= n.until)
          ) then 'arrived'
        end as news
        from ${input(sql, waiters)}
        order by n.ord`
    )

    return {
      find,
      list: (account: AccountMode, request: PageRequest, filter: EventFilter) =>
        list(account, request, sql.and([isListed, isSettled, fits(filter)])),
      position,
      /** A page of the events after a position, oldest first. Without events, continue from the position `next`. */
      after: (account: AccountMode, from: Position, filter: EventFilter, limit: number) =>
        bounded(sql, account, { name: "following events", narrow })(after(account, from, filter, limit)),
      /** The news for each waiting request, in order: whether its key has ended, or else whether an event matches. */
      news: Effect.fn("Events.news")((waiters: ReadonlyArray<Waiter>) =>
        Effect.map(news(waiters), (looks) =>
          looks.map(({ tx, ...look }, index): Look => ({ ...look, next: later(waiters[index]!.position, tx) }))
        )
      )
    }
  })
}) {
  static readonly layer = Layer.effect(Events, Events.make)
}

export const unknownEvent = (id: string): ApiError =>
  new ApiError({
    code: "invalid_cursor",
    message: `after must be the id of an event of this list; no event has the id ${JSON.stringify(id.slice(0, 64))}.`,
    param: "after"
  })
