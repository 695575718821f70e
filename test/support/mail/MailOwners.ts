import { Context, Effect } from "effect"
import type { InvoiceId } from "../../../schemas/Id.ts"
import type { InvoiceCommand, InvoiceState } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import { type EmailOutcome, Emails, type StoredEmail } from "../../../src/invoices/store/Emails.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { Invoices } from "../../../src/invoices/store/Invoices.ts"
import { Retention } from "../../../src/operations/store/Retention.ts"
import { type Step, Transitions } from "../../../src/invoices/store/Transitions.ts"
import { Workers } from "../../../src/database/Workers.ts"
import { restingAt, seedEndpoint } from "../database/Owners.ts"
import { anotherOwner, mortalOwner } from "../database/TwoOwners.ts"

export const to = "compras@cliente.test"

/** Two owners of the same submitted documents, whose acquirers have an address. */
export const mailOwners = Effect.fnUntraced(function* (count = 1, address: string | null = to) {
  const { account, first, seed, service, sql: admin, stop } = yield* mortalOwner
  const second = yield* anotherOwner
  const documents = yield* seed(count, "submitted")
  if (address !== null) {
    yield* admin`update invoices set acquirer = acquirer || ${JSON.stringify({ email: address })}::jsonb`
  }
  const ids = Context.get(first, Ids)
  const step = (id: InvoiceId, command: InvoiceCommand, state: InvoiceState, from: InvoiceState = "submitted") =>
    Effect.map(ids.event, (event): Step => ({
      key: { ...account, id },
      version: from === "submitted" ? 1 : 2,
      from,
      command,
      to: state,
      ...restingAt(state),
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
      events: [{ id: event, type: `invoice.email.${status}`, body: "{}", created_at: new Date() }]
    }))
  const owner = (context: typeof first) => ({
    emails: Context.get(context, Emails),
    transitions: Context.get(context, Transitions),
    worker: Context.get(context, Workers)
  })
  return {
    admin,
    account,
    documents,
    document: documents[0],
    key: { ...account, id: documents[0] },
    step,
    accept: (id: InvoiceId) => step(id, "Accept", "accepted_by_authority"),
    outcome,
    endpoint: seedEndpoint(account, { subscribed_events: ["*"] }).pipe(Effect.provideContext(first)),
    first: owner(first),
    second: owner(second),
    stores: { invoices: Context.get(first, Invoices), retention: Context.get(first, Retention) },
    services: [first, second] as const,
    service,
    stop
  }
})
