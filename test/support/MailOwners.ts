import { Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { eventTypes } from "../../schemas/Event.ts"
import type { InvoiceId } from "../../schemas/Id.ts"
import type { InvoiceCommand, InvoiceState } from "../../src/domain/InvoiceLifecycle.ts"
import { type EmailOutcome, Emails, type StoredEmail } from "../../src/store/Emails.ts"
import { Ids } from "../../src/store/Ids.ts"
import { Invoices } from "../../src/store/Invoices.ts"
import { Retention } from "../../src/store/Retention.ts"
import { type Step, Transitions } from "../../src/store/Transitions.ts"
import { Workers } from "../../src/store/Workers.ts"
import { ownerLayer, seedAccount, seedDrafts, seedEndpoint } from "./Owners.ts"
import { TestDatabase } from "./Postgres.ts"

export const to = "compras@cliente.test"

/** Two owners of the same submitted documents, whose acquirers have an address. */
export const mailOwners = Effect.fnUntraced(function* (count = 1, address: string | null = to) {
  const { url } = yield* TestDatabase
  const admin = yield* SqlClient.SqlClient
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  const first = yield* Layer.buildWithScope(ownerLayer(url), scope)
  const second = yield* Layer.build(ownerLayer(url))
  const { of } = yield* seedAccount.pipe(Effect.provideContext(first))
  const documents = yield* seedDrafts(of.account_id, count, "submitted").pipe(Effect.provideContext(first))
  if (address !== null) {
    yield* admin`update invoices set acquirer = acquirer || ${JSON.stringify({ email: address })}::jsonb`
  }
  const ids = Context.get(first, Ids)
  const step = (id: InvoiceId, command: InvoiceCommand, state: InvoiceState, from: InvoiceState = "submitted") =>
    Effect.map(ids.event, (event): Step => ({
      key: { ...of, id },
      version: from === "submitted" ? 1 : 2,
      from,
      command,
      to: state,
      alarmMs: null,
      event: { id: event, type: "invoice.accepted_by_authority", body: "{}", created_at: new Date() }
    }))
  const outcome = (email: StoredEmail, status: "delivered" | "bounced" | "complained", from = ["pending"] as const) =>
    Effect.map(ids.event, (event): EmailOutcome => ({
      email,
      from,
      status,
      reason: null,
      at: new Date(),
      retryInMs: null,
      event: { id: event, type: `invoice.email.${status}`, body: "{}", created_at: new Date() }
    }))
  const owner = (context: typeof first) => ({
    emails: Context.get(context, Emails),
    transitions: Context.get(context, Transitions),
    worker: Context.get(context, Workers)
  })
  return {
    admin,
    of,
    documents,
    document: documents[0],
    key: { ...of, id: documents[0] },
    step,
    accept: (id: InvoiceId) => step(id, "Accept", "accepted_by_authority"),
    outcome,
    endpoint: seedEndpoint(of, { subscribed_events: eventTypes }).pipe(Effect.provideContext(first)),
    first: owner(first),
    second: owner(second),
    stores: { invoices: Context.get(first, Invoices), retention: Context.get(first, Retention) },
    services: [first, second] as const,
    service: Context.get(first, SqlClient.SqlClient),
    stop: Scope.close(scope, Exit.void)
  }
})
