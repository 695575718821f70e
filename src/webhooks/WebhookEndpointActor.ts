import { Cause, Clock, Duration, Effect, Exit, FiberSet, Latch, Layer, Metric, Predicate, Random, Schema } from "effect"
import { Entity } from "effect/cluster"
import { ServiceInfo } from "../runtime/ServiceInfo.ts"
import { storableText } from "../runtime/json/Storable.ts"
import { nextDeliveryDelayMs } from "./rules/RetrySchedule.ts"
import { eventHeaders, signatureHeaders } from "./rules/WebhookSignature.ts"
import { errorCodes, type WebhookResponse, WebhookSender } from "./sender/WebhookSender.ts"
import { inLane } from "../runtime/turns/AccountLanes.ts"
import { accountAddress, endpointKeyOf } from "../runtime/Address.ts"
import { Counts } from "../runtime/turns/Counts.ts"
import { Fault } from "../runtime/Fault.ts"
import * as Metrics from "../runtime/Metrics.ts"
import { WebhookEndpointEntity } from "./WebhookEndpointEntity.ts"
import { callPort, type PortMethod } from "../runtime/PortCall.ts"
import * as Turns from "../runtime/turns/Turns.ts"
import { deliveryLeaseSeconds } from "./store/DeliveryClaims.ts"
import { type CompletedAttempt, Deliveries, type DueDelivery } from "./store/Deliveries.ts"
import { ReadyEndpoints, type ReadyPlace } from "./store/ReadyEndpoints.ts"
import { isDefect } from "../database/SqlFailure.ts"
import { Limits } from "../runtime/Limits.ts"

// Longer than any attempt, so that the actor is still alive when the attempt ends and can start the next delivery.
const maxIdleTime = Duration.minutes(1)
const mailboxCapacity = 64

// The response of an attempt that Folio could not send. Folio records the attempt, and the schedule retries it like any
// other.
const unsent: WebhookResponse = {
  remoteIp: null,
  status: null,
  headers: {},
  body: "",
  durationMs: 0,
  error: { code: "internal", message: "Folio could not make the delivery. The endpoint is not the cause." }
}

// Less than the lease of a delivery, so that no actor takes the delivery again during its attempt.
const sendWithin = Duration.seconds(deliveryLeaseSeconds - 2)

const sendMethod: PortMethod = {
  name: "WebhookSender.send",
  isAnswer: Schema.is(
    Schema.Struct({
      remoteIp: Schema.NullOr(Schema.String),
      status: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 999 }))),
      headers: Schema.Record(Schema.String, Schema.String),
      body: Schema.String,
      durationMs: Schema.Finite,
      error: Schema.NullOr(Schema.Struct({ code: Schema.Literals(errorCodes), message: Schema.String }))
    })
  ),
  within: sendWithin
}

const bodyMax = 4 * 1024
const headersMax = 64
const wordMax = 500

/** The response in the form that an attempt can record, for any sender of a team. */
const recorded = ({ body, durationMs, error, headers, remoteIp, status }: WebhookResponse): WebhookResponse => ({
  remoteIp: remoteIp === null ? null : storableText(remoteIp, wordMax),
  status,
  headers: Object.fromEntries(
    Object.entries(headers)
      .slice(0, headersMax)
      .map(([name, value]) => [storableText(name, wordMax), storableText(value, bodyMax)])
  ),
  body: storableText(body, bodyMax),
  durationMs: Math.min(Math.max(durationMs, 0), Duration.toMillis(sendWithin)),
  error: error === null ? null : { code: error.code, message: storableText(error.message, wordMax) }
})

const resultOf = (exit: Exit.Exit<WebhookResponse>) =>
  Metrics.attempts(Exit.isSuccess(exit) ? (exit.value.error?.code ?? "delivered") : "internal")

/**
 * The attempts in progress in this process, counted by actor. Attempts end with the process and not with their actor,
 * so that an actor ends immediately when it loses its shard. Otherwise a shard would wait for the slowest receiver
 * before another process serves it.
 */
