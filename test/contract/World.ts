import { Clock, Context, Effect, type Exit, type Layer, Option } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import type { DocumentKey } from "../../schemas/FiscalDocument.ts"
import type { EventType } from "../../schemas/Event.ts"
import { AccountId, InvoiceId } from "../../schemas/Id.ts"
import { InvoiceRequest } from "../../schemas/Invoice.ts"
import { makeApiKey } from "../../src/accounts/rules/ApiKeyFormat.ts"
import { colombianSandbox } from "../../src/documents/rules/parties/SandboxIds.ts"
import type { InvoiceCommand } from "../../src/invoices/rules/InvoiceLifecycle.ts"
import { totalsOf } from "../../src/documents/rules/Totals.ts"
import { Accounts } from "../../src/accounts/store/Accounts.ts"
import { ApiKeys } from "../../src/accounts/store/ApiKeys.ts"
import { Customers, type StoredCustomer } from "../../src/accounts/store/Customers.ts"
import { Idempotency } from "../../src/accounts/store/Idempotency.ts"
import { Resolutions, type StoredResolution } from "../../src/accounts/store/Resolutions.ts"
import { InvoiceCreation } from "../../src/invoices/store/InvoiceCreation.ts"
import { Invoices } from "../../src/invoices/store/Invoices.ts"
import { type DraftToNumber, Numbering } from "../../src/invoices/store/Numbering.ts"
import { type Step, Transitions } from "../../src/invoices/store/Transitions.ts"
import { Ids } from "../../src/database/Ids.ts"
import type { StoredWebhookEndpoint } from "../../src/webhooks/store/WebhookEndpoints.ts"
import { invoiceBody } from "../support/apps/Invoices.ts"
import { acquirer, restingAt, seedEndpoint } from "../support/database/Owners.ts"
import type * as MemoryStore from "../support/memory/MemoryStore.ts"
import type { MemoryTables } from "../support/memory/MemoryTables.ts"
import type { describeLive } from "../support/Tests.ts"

/* A separate account for each test of the contract, in a store that all tests of a run share. */

/** The differences between the stores for a test, apart from the store itself. */
export class Contract extends Context.Service<
  Contract,
  {
    /** Lets time pass for everything that the store has planned, leased or kept. */
    readonly pass: (seconds: number) => Effect.Effect<void>
    /** Fails unless the query returns this after all committed transactions are settled. */
    readonly shows: <A, E, R>(look: Effect.Effect<A, E, R>, expected: A) => Effect.Effect<void, E, R>
    /** The versions and commands of an invoice after its creation, in order. */
    readonly transitions: (key: DocumentKey) => Effect.Effect<ReadonlyArray<readonly [number, InvoiceCommand]>>
  }
>()("test/store/Contract") {}

/** The environment of a contract test: the services of both stores. */
type Services = Contract | Ids | Exclude<Layer.Success<typeof MemoryStore.layer>, MemoryTables>

/** The tests of the contract, to run on one of the stores. */
export type Promises = Parameters<ReturnType<typeof describeLive<Services, never>>>[1]

const at = Effect.map(Clock.currentTimeMillis, (now) => new Date(now))

interface Happening extends Pick<Step, "places"> {
  readonly secondsAgo?: number
}

/** A test account with an API key, a numbering range and a customer. */
const addAccount = Effect.gen(function* () {
  const ids = yield* Ids
  const created_at = yield* at
  const { range: granted } = colombianSandbox
  const account: AccountMode = { account_id: AccountId.make(yield* ids.account), livemode: false }
  yield* (yield* Accounts).insert({
    id: account.account_id,
    name: "Cuenta",
    issuer: colombianSandbox.issuer,
    default_version: "2026-01-01",
    created_at,
    live: true
  })
  const api_key_id = yield* ids.apiKey
  const key = makeApiKey("test", new TextEncoder().encode(api_key_id.padEnd(32).slice(-32)))
  yield* (yield* ApiKeys).insert({ id: api_key_id, account_id: account.account_id, mode: "test", key, created_at })
  const range: StoredResolution = {
    ...account,
    ...granted,
    id: yield* ids.resolution,
    document_type: "invoice",
    registered: false,
    from_number: BigInt(granted.from_number ?? 1),
    to_number: BigInt(granted.to_number ?? 1),
    next_number: BigInt(granted.from_number ?? 1),
    technical_key: granted.technical_key ?? "",
    number: granted.number ?? "",
    valid_from: granted.valid_from ?? "",
    valid_to: granted.valid_to ?? "",
    is_active: true,
    held_since: null,
    created_at
  }
  yield* (yield* Resolutions).insert(range)
  return { account, api_key_id, range }
})

const answer = (body: string) => ({ status: 202, location: null, body })

