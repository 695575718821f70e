import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import * as AccountView from "./AccountView.ts"
import { Secrets } from "./Secrets.ts"

/** Who claims which key for what: the fingerprint is of method, path and body as sent. */
export interface Claim {
  readonly api_key_id: string
  readonly value: string
  readonly fingerprint: string
}

/**
 * A 2xx answer, as it goes out: a replay sends the same bytes again. `document_bytes`: how large the document is that was worked on,
 * if it is not the answer; that is not stored.
 */
export interface Answer {
  readonly status: number
  readonly location: string | null
  readonly body: string
  readonly document_bytes?: number
}

/** What became of a claimed request. `replayed` means that nothing was done now: the answer is that of the first time. */
export interface Outcome {
  readonly answer: Answer
  readonly replayed: boolean
}

/** How long a stored answer is given again, from the commit of its effect. */
export const idempotencyWindow = "24 hours"

/** A stored answer beside the fingerprint of its request; all null when there is none within the window. */
const StoredRow = Schema.Struct({
  fingerprint: Schema.NullOr(Schema.String),
  status: Schema.NullOr(Schema.Int),
  location: Schema.NullOr(Schema.String),
  body: Schema.NullOr(Schema.String),
  sealed: Schema.NullOr(Schema.Boolean)
})

/** The part of a batched statement's row that says what became of a request's key. */
export const BatchRow = Schema.Struct({ ...StoredRow.fields, created: Schema.Boolean })

/** The columns of `BatchRow` but `created`, of the stored answer `k` that was there before the statement. */
export const storedColumns = (sql: SqlClient.SqlClient) => sql`k.fingerprint, k.status, k.location, k.body, k.sealed`

/** Joins `k`, the answer stored within the window, to `input` rows `n`. */
export const joinStored = (sql: SqlClient.SqlClient) => sql`
  left join idempotency_keys k on k.api_key_id = n.api_key_id and k.value = n.key
    and k.completed_at > now() - interval '${sql.literal(idempotencyWindow)}'`

/**
 * Claims the keys of `source` (columns api_key_id, key, fingerprint, status, location, answer) and stores their answers in the
 * same statement as the effect, in the order of the keys, so that two owners of the same ones do not wait for each other.
 * Returns the keys that were free, or past their window.
 */
export const claimAll = (sql: SqlClient.SqlClient, source: Statement.Fragment) => sql`
  insert into idempotency_keys as k (api_key_id, value, fingerprint, status, location, body)
  select api_key_id, key, fingerprint, status, nullif(location, ''), answer from ${source} order by api_key_id, key
  on conflict (api_key_id, value) do update set
    fingerprint = excluded.fingerprint, status = excluded.status, location = excluded.location, body = excluded.body,
    sealed = false, completed_at = now()
  where k.completed_at <= now() - interval '${sql.literal(idempotencyWindow)}'
  returning api_key_id, value`

export const conflict = (value: string) =>
  new ApiError({
    code: "idempotency_conflict",
    message: `The Idempotency-Key ${JSON.stringify(value)} was used for another request (another path or body). Do not retry; use a new key for a new operation.`,
    headers: { "Svc-Should-Retry": "false", "Stripe-Should-Retry": "false" }
  })

const place = (claim: { readonly api_key_id: string; readonly value: string }) =>
  `idempotency_keys|${claim.api_key_id}|${claim.value}`

export class IdempotencyKeys extends Context.Service<
  IdempotencyKeys,
  {
    /** The stored answer for this very request; fails with `idempotency_conflict` when the key belongs to another one. */
    readonly lookup: (claim: Claim) => Effect.Effect<Option.Option<Answer>, ApiError>
    /**
     * What a batched statement with `claimAll` did for one request: its effect, or a replay of the stored answer. `refusal` is
     * why there may have been neither: the request named something that does not exist.
     */
    readonly settle: (
      request: { readonly claim: Claim; readonly answer: Answer },
      row: typeof BatchRow.Type,
      refusal?: ApiError
    ) => Effect.Effect<Outcome, ApiError>
    /**
     * Runs `effect` and stores its answer in one transaction of the account's view, or replays the answer of the first time.
     * `secret` answers are sealed at rest. Without a claim the effect simply runs in such a transaction.
     */
    readonly once: (
      of: AccountMode,
      claim: Claim | null,
      effect: Effect.Effect<Answer, ApiError>,
      options?: { readonly secret: boolean }
    ) => Effect.Effect<Outcome, ApiError>
  }
