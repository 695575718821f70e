import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import { type AcceptanceCode, ClaimCode } from "../../../schemas/Acceptance.ts"
import type { DocumentKey } from "../../../schemas/FiscalDocument.ts"
import { type AccountId, DocumentId } from "../../../schemas/Id.ts"
import { finalCodes, type AuthorityEvent } from "../rules/AcceptanceRules.ts"
import { inputOfKeys, ofKey } from "../../database/Keys.ts"

const Kept = Schema.Struct({
  at: Schema.Finite,
  by: Schema.NullOr(Schema.String),
  claim: Schema.NullOr(ClaimCode)
})

/** The stored events of an invoice, by their codes. `is_over`: Folio asks the authority no further question. */
export const StoredAcceptance = Schema.Struct({
  events: Schema.Record(Schema.String, Kept),
  is_over: Schema.Boolean
})
export type StoredAcceptance = typeof StoredAcceptance.Type

/** Lease of a question, in seconds. It is longer than a process needs for a page of questions. */
export const questionLeaseSeconds = 600

/**
 * Questions to the authority about buyers' responses to invoices on credit terms, and the events that the authority
 * returned.
 */
export class Acceptances extends Context.Service<Acceptances>()("folio/invoices/store/Acceptances", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const isKey = Schema.is(Schema.Struct({ ...AccountMode.fields, id: DocumentId }))

    // A row with an invalid document id is skipped until its lease ends, so that it does not block other questions.
    const take = Effect.fn("Acceptances.take")(
      (limit: number, without: ReadonlyArray<AccountId>) => sql<DocumentKey>`
        with due as (
          select account_id, livemode, id from acceptances
          where next_question_at <= now() and account_id <> all(${without}::text[])
          order by next_question_at limit ${limit} for update skip locked
        )
        update acceptances a set next_question_at = now() + ${questionLeaseSeconds} * interval '1 second'
        from due where a.account_id = due.account_id and a.livemode = due.livemode and a.id = due.id
        returning a.account_id, a.livemode, a.id`,
      Effect.map((rows) => rows.filter((row) => isKey(row))),
      Effect.orDie
    )

    // Calls can merge events in any order, because a stored event is never overwritten. The interval is a little less
    // than a day, so that the next question is due when a tester advances the clock by a day.
    const keep = Effect.fn("Acceptances.keep")(
      (key: DocumentKey, events: ReadonlyArray<AuthorityEvent>) => {
        const came = JSON.stringify(
          Object.fromEntries(events.map(({ at, by, claim, code }) => [code, { at, by, claim }]))
        )
        return sql`
          update acceptances set events = ${came}::jsonb || events, next_question_at = case
            when (${came}::jsonb || events) ?| ${finalCodes}::text[] or now() >= ask_until then null
            else least(now() + interval '1 day' - random() * interval '1 hour', ask_until)
          end
          where ${ofKey(sql, key)}`
      },
      Effect.orDie,
      Effect.asVoid
    )

    // Without a response, Folio stops asking two days after the last question was due (`ask_until`).
    const postpone = Effect.fn("Acceptances.postpone")(
      (keys: ReadonlyArray<DocumentKey>, seconds: number) => sql`
        update acceptances a set next_question_at = case when now() < a.ask_until + interval '2 days'
          then now() + ${seconds}::float8 * (0.75 + random() / 2) * interval '1 second' end
        from ${inputOfKeys(sql, keys)}
        where a.account_id = n.account_id and a.livemode = n.livemode and a.id = n.id and a.next_question_at is not null`,
      Effect.orDie,
      Effect.asVoid
    )

    return {
      /**
       * Takes at most `limit` due questions under a lease of `questionLeaseSeconds`, the longest due first. Skips the
       * accounts in `without`.
       */
      take,
      /**
       * Stores the events of an invoice, and sets the time of the next question. This time is null after a final event
       * and after 30 days (`ask_until`).
       */
      keep,
      /** Postpones the next questions by about `seconds`. */
      postpone
    }
  })
}) {
  static readonly layer = Layer.effect(Acceptances, Acceptances.make)
}

/** Converts stored events to the input of the acceptance rules. */
export const storedEvents = ({ events }: StoredAcceptance): ReadonlyArray<AuthorityEvent> =>
  Object.entries(events).map(([code, event]) => ({ code: code as AcceptanceCode, ...event }))
