import { Context, Effect, Fiber, Latch, Layer, Metric, Semaphore } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { ApiKeyId, PortalSessionId, RequestId } from "../../../schemas/Id.ts"
import type { IdempotencyVerdict } from "../../../schemas/Request.ts"
import { keptBytesMax, maskJson, readMax } from "../../runtime/json/JsonMask.ts"
import {
  idsOf,
  makeHidden,
  type MaskLevel,
  maskPath,
  maskQuery,
  withoutSecrets
} from "../../runtime/json/RequestMask.ts"
import { makeTokenBuckets } from "../../runtime/json/TokenBuckets.ts"
import * as Metrics from "../../runtime/Metrics.ts"
import { inSlices } from "../../database/Slices.ts"
import { Requests, type WrittenRequest } from "./Requests.ts"

/** A body before masking: its size in bytes, and its content if the content is JSON. */
interface Body {
  readonly bytes: number
  readonly json: string | Uint8Array | null
}

/** A request with its response, before masking. `path` does not include the query. */
export interface OfferedRequest {
  readonly account: AccountMode
  readonly id: RequestId
  readonly created_ms: number
  readonly duration_ms: number
  readonly method: string
  /** The pattern of the route. */
  readonly route: string
  readonly path: string
  readonly query: string
  readonly status: number
  readonly api_key_id: ApiKeyId | null
  readonly portal_session_id: PortalSessionId | null
  readonly ip: string | null
  readonly version: string | null
  readonly idempotency: { readonly key: string; readonly verdict: typeof IdempotencyVerdict.Type } | null
  readonly error_code: string | null
  readonly request: Body
  readonly response: Body
}

const waitingMax = 2_000
const waitingBytesMax = 16 * 1024 * 1024
const batchMax = 200
/** How long requests are collected for one write. */
const gatherFor = "200 millis"
// How long a reader of the log, and the stop of the process, wait until pending requests are written. The wait has a
// limit because the database may not respond.
const flushMax = "2 seconds"
const stopMax = "5 seconds"

// How much of its bodies an account's mode may store in each process: one token for each piece. Without a token, Folio
// logs the request without bodies.
const pieceBytes = 4 * 1024
const bodyPieces = { perSecond: 32, burst: 16 * 1024 }
const accountsMax = 10_000

/** Whether a client can cause this error as fast as it can send requests. */
const isFlood = (status: number) => status === 401 || status === 429

/**
 * Makes the function that returns whether to drop a request. For each key and flood status, only the first request of a
 * second is logged.
 */
const makeFloodGate = () => {
  let second = 0
  const seen = new Set<string>()
  return ({ account, api_key_id, created_ms, status }: OfferedRequest): boolean => {
    if (!isFlood(status)) return false
    const now = Math.floor(created_ms / 1000)
    if (now !== second || seen.size >= accountsMax) seen.clear()
    second = now
    const who = `${keyOf(account)} ${api_key_id} ${status}`
    if (seen.has(who)) return true
    seen.add(who)
    return false
  }
}

/**
 * The request log of this process. A fiber masks and writes the requests in batches, so that no request waits for the
 * log. If too many requests are pending, or if a write fails, Folio drops requests and counts them.
 */
