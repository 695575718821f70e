import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import { type AcceptanceCode, ClaimCode } from "../../../schemas/Acceptance.ts"
import type { DocumentKey } from "../../../schemas/FiscalDocument.ts"
import { type AccountId, DocumentId } from "../../../schemas/Id.ts"
import { finalCodes, type RegisteredEvent } from "../../domain/documents/Acceptance.ts"
import { inputOfKeys, ofKey } from "../sql/Keys.ts"

const Kept = Schema.Struct({
  at: Schema.Finite,
  by: Schema.NullOr(Schema.String),
  claim: Schema.NullOr(ClaimCode)
})

/** The events of an invoice as stored, by their codes, and whether the authority is asked nothing more. */
export const StoredAcceptance = Schema.Struct({
  events: Schema.Record(Schema.String, Kept),
  is_over: Schema.Boolean
})
export type StoredAcceptance = typeof StoredAcceptance.Type

/** Seconds for which only the process that took a question may ask it: longer than a page of questions takes. */
export const questionLeaseSeconds = 600

/**
 * The questions to the authority about what the buyers of invoices on credit terms have answered, and the events that
 * were answered.
 */
export class Acceptances extends Context.Service<Acceptances>()("folio/store/Acceptances", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const isKey = Schema.is(Schema.Struct({ ...AccountMode.fields, id: DocumentId }))

    // A row whose id no document can have waits for the next look: it does not block other questions.
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

    // Stored events and new events are merged in any order: a stored event stays as it is. A little less than a day, so
    // that the next question is due when a tester advances the clock by a day.
    const keep = Effect.fn("Acceptances.keep")(
      (key: DocumentKey, events: ReadonlyArray<RegisteredEvent>) => {
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

    // A question that was never answered is given up two days after the last one was due.
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
       * Takes questions whose time has come, the longest due first, each under a lease of `questionLeaseSeconds`: at
       * most `limit`, and none of the accounts in `without`.
       */
      take,
      /**
       * Keeps the events of an invoice, and sets the time of the next question; null after a final event and after 30
       * days.
       */
      keep,
      /** Asks again after about so many seconds. */
      postpone
    }
  })
}) {
  static readonly layer = Layer.effect(Acceptances, Acceptances.make)
}

/** The stored events as the rules take them. */
export const storedEvents = ({ events }: StoredAcceptance): ReadonlyArray<RegisteredEvent> =>
  Object.entries(events).map(([code, event]) => ({ code: code as AcceptanceCode, ...event }))
