import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import type { EventType } from "../../schemas/Event.ts"
import { EventId } from "../../schemas/Id.ts"
import type { PageRequest } from "../../schemas/Page.ts"
import * as AccountView from "./AccountView.ts"
import { isUsable } from "./ApiKeyLookup.ts"
import { firstIdAt, lastIdAt } from "./Ids.ts"
import * as Pages from "./Pages.ts"

/** An event's id, and its body as it was delivered. */
const Row = Schema.Struct({ id: EventId, body: Schema.String })
export type StoredEvent = typeof Row.Type

export interface EventFilter {
  /** Null: of any type. */
  readonly types: ReadonlyArray<EventType> | null
  readonly object_id: string | null
  /** Both inclusive. */
  readonly from: Date | null
  readonly to: Date | null
}

/** A place in the order in which events are followed: the transaction that wrote one, and its number within that. */
const Position = Schema.Struct({ tx: Schema.String, seq: Schema.BigInt })
export type Position = typeof Position.Type

export const beginning: Position = { tx: "0", seq: 0n }

/** Events after a position, oldest first; `next` is where to go on from when there was none. */
export interface Following extends Pages.Rows<StoredEvent> {
  readonly next: Position
}

export interface Waiter {
  readonly of: AccountMode & { readonly api_key_id: string }
  readonly position: Position
  readonly filter: EventFilter
}

/** What one who waits is told. */
export type News = "key_ended" | "arrived"

/** One look for one who waits; when there was no news, it goes on from `next`. */
export interface Look {
  readonly news: News | null
  readonly next: Position
}

/**
 * What has happened. An event is listed and followed once it is settled, when all transactions of the database that began
 * before have ended: no event can come to be seen before it any more. Samples that were sent as a test are found by their id alone.
 */
export class Events extends Context.Service<
  Events,
  {
    readonly find: (of: AccountMode, id: string) => Effect.Effect<Option.Option<StoredEvent>>
    readonly list: (
      of: AccountMode,
      page: PageRequest,
      filter: EventFilter
    ) => Effect.Effect<Pages.Rows<StoredEvent>, ApiError>
    /** Fails with `invalid_cursor`. */
    readonly position: (of: AccountMode, id: string) => Effect.Effect<Position, ApiError>
    readonly after: (
      of: AccountMode,
      position: Position,
      filter: EventFilter,
      limit: number
    ) => Effect.Effect<Following>
    /**
     * For each of those who wait, in their order, whether its key has ended, or else there is an event after its position that
     * fits its filter.
     */
    readonly news: (waiters: ReadonlyArray<Waiter>) => Effect.Effect<ReadonlyArray<Look>>
  }
