import { Context, Deferred, Duration, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { Answered, RequestContext } from "../AccountEntity.ts"
import * as AccountView from "../../database/AccountView.ts"
import type * as Input from "../../database/Input.ts"
import { columnsOf } from "../../database/Keys.ts"
import * as Query from "../../database/Query.ts"
import { Secrets } from "../../database/Secrets.ts"

/*
 * All rules of idempotency. The API key and the `Idempotency-Key` identify an operation. The fingerprint identifies the
 * content of the request. A retry passes the stages of `Pipeline` first, like any request.
 *
 * 1. `inFlight`: while Folio executes the first request with a key, a retry waits for its outcome, which may be an
 *    error. After a short wait, the response is that the request is in progress. Another request with the key is a
 *    conflict. The same process sees both requests, because an account has one actor.
 * 2. `unlessAnswered`: a command may reject a request before it claims the key. A retry gets the stored response even
 *    if the command would reject it.
 * 3. Claim: the transaction of the effect also claims the key, so that the database has both or neither. A command with
 *    its own transaction claims by `once`. Commands that share a statement claim by `claimAll`, and read the outcome by
 *    `settle`.
 * 4. Replay: for a used key, Folio returns the bytes of the first response, or `idempotency_conflict` for another
 *    fingerprint. Folio stores only 2xx responses, for 24 hours. A rejected request leaves its key free.
 *
 * Related code: `api/Endpoint` defines which operations require, honor or ignore a key. `Pipeline` checks the form of a
 * key. `Fingerprint` defines which requests are the same. `accounts/Command` and `accounts/AccountActor` nest the steps
 * above. `Ask` writes `Retry-After`. `Retention` deletes old keys.
 */

/**
 * The claim of an idempotency key by a request of an API key. The fingerprint covers the method, the path and the body
 * as canonical JSON.
 */
export interface Claim {
  readonly api_key_id: string
  readonly value: string
  readonly fingerprint: string
}

/** The claim of a request; null for a request without an idempotency key. */
export const claimOf = ({ api_key_id, idempotency }: RequestContext): Claim | null =>
  idempotency === null ? null : { api_key_id, value: idempotency.key, fingerprint: idempotency.fingerprint }

/**
 * A 2xx response as sent: a replay sends the same bytes again. `document_bytes` is the size of the document that the
 * command worked on, if the response is not that document. Folio does not store this size.
 */
export interface Answer {
  readonly status: number
  readonly location: string | null
  readonly body: string
  readonly document_bytes?: number
}

/** The claim of a request, and the response to store unless the key is used. */
export interface Claimed {
  readonly claim: Claim
  readonly answer: Answer
}

/**
 * The outcome of a claimed request. If `replayed` is true, nothing has changed, and `answer` is the stored response to
 * the first request.
 */
export interface Outcome {
  readonly answer: Answer
  readonly replayed: boolean
}

/** How long Folio replays a stored response, counted from the transaction of its effect. */
export const idempotencyWindow = "24 hours"

/**
 * A stored response with the fingerprint of its request. All fields are null if no response was stored within the
 * window.
 */
const StoredRow = Schema.Struct({
  fingerprint: Schema.NullOr(Schema.String),
  status: Schema.NullOr(Schema.Int),
  location: Schema.NullOr(Schema.String),
  body: Schema.NullOr(Schema.String),
  sealed: Schema.NullOr(Schema.Boolean)
})

/** The columns in which a batched statement returns the outcome for a request's key. */
export const BatchRow = Schema.Struct({ ...StoredRow.fields, created: Schema.Boolean })

/** The columns of `BatchRow` except `created`, from `k`, the response that was stored before the statement. */
export const storedColumns = (sql: SqlClient.SqlClient) => sql`k.fingerprint, k.status, k.location, k.body, k.sealed`

/** The SQL join of `k`, the response stored within the window, to the `input` rows `n`. */
export const joinStored = (sql: SqlClient.SqlClient) => sql`
  left join idempotency_keys k on k.api_key_id = n.api_key_id and k.value = n.key
    and k.completed_at > now() - interval '${sql.literal(idempotencyWindow)}'`

/**
 * Claims the keys of `source` (with the columns `claimColumns`) and stores their responses in the same statement as the
 * effect. Claims the keys in sorted order, so that two statements with the same keys cannot deadlock. Returns the keys
 * that were free or past their window.
 */
export const claimAll = (sql: SqlClient.SqlClient, source: Statement.Fragment) => sql`
  insert into idempotency_keys as k (api_key_id, value, fingerprint, status, location, body)
  select api_key_id, key, fingerprint, status, location, answer from ${source} order by api_key_id, key
  on conflict (api_key_id, value) do update set
    fingerprint = excluded.fingerprint, status = excluded.status, location = excluded.location, body = excluded.body,
    sealed = false, completed_at = now()
  where k.completed_at <= now() - interval '${sql.literal(idempotencyWindow)}'
  returning api_key_id, value`

/** The input columns that `claimAll` reads. */
export const claimColumns: Input.Columns<Claimed> = {
  api_key_id: ["text", ({ claim }) => claim.api_key_id],
  key: ["text", ({ claim }) => claim.value],
  fingerprint: ["text", ({ claim }) => claim.fingerprint],
  status: ["integer", ({ answer }) => answer.status],
  location: ["text", ({ answer }) => answer.location],
  answer: ["text", ({ answer }) => answer.body]
}

export const conflict = (value: string) =>
  new ApiError({
    code: "idempotency_conflict",
    message: `The Idempotency-Key ${JSON.stringify(value)} was used for another request (another path or body). Do not retry; use a new key for a new operation.`,
    headers: { "Svc-Should-Retry": "false", "Stripe-Should-Retry": "false" }
  })

type Lookup = (claim: Claim) => Effect.Effect<Option.Option<Answer>, ApiError>

// How long a retry waits for the response to the request in flight before the retry gets `in_progress`.
const repeatWait = Duration.millis(250)

const inProgress: Answered = {
  kind: "in_progress",
  status: 202,
  location: null,
  body: JSON.stringify({ object: "idempotent_request", status: "in_progress" })
}

const answered = ({ answer, replayed }: Outcome): Answered => ({ kind: replayed ? "replayed" : "first", ...answer })

interface Executing {
  readonly fingerprint: string
  readonly done: Deferred.Deferred<Outcome, ApiError>
}

/**
 * Makes the function that executes the requests of an account. Requests with the same key run one at a time. A request
 * runs to its end even if its client disconnects, so that the client's retry finds the response. The database, not this
 * map, decides which request used a key, because the request in flight may itself be the conflict.
 */
export const makeInFlight = (lookup: Lookup) => {
  const inFlight = new Map<string, Executing>()
  return (context: RequestContext, run: Effect.Effect<Outcome, ApiError>): Effect.Effect<Answered, ApiError> =>
    Effect.suspend(() => {
      const claim = claimOf(context)
      if (claim === null) return Effect.uninterruptible(Effect.map(run, answered))
      const id = `${claim.api_key_id}|${claim.value}`
      const other = inFlight.get(id)
      if (other?.fingerprint === claim.fingerprint) {
        return Effect.map(
          Effect.timeoutOption(Deferred.await(other.done), repeatWait),
          Option.match({ onNone: () => inProgress, onSome: ({ answer }) => answered({ answer, replayed: true }) })
        )
      }
      if (other !== undefined) {
        return Effect.flatMap(
          lookup(claim),
          Option.match({
            onNone: () => Effect.fail(conflict(claim.value)),
            onSome: (answer) => Effect.succeed(answered({ answer, replayed: true }))
          })
        )
      }
      const done = Deferred.makeUnsafe<Outcome, ApiError>()
      inFlight.set(id, { fingerprint: claim.fingerprint, done })
      return run.pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => {
            inFlight.delete(id)
            Deferred.doneUnsafe(done, exit)
          })
        ),
        Effect.map(answered),
        Effect.uninterruptible
      )
    })
}

