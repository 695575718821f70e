import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AccountMode } from "../../schemas/Account.ts"
import type { ApiError } from "../../schemas/ApiError.ts"
import { AttemptTrigger, type Delivery, DeliveryStatus } from "../../schemas/Delivery.ts"
import { EventType } from "../../schemas/Event.ts"
import { DeliveryId, EventId, WebhookEndpointId } from "../../schemas/Id.ts"
import type { PageRequest } from "../../schemas/Page.ts"
import { timestamp } from "../domain/AuthorityTime.ts"
import * as AccountView from "./AccountView.ts"
import * as Pages from "./Pages.ts"

const StoredAttempt = Schema.Struct({
  number: Schema.Int,
  trigger: AttemptTrigger,
  started_at_ms: Schema.Finite,
  duration_ms: Schema.Int,
  remote_ip: Schema.NullOr(Schema.String),
  response_status: Schema.NullOr(Schema.Int),
  response_headers: Schema.Record(Schema.String, Schema.String),
  response_body: Schema.String,
  error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String }))
})

const Row = Schema.Struct({
  ...AccountMode.fields,
  id: DeliveryId,
  endpoint_id: WebhookEndpointId,
  event_id: EventId,
  event_type: EventType,
  status: DeliveryStatus,
  planned_at: Schema.NullOr(Schema.Date),
  attempts: Schema.Array(StoredAttempt),
  created_at: Schema.Date,
  updated_at: Schema.Date
})
/** A delivery with its attempts, oldest first. `planned_at`: when the next attempt is due, if none is under way. */
export type StoredDelivery = typeof Row.Type

/** Deliveries as their account sees them. */
export class DeliveryLog extends Context.Service<
  DeliveryLog,
  {
    readonly find: (of: AccountMode, id: string) => Effect.Effect<Option.Option<StoredDelivery>>
    readonly listOfEvent: (
      of: AccountMode,
      eventId: string,
      page: PageRequest
    ) => Effect.Effect<Pages.Rows<StoredDelivery>, ApiError>
    /** `status` null: of any status. */
    readonly listOfEndpoint: (
      of: AccountMode,
      endpointId: string,
      status: DeliveryStatus | null,
      page: PageRequest
    ) => Effect.Effect<Pages.Rows<StoredDelivery>, ApiError>
  }
>()("folio/store/DeliveryLog") {
  static readonly layer = Layer.effect(
    DeliveryLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const decode = Schema.decodeUnknownEffect(Schema.Array(Row))
      const columns = sql`
        account_id, livemode, id, endpoint_id, event_id, status, created_at, updated_at,
        (
          select e.type from events e
          where e.account_id = deliveries.account_id and e.livemode = deliveries.livemode and e.id = deliveries.event_id
        ) as event_type,
        case when status = 'pending' and worker is null and next_attempt_at < 'infinity' then next_attempt_at end as planned_at,
        coalesce((
          select json_agg(json_build_object(
            'number', a.number, 'trigger', a.trigger, 'started_at_ms', floor(extract(epoch from a.started_at) * 1000),
            'duration_ms', a.duration_ms, 'remote_ip', a.remote_ip, 'response_status', a.response_status,
            'response_headers', a.response_headers, 'response_body', a.response_body, 'error', a.error
          ) order by a.number)
          from attempts a
          where a.account_id = deliveries.account_id and a.livemode = deliveries.livemode
            and a.delivery_id = deliveries.id
        ), '[]') as attempts`
      const page = Pages.make(sql, { table: "deliveries", columns, row: Row })

      const find: DeliveryLog["Service"]["find"] = Effect.fn("DeliveryLog.find")((of, id) =>
        sql`
          select ${columns} from deliveries
          where account_id = ${of.account_id} and livemode = ${of.livemode} and id = ${id}`.pipe(
          Effect.flatMap(decode),
          Effect.map((rows) => Option.fromUndefinedOr(rows[0])),
          AccountView.within(sql, of),
          Effect.orDie
        )
      )

      return DeliveryLog.of({
        find,
        listOfEvent: (of, eventId, request) => page(of, request, sql`event_id = ${eventId}`),
        listOfEndpoint: (of, endpointId, status, request) => {
          const ofEndpoint: Statement.Fragment = sql`endpoint_id = ${endpointId}`
          return page(of, request, status === null ? ofEndpoint : sql`${ofEndpoint} and status = ${status}`)
        }
      })
    })
  )
}

/** The delivery as the API shows it. */
export const deliveryView = (row: StoredDelivery): Delivery => ({
  id: row.id,
  object: "webhook_delivery",
  livemode: row.livemode,
  webhook_endpoint_id: row.endpoint_id,
  event_id: row.event_id,
  event_type: row.event_type,
  status: row.status,
  next_attempt_at: row.planned_at === null ? null : timestamp(row.planned_at.getTime()),
  attempts: row.attempts.map(({ number, started_at_ms, trigger, ...attempt }) => ({
    number,
    trigger,
    started_at: timestamp(started_at_ms),
    ...attempt
  })),
  created_at: timestamp(row.created_at.getTime()),
  updated_at: timestamp(row.updated_at.getTime())
})