>()("folio/store/IdempotencyKeys") {
  static readonly layer = Layer.effect(
    IdempotencyKeys,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secrets = yield* Secrets
      const Key = Schema.Struct({ api_key_id: Schema.String, value: Schema.String, fingerprint: Schema.String })

      const find = SqlSchema.findOneOption({
        Request: Key,
        Result: StoredRow,
        execute: (key) => sql`
          select fingerprint, status, location, body, sealed from idempotency_keys
          where api_key_id = ${key.api_key_id} and value = ${key.value}
            and completed_at > now() - interval '${sql.literal(idempotencyWindow)}'`
      })

      const fromRow = Effect.fnUntraced(function* (claim: Claim, row: typeof StoredRow.Type) {
        if (row.status === null || row.body === null) return Option.none<Answer>()
        if (row.fingerprint !== claim.fingerprint) return yield* conflict(claim.value)
        const body = row.sealed === true ? yield* secrets.open(row.body, place(claim)) : row.body
        return Option.some({ status: row.status, location: row.location, body })
      })

      const lookup = Effect.fn("IdempotencyKeys.lookup")(function* (claim: Claim) {
        const row = yield* Effect.orDie(find(claim))
        return Option.isNone(row) ? Option.none<Answer>() : yield* fromRow(claim, row.value)
      })

      const settle: IdempotencyKeys["Service"]["settle"] = Effect.fnUntraced(function* (request, row, refusal) {
        if (row.created) return { answer: request.answer, replayed: false }
        const stored = yield* fromRow(request.claim, row)
        if (Option.isSome(stored)) return { answer: stored.value, replayed: true }
        if (refusal !== undefined) return yield* refusal
        // Another owner's claim had not committed when the statement began; by now it has.
        const committed = yield* lookup(request.claim)
        if (Option.isSome(committed)) return { answer: committed.value, replayed: true }
        return yield* Effect.die("an idempotency key was neither free nor taken")
      })

      // Status 0 marks a row of a transaction that has not committed: no other session ever sees it.
      const claimOne = SqlSchema.findAll({
        Request: Key,
        Result: Schema.Struct({ value: Schema.String }),
        execute: (key) => sql`
          insert into idempotency_keys as k (api_key_id, value, fingerprint, status, body)
          values (${key.api_key_id}, ${key.value}, ${key.fingerprint}, 0, '')
          on conflict (api_key_id, value) do update set fingerprint = excluded.fingerprint, status = 0
          where k.completed_at <= now() - interval '${sql.literal(idempotencyWindow)}'
          returning value`
      })

      const store = Effect.fnUntraced(function* (claim: Claim, answer: Answer, sealed: boolean) {
        const body = sealed ? yield* secrets.seal(answer.body, place(claim)) : answer.body
        yield* sql`
          update idempotency_keys set status = ${answer.status}, location = ${answer.location}, body = ${body},
            sealed = ${sealed}, completed_at = clock_timestamp()
          where api_key_id = ${claim.api_key_id} and value = ${claim.value}`.pipe(Effect.orDie)
      })

      const once: IdempotencyKeys["Service"]["once"] = Effect.fn("IdempotencyKeys.once")(
        function* (of, claim, effect, options) {
          const inView = AccountView.within(sql, of)
          if (claim === null) return { answer: yield* inView(effect), replayed: false }
          return yield* inView(
            Effect.gen(function* () {
              if ((yield* Effect.orDie(claimOne(claim))).length === 1) {
                const answer = yield* effect
                yield* store(claim, answer, options?.secret ?? false)
                return { answer, replayed: false }
              }
              const found = yield* lookup(claim)
              if (Option.isNone(found)) return yield* Effect.die("an idempotency key was neither free nor taken")
              return { answer: found.value, replayed: true }
            })
          )
        }
      )

      return IdempotencyKeys.of({ lookup, settle, once })
    })
  )
}