export class RequestLog extends Context.Service<RequestLog>()("folio/operations/store/RequestLog", {
  make: Effect.gen(function* () {
    const requests = yield* Requests
    const scope = yield* Effect.scope
    const offered = yield* Latch.make()
    const turn = Semaphore.makeUnsafe(1)
    const pieces = makeTokenBuckets(bodyPieces, accountsMax)
    let waiting: Array<OfferedRequest> = []
    let waitingBytes = 0
    const isOneOfMany = makeFloodGate()

    const write = Effect.fnUntraced(
      function* (batch: ReadonlyArray<OfferedRequest>) {
        const levels = yield* requests.levels([...new Set(batch.map(({ account }) => account.account_id))])
        const known = new Map(levels.map((mode) => [keyOf(mode), mode.request_log]))
        const kept = batch.filter(({ account }) => (known.get(keyOf(account)) ?? "off") !== "off")
        const rows = yield* inSlices(kept, (request) =>
          Effect.sync(() => rowOf(request, known.get(keyOf(request.account)) === "full" ? "full" : "masked", pieces))
        )
        if (rows.length > 0) yield* requests.insert(rows)
      },
      (effect, batch) =>
        effect.pipe(
          Effect.onInterrupt(() => drop("database", batch.length)),
          Effect.catchCause((cause) =>
            Effect.andThen(
              drop("database", batch.length),
              Effect.logWarning(`Could not write ${batch.length} requests to the request log`, cause)
            )
          )
        )
    )

    const drain = turn.withPermits(1)(
      Effect.suspend(() => {
        const all = waiting
        waiting = []
        waitingBytes = 0
        const batches = Array.from({ length: Math.ceil(all.length / batchMax) }, (_, index) =>
          all.slice(index * batchMax, (index + 1) * batchMax)
        )
        return Effect.forEach(batches, write, { discard: true })
      })
    )

    yield* Effect.gen(function* () {
      yield* offered.await
      yield* Effect.sleep(gatherFor)
      offered.closeUnsafe()
      yield* drain
    }).pipe(Effect.forever, Effect.forkScoped)
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(drain, stopMax)))

    return {
      /** Accepts a request for the log, or drops it. Never waits, and never fails. */
      offer: (answered: OfferedRequest): Effect.Effect<void> =>
        Effect.suspend(() => {
          if (isOneOfMany(answered)) return drop("flood", 1)
          const [request, response] = [beginning(answered.request), beginning(answered.response)]
          const bytes = sizeOf(request) + sizeOf(response)
          if (waiting.length >= waitingMax || waitingBytes + bytes > waitingBytesMax) return drop("busy", 1)
          waiting.push({ ...answered, request, response })
          waitingBytes += bytes
          offered.openUnsafe()
          return Effect.void
        }),
      /**
       * Waits until all requests that were offered before are written, but at most 2 s. If the reader disconnects, the
       * write continues.
       */
      flush: Effect.forkIn(drain, scope).pipe(
        Effect.flatMap(Fiber.await),
        Effect.timeoutOption(flushMax),
        Effect.asVoid
      )
    }
  })
}) {
  static readonly layer = Layer.effect(RequestLog, RequestLog.make)
}

const drop = (why: "busy" | "database" | "flood", count: number) => Metric.update(Metrics.requestsNotLogged(why), count)

const keyOf = (account: { readonly account_id: string; readonly livemode: boolean }) =>
  `${account.account_id} ${account.livemode}`

/** A copy of the beginning of a body. A slice of a long text would keep the whole text in memory. */
const beginning = ({ bytes, json }: Body): Body => {
  if (json === null || json.length <= readMax) return { bytes, json }
  return { bytes, json: typeof json === "string" ? Buffer.from(json.slice(0, readMax)) : json.slice(0, readMax) }
}

const sizeOf = ({ json }: Body) => json?.length ?? 0

const textOf = (json: string | Uint8Array) =>
  typeof json === "string"
    ? json
    : Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString("utf8", 0, readMax)

/** The row of a request, masked at the level of its account. */
const rowOf = (
  { account, created_ms, duration_ms, idempotency, path, query, request, response, route, ...rest }: OfferedRequest,
  level: MaskLevel,
  pieces: ReturnType<typeof makeTokenBuckets>
): WrittenRequest => {
  const { status } = rest
  const hasMessages = status >= 400 || route.endsWith("/validate")
  // The message of the error may quote a body that Folio did not parse as JSON, or not to its end. The message is
  // therefore not stored.
  const isUnread = request.bytes > readMax || (request.bytes > 0 && request.json === null)
  const hidden = makeHidden(!hasMessages || isUnread)
  const shownPath = maskPath(path, route)
  if (shownPath !== path) hidden.isAll = true
  const shownQuery = maskQuery(query, level, hidden)
  const sent = request.json === null ? null : maskJson(textOf(request.json), { level, hasMessages: false, hidden })
  const told = response.json === null ? null : maskJson(textOf(response.json), { level, hasMessages, hidden })
  const isWithin = [sent, told].every((body) => body === null || hasRoom(pieces, keyOf(account), body.text, created_ms))
  const objects = new Set([...idsOf(shownPath), ...(told?.id === undefined || hasMessages ? [] : [told.id])])
  return {
    ...rest,
    account_id: account.account_id,
    livemode: account.livemode,
    created_at: new Date(created_ms),
    path: shownPath,
    query: shownQuery,
    duration_ms: Math.max(0, Math.round(duration_ms)),
    idempotency_key: idempotency === null ? null : withoutSecrets(idempotency.key),
    verdict: idempotency?.verdict ?? null,
    objects: [...objects].slice(0, 2),
    request_bytes: request.bytes,
    request_body: isWithin ? (sent?.text ?? null) : null,
    response_bytes: response.bytes,
    response_body: isWithin ? (told?.text ?? null) : null
  }
}

const hasRoom = (pieces: ReturnType<typeof makeTokenBuckets>, account: string, text: string, nowMs: number) => {
  const count = Math.ceil(Math.min(text.length, keptBytesMax) / pieceBytes)
  return Array.from({ length: count }, () => pieces.take(account, nowMs).allowed).every(Boolean)
}
