import { Context, Effect, Fiber, Latch, Layer, Metric, Semaphore } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { ApiKeyId, PortalSessionId, RequestId } from "../../../schemas/Id.ts"
import type { IdempotencyVerdict } from "../../../schemas/Request.ts"
import { keptBytesMax, maskJson, readMax } from "../../domain/requests/JsonMask.ts"
import {
  idsOf,
  makeHidden,
  type MaskLevel,
  maskPath,
  maskQuery,
  withoutSecrets
} from "../../domain/requests/RequestMask.ts"
import { makeTokenBuckets } from "../../domain/requests/TokenBuckets.ts"
import * as Metrics from "../../protocol/Metrics.ts"
import { inSlices } from "../sql/Slices.ts"
import { Requests, type WrittenRequest } from "./Requests.ts"

/** A body before masking: its size in bytes, and its content if that is JSON. */
interface Body {
  readonly bytes: number
  readonly json: string | Uint8Array | null
}

/** A request that was answered, before anything is masked. `path` is without the query. */
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
/** How long requests are gathered before they are written together. */
const gatherFor = "200 millis"
// How long a reader of the log, and a stop of the process, wait for the requests before them to be written: the
// database may be away.
const flushMax = "2 seconds"
const stopMax = "5 seconds"

// How much of its bodies an account's mode may store in each process: one token for each piece. Beyond that, requests
// are logged without bodies.
const pieceBytes = 4 * 1024
const bodyPieces = { perSecond: 32, burst: 16 * 1024 }
const accountsMax = 10_000

/** Refusals that a client causes as fast as it can send. */
const isFlood = (status: number) => status === 401 || status === 429

/** Tells which refusals to leave out: of each key and status, all but the first of a second. */
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
 * The request log of this process. Requests are taken without waiting, and a fiber masks and writes them in batches. A
 * request is dropped and counted when too many wait or when the database does not take a batch.
 */
export class RequestLog extends Context.Service<RequestLog>()("folio/store/RequestLog", {
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
              Effect.logWarning(`${batch.length} requests could not be logged`, cause)
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
      /** Takes a request to be logged, or drops it. Never waits, and never fails. */
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
       * Waits until what was offered before is written, but no longer than 2 s. The batches are written even if the
       * reader leaves.
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

/** The beginning of a body, in memory of its own: a slice of a long text would keep the whole text in memory. */
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
  // The error may quote a body that was not read as JSON, or not to its end, so its message is not kept.
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