export const world = Effect.gen(function* () {
  const ids = yield* Ids
  const { move } = yield* Transitions
  const { account, api_key_id, range } = yield* addAccount
  const created_at = yield* at
  const claim = (value: string, fingerprint = "one body") => ({ api_key_id, value, fingerprint })
  const by = { api_key_id }

  const customer: StoredCustomer = {
    ...account,
    id: yield* ids.customer,
    acquirer: { ...acquirer, email: "buyer@example.com" },
    metadata: {},
    external_id: null,
    created_at,
    updated_at: created_at
  }
  yield* (yield* Customers).create({ customer, claim: claim("customer"), by, answer: answer(customer.id) })
  const request = InvoiceRequest.make(invoiceBody(customer.id) as never)

  /** Runs an effect in the view of the account, as a request does. */
  const asked = Effect.fnUntraced(function* <A, E>(effect: Effect.Effect<A, E>) {
    const { once } = yield* Idempotency
    let result: Exit.Exit<A, E> | undefined
    const run = Effect.tap(Effect.exit(effect), (exit) => Effect.sync(() => (result = exit)))
    yield* once(account, null, Effect.as(run, answer("")))
    return yield* result!
  })

  /** Creates an invoice with this Idempotency-Key. The response names the invoice. */
  const create = Effect.fnUntraced(function* (key: ReturnType<typeof claim>, customer_id: string = customer.id) {
    const id = InvoiceId.make(yield* ids.invoice)
    const draft = {
      account,
      claim: key,
      by,
      id,
      totals: totalsOf(request.lines),
      answer: answer(id),
      created_at: yield* at
    }
    return yield* (yield* InvoiceCreation).create({
      ...draft,
      request: { ...request, customer_id: customer_id as never }
    })
  })
  const draft = Effect.gen(function* () {
    const { outcome } = yield* create(claim(`draft ${yield* ids.event}`))
    const key: DocumentKey = { ...account, id: InvoiceId.make(outcome.answer.body) }
    return key
  })
  const toNumber = (key: DocumentKey): DraftToNumber => ({
    key,
    resolution_id: range.id,
    issue_date: "2026-11-21",
    issue_time: "10:00:00-05:00",
    issuer_version: 1,
    cufe_tail: `tail of ${key.id}`
  })
  /** An invoice of version 2, which has its number. */
  const numbered = Effect.gen(function* () {
    const key = yield* draft
    yield* (yield* Numbering).number(toNumber(key))
    return key
  })
  /** An invoice of version 3, which is signed but was never sent. */
  const signed = Effect.gen(function* () {
    const key = yield* numbered
    const bytes = new TextEncoder().encode("<signed/>")
    yield* move({ ...step(key, 2, "numbered", "Sign", "signed"), signed: bytes })
    return key
  })

  const newEvent = Effect.fnUntraced(function* (type: EventType, secondsAgo = 0) {
    const id = yield* ids.event
    const now = yield* Clock.currentTimeMillis
    return { id, type, body: `body of ${id}`, created_at: new Date(now - secondsAgo * 1_000) }
  })
  const happens = Effect.fnUntraced(function* (one: Step, type: EventType, secondsAgo?: number) {
    const event = yield* newEvent(type, secondsAgo)
    return { ...(yield* move({ ...one, event })), event }
  })
  return {
    account,
    api_key_id,
    range,
    /** The id of another range. */
    nextId: ids.resolution,
    customer,
    claim,
    answer,
    asked,
    create,
    draft,
    numbered,
    signed,
    toNumber,
    move,
    newEvent,
    /** Enters contingency: the first event of a signed invoice. */
    enter: (key: DocumentKey, { places, secondsAgo }: Happening = {}) =>
      happens({ ...contingency(key), ...(places && { places }) }, "invoice.accepted_contingency", secondsAgo),
    /** Accepts an invoice in contingency: its second event. */
    accept: (key: DocumentKey, { places, secondsAgo }: Happening = {}) =>
      happens({ ...acceptance(key), ...(places && { places }) }, "invoice.accepted_by_authority", secondsAgo),
    /** An endpoint of the account, subscribed to the outcome events. */
    endpoint: (change: Partial<StoredWebhookEndpoint> = {}) =>
      Effect.map(seedEndpoint(account, { max_in_flight: 10, ...change }), (id) => ({ ...account, id })),
    document: (key: DocumentKey) =>
      Effect.map(
        Effect.flatMap(Invoices, ({ find }) => find(key, key.id)),
        Option.getOrThrow
      ),
    /** The commands and versions of an invoice, in order. */
    log: (key: DocumentKey) =>
      Effect.map(
        Effect.flatMap(Contract, (contract) => contract.transitions(key)),
        (all) => all.map(([version, command]) => `${version} ${command}`)
      )
  }
})

export type World = Effect.Success<typeof world>

/** A step without an event, after which the document waits for nothing. */
export const step = (
  key: DocumentKey,
  version: number,
  from: Step["from"],
  command: Step["command"],
  to: Step["to"]
): Step => ({ key, version, from, command, to, ...restingAt(to) })

const contingency = (key: DocumentKey) => step(key, 3, "signed", "EnterContingency", "accepted_contingency")
const acceptance = (key: DocumentKey) => step(key, 4, "accepted_contingency", "Accept", "accepted_by_authority")