/**
 * Prepares a request before its key is claimed, or returns the outcome of a retry. If preparing takes long, the stored
 * response is looked up first. Otherwise, it is looked up only after preparing fails.
 */
export const unlessAnswered = <A>(
  lookup: Lookup,
  claim: Claim | null,
  prepare: Effect.Effect<A, ApiError>,
  isLong: boolean
): Effect.Effect<{ readonly prepared: A } | { readonly outcome: Outcome }, ApiError> => {
  const stored = claim === null ? Effect.succeedNone : lookup(claim)
  const prepared = Effect.map(prepare, (value) => ({ prepared: value }))
  const storedOr = (otherwise: typeof prepared) =>
    Effect.flatMap(
      stored,
      Option.match({
        onNone: (): Effect.Effect<{ readonly prepared: A } | { readonly outcome: Outcome }, ApiError> => otherwise,
        onSome: (answer) => Effect.succeed({ outcome: { answer, replayed: true } })
      })
    )
  return isLong ? storedOr(prepared) : Effect.catch(prepared, (refusal) => storedOr(Effect.fail(refusal)))
}

/** The place that a stored response is encrypted for (see `Secrets`). */
export const answerContext = (claim: { readonly api_key_id: string; readonly value: string }) =>
  `idempotency_keys|${claim.api_key_id}|${claim.value}`

