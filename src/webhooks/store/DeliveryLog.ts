import { Context, Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { Attempt, attemptsShown, bodyShownInLists, Delivery, DeliveryStatus } from "../../../schemas/Delivery.ts"
import { EventType } from "../../../schemas/Event.ts"
import { AttemptId, DeliveryId, EventId, WebhookEndpointId } from "../../../schemas/Id.ts"
import type { PageRequest } from "../../../schemas/Page.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"
import { ofAccount } from "../../database/Keys.ts"
import * as Pages from "../../database/Pages.ts"
import { bounded } from "../../database/SlowReads.ts"
import { viewOf } from "../../database/View.ts"
import * as DeliveryHealth from "./DeliveryHealth.ts"

const StoredAttempt = Schema.Struct({
  ...Struct.omit(Attempt.fields, ["object", "started_at"]),
  started_at_ms: Schema.Finite
})

export type StoredAttempt = typeof StoredAttempt.Type

const Row = Schema.Struct({
  ...AccountMode.fields,
  id: DeliveryId,
  endpoint_id: WebhookEndpointId,
  event_id: EventId,
  event_type: EventType,
  status: DeliveryStatus,
  planned_at: Schema.NullOr(Schema.Date),
  attempts: Schema.Array(StoredAttempt),
  attempts_count: Schema.Int,
  created_at: Schema.Date,
  updated_at: Schema.Date
})
/**
 * A delivery with its latest attempts, oldest first. `planned_at`: the time of the next attempt; null without a planned
 * attempt and while an attempt is in progress.
 */
export type StoredDelivery = typeof Row.Type

/** Reads deliveries and attempts, for their account. */
export class DeliveryLog extends Context.Service<DeliveryLog>()("folio/webhooks/store/DeliveryLog", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeAttempt = Schema.decodeUnknownEffect(StoredAttempt)
    const idOfAttempt = sql`a.delivery_id || '_' || a.number`
    const startedMs = sql`floor(extract(epoch from a.started_at) * 1000)::float8`

    const columns = (latest: number, headers: Statement.Fragment, body: Statement.Fragment) => sql`
      account_id, livemode, id, endpoint_id, event_id, status, created_at, updated_at,
      (
        select e.type from events e
        where e.account_id = deliveries.account_id and e.livemode = deliveries.livemode and e.id = deliveries.event_id
      ) as event_type,
      case when status = 'pending' and worker is null and next_attempt_at < 'infinity' then next_attempt_at end as planned_at,
      coalesce((
        select json_agg(json_build_object(
          'id', ${idOfAttempt}, 'number', a.number, 'trigger', a.trigger, 'started_at_ms', ${startedMs},
          'duration_ms', a.duration_ms, 'remote_ip', a.remote_ip, 'response_status', a.response_status,
          'response_headers', ${headers}, 'response_body', ${body}, 'error', a.error
        ) order by a.number)
        from (
          select * from attempts a
          where a.account_id = deliveries.account_id and a.livemode = deliveries.livemode
            and a.delivery_id = deliveries.id
          order by a.number desc limit ${latest}
        ) a
      ), '[]') as attempts, deliveries.attempts as attempts_count`
    const whole = columns(attemptsShown.alone, sql`a.response_headers`, sql`a.response_body`)
    const listed = columns(attemptsShown.listed, sql`'{}'::jsonb`, sql`left(a.response_body, ${bodyShownInLists})`)
    const { find, list } = Pages.readers(sql, {
      service: "DeliveryLog",
      narrow: "Narrow it with status=failed, or list the deliveries of one event: GET /v1/events/{id}/deliveries.",
      table: "deliveries",
      columns: whole,
      listed,
      row: Row
    })

    /** A page of the attempts of a delivery, newest first. Fails with `invalid_cursor`. */
    const attempts = Effect.fn("DeliveryLog.attempts")(
      function* (account: AccountMode, deliveryId: string, request: PageRequest) {
        const { cursor } = request
        const its = sql`${ofAccount(sql, account)} and delivery_id = ${deliveryId}`
        const at = cursor === null ? 0 : attemptNumber(deliveryId, cursor.id)
        if (cursor !== null && at === 0) return yield* foreignAttempt(cursor)
        const rows = (bound: Statement.Fragment) => sql`
          select ${idOfAttempt} as id, a.number, a.trigger, ${startedMs} as started_at_ms, a.duration_ms, a.remote_ip,
            a.response_status, a.response_headers, a.response_body, a.error
          from attempts a where ${its} and ${bound}`
        return yield* Pages.read(sql, request, { column: "number", at, rows, decode: decodeAttempt })
      },
      (effect, account) => bounded(sql, account, { name: "attempts", narrow: "Ask for a smaller limit." })(effect)
    )

    return {
      ...DeliveryHealth.make(sql),
      find,
      attempts,
      listOfEvent: (account: AccountMode, eventId: string, request: PageRequest) =>
        list(account, request, sql`event_id = ${eventId}`),
      /** The deliveries to an endpoint. A null `status` matches any status. */
      listOfEndpoint: (
        account: AccountMode,
        endpointId: string,
        status: DeliveryStatus | null,
        request: PageRequest
      ) => {
        const ofEndpoint: Statement.Fragment = sql`endpoint_id = ${endpointId}`
        return list(account, request, status === null ? ofEndpoint : sql`${ofEndpoint} and status = ${status}`)
      }
    }
  })
}) {
  static readonly layer = Layer.effect(DeliveryLog, DeliveryLog.make)
}

/** The error for a cursor that is not the id of one of the delivery's attempts. */
export const foreignAttempt = ({ direction }: NonNullable<PageRequest["cursor"]>): ApiError => {
  const param = direction === "after" ? "starting_after" : "ending_before"
  const message = `${param} must be the id of an attempt of this delivery, which begins with the id of the delivery.`
  return new ApiError({ code: "invalid_cursor", message, param })
}

/** The number in the id of one of the delivery's attempts; 0 for any other id. */
export const attemptNumber = (deliveryId: string, id: string): number =>
  Option.isSome(decodeAttemptId(id)) && id.startsWith(`${deliveryId}_`) ? Number(id.slice(deliveryId.length + 1)) : 0

const decodeAttemptId = Schema.decodeOption(AttemptId)

const showAttempt = viewOf(Attempt)
const showDelivery = viewOf(Delivery)

/** The attempt as the API shows it. */
export const attemptView = ({ started_at_ms, ...attempt }: StoredAttempt): Attempt =>
  showAttempt({ ...attempt, started_at: timestamp(started_at_ms) })

/** The delivery as the API shows it. */
export const deliveryView = ({ attempts, endpoint_id, planned_at, ...row }: StoredDelivery): Delivery =>
  showDelivery({
    ...row,
    webhook_endpoint_id: endpoint_id,
    next_attempt_at: planned_at,
    attempts: attempts.map(attemptView)
  })