const makeUnderWay = Effect.map(Effect.all([FiberSet.make<void>(), Limits]), ([fibers, { attempts }]) => ({
  fibers,
  // An account with slow receivers or many events uses only its own turns.
  turns: Turns.make(attempts),
  ofEndpointAtOnce: attempts.ofEndpointAtOnce,
  counts: new Counts()
}))

const actor = (underWay: Effect.Success<typeof makeUnderWay>) =>
  Effect.gen(function* () {
    const deliveries = yield* Deliveries
    const ready = yield* ReadyEndpoints
    const info = yield* ServiceInfo
    const sender = yield* WebhookSender
    const { entityId } = yield* Entity.CurrentAddress
    const key = endpointKeyOf(entityId)
    const owner = accountAddress(key)
    const wake = yield* Latch.make(true)
    // True while an attempt in progress may block a due delivery. The actor then searches for due deliveries when the
    // attempt ends.
    let isHeldBack = false
    let isTaking = false
    const userAgent = `Folio/${info.version} (+${info.baseUrl}/docs)`

    const send = Effect.fnUntraced(function* (
      { body, event_id, event_type, secret, url }: DueDelivery,
      timestamp: number
    ) {
      if (secret === null) return unsent
      const headers = {
        ...signatureHeaders({ secret, messageId: event_id, timestamp, body }),
        ...eventHeaders({ event_id, event_type, endpoint_id: key.id }),
        "User-Agent": userAgent
      }
      const sending = callPort(sendMethod, () => sender.send({ url, body, headers }))
      return recorded(yield* Effect.catchTag(sending, "PortBroken", ({ cause }) => Effect.failCause(cause)))
    })

    /** Makes one attempt of a delivery and records it. Returns whether the endpoint has more deliveries due now. */
    const attempt = Effect.fn("WebhookEndpoint.attempt", { kind: "consumer" })(function* (delivery: DueDelivery) {
      yield* Effect.annotateCurrentSpan({ account_id: key.account_id, delivery_id: delivery.id })
      const startedAt = yield* Clock.currentTimeMillis
      const timestamp = Math.floor(startedAt / 1000)
      yield* Fault.at("before-send")
      const response = yield* send(delivery, timestamp).pipe(
        Effect.catchCauseIf(Predicate.not(Cause.hasInterruptsOnly), (cause) =>
          Effect.as(Effect.logError("A delivery could not be sent", cause), unsent)
        ),
        (sending) => Metrics.measure(sending, resultOf)
      )
      yield* Fault.at("after-send")
      const succeeded = response.error === null
      // The schedule does not retry a delivery on request or a test.
      const isAlone = delivery.trigger === "manual" || delivery.trigger === "test"
      if (response.error?.code === "internal") yield* Metric.update(Metrics.poison("delivery"), 1)
      const completed: CompletedAttempt = {
        delivery,
        started_at: new Date(startedAt),
        duration_ms: Math.round(response.durationMs),
        retryInMs: succeeded || isAlone ? null : nextDeliveryDelayMs(delivery.scheduled + 1, yield* Random.next),
        remote_ip: response.remoteIp,
        response_status: response.status,
        response_headers: response.headers,
        response_body: response.body,
        error: response.error
      }
      // Omits a response that cannot be stored, so that Folio doesn't repeat the delivery forever.
      const isMoreDue = yield* deliveries
        .record(completed)
        .pipe(
          Effect.catchCauseIf(isDefect, () =>
            deliveries.record({ ...completed, response_headers: {}, response_body: "" })
          )
        )
      yield* Fault.at("after-record")
      const result = succeeded ? "succeeded" : completed.retryInMs === null ? "failed" : "retry"
      yield* Metric.update(Metrics.deliveries(result), 1)
      if (!succeeded) {
        yield* Effect.logInfo("A webhook delivery failed").pipe(
          Effect.annotateLogs({ delivery_id: delivery.id, attempt: delivery.attempts + 1, error: response.error?.code })
        )
      }
      return isMoreDue
    })

    /** Starts an attempt that has a turn; the turn ends with the attempt. */
    const start = (delivery: Effect.Effect<DueDelivery>) => {
      const whole = Effect.flatMap(delivery, attempt).pipe(
        Effect.catchCause((cause) =>
          Effect.as(Effect.logError("A delivery's outcome could not be stored; it is due again", cause), true)
        ),
        inLane(key),
        Effect.flatMap((isMoreDue) => {
          underWay.counts.add(entityId, -1)
          underWay.turns.end(owner)
          return isMoreDue || isHeldBack ? Effect.asVoid(wake.open) : Effect.void
        })
      )
      // Attempts are not interrupted, because Folio records each attempt that it sent. A clean stop therefore repeats
      // no delivery.
      return FiberSet.run(underWay.fibers, Effect.uninterruptible(whole))
    }

    /**
     * Takes a turn for an attempt and counts the attempt as in progress, so that no other attempt starts instead.
     * Returns none while the actor takes deliveries that are not counted yet, because the endpoint could exceed its
     * `max_in_flight`.
     */
    const reserve = (): ReadyPlace | undefined => {
      if (isTaking || underWay.turns.takeFree(owner) === 0) return undefined
      const inFlight = underWay.counts.of(entityId)
      underWay.counts.add(entityId, 1)
      return {
        endpoint_id: key.id,
        inFlight,
        begin: (delivery) => start(deliveries.dueOf(key, delivery)),
        release: () => {
          underWay.counts.add(entityId, -1)
          underWay.turns.end(owner)
          if (isHeldBack) wake.openUnsafe()
        }
      }
    }
    yield* ready.offer(key, reserve)

    // Not interrupted when the actor loses its shard. A delivery that was taken and not sent would be due only after
    // its lease.
    const takeAndSend = Effect.gen(function* () {
      isTaking = true
      const turns = 1 + underWay.turns.takeFree(owner, underWay.ofEndpointAtOnce - 1)
      const inFlight = underWay.counts.of(entityId)
      isHeldBack = inFlight > 0
      const due = yield* Effect.onError(deliveries.take(key, inFlight, turns), () =>
        Effect.sync(() => underWay.turns.end(owner, turns))
      )
      underWay.turns.end(owner, turns - due.length)
      isHeldBack &&= due.length === 0
      if (due.length === 0 && inFlight === 0) return yield* deliveries.rest(key)
      for (const delivery of due) {
        underWay.counts.add(entityId, 1)
        yield* start(Effect.succeed(delivery))
      }
      // More deliveries may be due than the endpoint had turns.
      if (due.length === turns) yield* wake.open
    }).pipe(Effect.ensuring(Effect.sync(() => (isTaking = false))))

    const takeInTurn = Effect.uninterruptibleMask((restore) =>
      Effect.andThen(underWay.turns.take({ owner, asker: entityId }, restore), Effect.andThen(wake.close, takeAndSend))
    )

    yield* wake.await.pipe(
      Effect.andThen(takeInTurn),
      Effect.catchCause((cause) => Effect.logError("Deliveries could not be read; the sweeper will retry", cause)),
      Effect.forever,
      inLane(key),
      Effect.annotateLogs({ account_id: key.account_id, webhook_endpoint_id: key.id }),
      Effect.forkScoped
    )

    return WebhookEndpointEntity.of({ Deliver: () => Effect.asVoid(wake.open) })
  })

/**
 * The actor of one endpoint. It sends due deliveries, up to `max_in_flight` at a time, in event order. The order is
 * strict for each resource.
 */
export const layer = Layer.unwrap(
  Effect.map(makeUnderWay, (underWay) =>
    WebhookEndpointEntity.toLayer(actor(underWay), {
      maxIdleTime,
      mailboxCapacity,
      concurrency: 1,
      disableFatalDefects: true
    })
  )
)