>()("folio/store/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = sql`id, body`
      const decode = Schema.decodeUnknownEffect(Schema.Array(Row))
      const decodePositions = Schema.decodeUnknownEffect(Schema.Array(Position))
      const decodeEdge = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ tx: Schema.String })]))
      const decodeNews = Schema.decodeUnknownEffect(
        Schema.Array(
          Schema.Struct({ news: Schema.NullOr(Schema.Literals(["key_ended", "arrived"])), tx: Schema.String })
        )
      )

      const fits = ({ from, object_id, to, types }: EventFilter): Statement.Fragment =>
        sql.and([
          ...(types === null ? [] : [sql`type = any(${types}::text[])`]),
          ...(object_id === null ? [] : [sql`object_id = ${object_id}`]),
          ...(from === null ? [] : [sql`created_at >= ${from} and id >= ${firstIdAt("evt", from)}`]),
          ...(to === null ? [] : [sql`created_at <= ${to} and id <= ${lastIdAt("evt", to)}`])
        ])
      const where = (of: AccountMode) => sql`account_id = ${of.account_id} and livemode = ${of.livemode}`
      // In other words than the index of those that are followed, which is in another order than the list.
      const isListed = sql`is_test is not true`
      const isSettled = sql`tx < (select oldest_transaction())`

      const page = Pages.make(sql, { table: "events", columns, row: Row })

      const find: Events["Service"]["find"] = Effect.fn("Events.find")((of, id) =>
        sql`select ${columns} from events where ${where(of)} and id = ${id}`.pipe(
          Effect.flatMap(decode),
          Effect.map((rows) => Option.fromUndefinedOr(rows[0])),
          AccountView.within(sql, of),
          Effect.orDie
        )
      )

      const position: Events["Service"]["position"] = Effect.fn("Events.position")(function* (of, id) {
        const [found] = yield* sql`
          select tx::text as tx, seq from events where ${where(of)} and id = ${id} and not is_test`.pipe(
          Effect.flatMap(decodePositions),
          AccountView.within(sql, of),
          Effect.orDie
        )
        return found ?? (yield* unknownEvent(id))
      })

      const after: Events["Service"]["after"] = Effect.fn("Events.after")(function* (of, { seq, tx }, filter, limit) {
        // In the order of the index, as far as the page goes: a bitmap would be made of all that follows, for every page.
        yield* sql`set local enable_bitmapscan = off`
        // Read first: whatever is older than this is there to be seen by the statement that follows.
        const [edge] = yield* sql`select oldest_transaction()::text as tx`.pipe(Effect.flatMap(decodeEdge))
        const following = sql`
          select ${columns} from events
          where ${where(of)} and (tx, seq) > (${tx}::text::xid8, ${seq}::bigint) and tx < ${edge.tx}::text::xid8
            and not is_test and ${fits(filter)}`
        const found = yield* Pages.firstRows(sql, following, sql`tx, seq`, limit)
        return { rows: yield* decode(found), has_more: Pages.hasMore(found), next: { tx: edge.tx, seq: 0n } }
      }, Effect.orDie)

      const news: Events["Service"]["news"] = Effect.fn("Events.news")(function* (waiters) {
        const filters = waiters.map(({ filter }) => filter)
        const rows = yield* sql`
          select (select oldest_transaction())::text as tx, case
            when not exists (select from api_keys where id = n.api_key_id and ${sql.literal(isUsable)}) then 'key_ended'
            when exists (
              select from events e
              where e.account_id = n.account_id and e.livemode = n.livemode and not e.is_test
                and (e.tx, e.seq) > (n.tx::xid8, n.seq) and e.tx < (select oldest_transaction())
                and (n.types = '' or e.type = any(string_to_array(n.types, ',')))
                and (n.object_id = '' or e.object_id = n.object_id)
                and e.created_at between n.since::timestamptz and n.until::timestamptz
            ) then 'arrived'
          end as news
          from unnest(
            ${waiters.map(({ of }) => of.account_id)}::text[],
            ${waiters.map(({ of }) => of.livemode)}::boolean[],
            ${waiters.map(({ of }) => of.api_key_id)}::text[],
            ${waiters.map((waiter) => waiter.position.tx)}::text[],
            ${waiters.map((waiter) => waiter.position.seq)}::bigint[],
            ${filters.map(({ types }) => types?.join() ?? "")}::text[],
            ${filters.map(({ object_id }) => object_id ?? "")}::text[],
            ${filters.map(({ from }) => from?.toISOString() ?? "-infinity")}::text[],
            ${filters.map(({ to }) => to?.toISOString() ?? "infinity")}::text[]
          ) with ordinality as n (account_id, livemode, api_key_id, tx, seq, types, object_id, since, until, ord)
          order by n.ord`.pipe(Effect.flatMap(decodeNews))
        return rows.map(({ tx, ...row }): Look => ({ news: row.news, next: { tx, seq: 0n } }))
      }, Effect.orDie)

      return Events.of({
        find,
        list: (of, request, filter) => page(of, request, sql.and([isListed, isSettled, fits(filter)])),
        position,
        after: (of, from, filter, limit) => AccountView.within(sql, of)(after(of, from, filter, limit)),
        news
      })
    })
  )
}

export const unknownEvent = (id: string): ApiError =>
  new ApiError({
    code: "invalid_cursor",
    message: `after must be the id of an event of this list; there is none with ${JSON.stringify(id.slice(0, 64))}.`,
    param: "after"
  })