export class Idempotency extends Context.Service<Idempotency>()("folio/accounts/store/Idempotency", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets
    const find = Query.first(
      StoredRow,
      (claim: Claim) => sql`
        select ${columnsOf(sql, StoredRow)} from idempotency_keys
        where api_key_id = ${claim.api_key_id} and value = ${claim.value}
          and completed_at > now() - interval '${sql.literal(idempotencyWindow)}'`
    )

    const fromRow = Effect.fnUntraced(function* (claim: Claim, row: typeof StoredRow.Type) {
      if (row.status === null || row.body === null) return Option.none<Answer>()
      if (row.fingerprint !== claim.fingerprint) return yield* conflict(claim.value)
      const body = row.sealed === true ? yield* secrets.open(row.body, answerContext(claim)) : row.body
      return Option.some({ status: row.status, location: row.location, body })
    })

    /**
     * The stored response for this request. Fails with `idempotency_conflict` if the key was used for another request.
     */
    const lookup = Effect.fn("Idempotency.lookup")(function* (claim: Claim) {
      const row = yield* find(claim)
      return Option.isNone(row) ? Option.none<Answer>() : yield* fromRow(claim, row.value)
    })

    const replay = Effect.fnUntraced(function* (claim: Claim, late: Effect.Effect<Option.Option<ApiError>>) {
      const found = yield* lookup(claim)
      if (Option.isSome(found)) return { answer: found.value, replayed: true }
      const refusal = yield* late
      if (Option.isSome(refusal)) return yield* refusal.value
      return yield* Effect.die("an idempotency key was neither free nor taken")
    })

    /**
     * The outcome of one request in a batched statement with `claimAll`: the effect, or a replay of the stored
     * response. `refusal` is the error for a request that the statement skipped, for example because an object is
     * missing. `late` finds the error for a request that the statement skipped because of another transaction.
     */
    const settle = Effect.fnUntraced(function* (
      request: Claimed,
      row: typeof BatchRow.Type,
      refusal?: ApiError,
      late: Effect.Effect<Option.Option<ApiError>> = Effect.succeedNone
    ) {
      if (row.created) return { answer: request.answer, replayed: false }
      const stored = yield* fromRow(request.claim, row)
      if (Option.isSome(stored)) return { answer: stored.value, replayed: true }
      if (refusal !== undefined) return yield* refusal
      // Another transaction had claimed the key but not committed when the statement began. The statement waited for
      // the commit, so a new read finds the response.
      return yield* replay(request.claim, late)
    })

    // Status 0 marks a claim whose transaction has not committed. No other session sees this status.
    const claimOne = ({ api_key_id, fingerprint, value }: Claim) => sql`
      insert into idempotency_keys as k (api_key_id, value, fingerprint, status, body)
      values (${api_key_id}, ${value}, ${fingerprint}, 0, '')
      on conflict (api_key_id, value) do update set fingerprint = excluded.fingerprint, status = 0
      where k.completed_at <= now() - interval '${sql.literal(idempotencyWindow)}'
      returning value`

    const store = Effect.fnUntraced(function* (claim: Claim, answer: Answer, sealed: boolean) {
      const body = sealed ? yield* secrets.seal(answer.body, answerContext(claim)) : answer.body
      yield* sql`
        update idempotency_keys set status = ${answer.status}, location = ${answer.location}, body = ${body},
          sealed = ${sealed}, completed_at = clock_timestamp()
        where api_key_id = ${claim.api_key_id} and value = ${claim.value}`.pipe(Effect.orDie)
    })

    /**
     * Runs `effect` and stores its response in one transaction of `AccountView`, or replays the stored response to the
     * first request. If `secret` is true, the stored response is encrypted. Without a claim, `effect` runs in a
     * transaction of `AccountView`, and no response is stored.
     */
    const once = Effect.fn("Idempotency.once")(function* (
      account: AccountMode,
      claim: Claim | null,
      effect: Effect.Effect<Answer, ApiError>,
      options?: { readonly secret: boolean }
    ) {
      const inView = AccountView.within(sql, account)
      if (claim === null) return { answer: yield* inView(effect), replayed: false }
      return yield* inView(
        Effect.gen(function* () {
          if (!(yield* Query.isAny(claimOne(claim)))) return yield* replay(claim, Effect.succeedNone)
          const answer = yield* effect
          yield* store(claim, answer, options?.secret ?? false)
          return { answer, replayed: false }
        })
      )
    })

    return { lookup, settle, once }
  })
}) {
  static readonly layer = Layer.effect(Idempotency, Idempotency.make)
}
