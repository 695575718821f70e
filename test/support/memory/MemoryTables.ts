import { Clock, Context, Effect, Latch, Layer, Option, type Result } from "effect"
import { hash } from "node:crypto"
import type { AccountMode, Issuer } from "../../../schemas/Account.ts"
import type { AttemptTrigger, DeliveryStatus } from "../../../schemas/Delivery.ts"
import type { EventId } from "../../../schemas/Id.ts"
import type { EventType } from "../../../schemas/Event.ts"
import type { InvoiceCommand, InvoiceState } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import type { StoredAccount } from "../../../src/accounts/store/Accounts.ts"
import type { StoredApiKey } from "../../../src/accounts/store/ApiKeys.ts"
import type { StoredCertificate } from "../../../src/accounts/store/Certificates.ts"
import type { StoredCustomer } from "../../../src/accounts/store/Customers.ts"
import type { CompletedAttempt } from "../../../src/webhooks/store/Deliveries.ts"
import type { Answer } from "../../../src/accounts/store/Idempotency.ts"
import type { CircuitState } from "../../../src/invoices/store/AuthorityCircuits.ts"
import type { StoredInvoice } from "../../../src/invoices/store/Invoices.ts"
import type { StoredEmail } from "../../../src/invoices/store/Emails.ts"
import type { StoredResolution } from "../../../src/accounts/store/Resolutions.ts"
import type { StoredWebhookEndpoint } from "../../../src/webhooks/store/WebhookEndpoints.ts"
import type { Key } from "../../../src/database/Keys.ts"
import { NationalProfile } from "../../../src/documents/NationalProfile.ts"
import { patiently } from "../apps/Until.ts"

export interface ApiKeyRow extends StoredApiKey {
  readonly hash: string
}

export interface InvoiceRow extends StoredInvoice {
  readonly prefix: string | null
  readonly number: bigint | null
  /** Milliseconds; null without unfinished work. */
  readonly next_action_at: number | null
}

type CircuitTime = "failing_since" | "failed_at" | "at_fault_since" | "opened_at" | "restored_at" | SeenTime
type SeenTime = "trouble_since" | "refusal_since" | "refused_at"

/** Times in milliseconds. */
export interface CircuitRow
  extends
    Pick<CircuitState, "accounts" | "of_all" | "trouble" | "message" | "refusal">,
    Readonly<Record<CircuitTime, number | null>> {
  readonly next_probe_at: number
}

export interface TransitionRow {
  readonly invoice_id: string
  readonly version: number
  readonly command: InvoiceCommand
  readonly from: InvoiceState
  readonly to: InvoiceState
  readonly at: number
}

/** The code of a document before its correction. */
export interface RejectedRow {
  readonly invoice_id: string
  readonly cufe: string
}

export interface EventRow extends AccountMode {
  readonly id: EventId
  readonly seq: number
  readonly type: EventType
  readonly object_id: string
  readonly object_version: number
  readonly body: string
  readonly is_test: boolean
  /** Milliseconds. */
  readonly created_at: number
}

type EmailTimes = "status_at" | "next_attempt_at" | "created_at"

/** Times in milliseconds. */
export interface EmailRow extends Omit<StoredEmail, "kind" | "full_number" | "metadata" | EmailTimes> {
  readonly status_at: number
  /** Null without unfinished work. */
  readonly next_attempt_at: number | null
  readonly created_at: number
}

export interface DeliveryRow extends AccountMode {
  readonly id: string
  readonly endpoint_id: string
  readonly event_id: EventId
  readonly object_id: string
  readonly seq: number
  readonly status: DeliveryStatus
  readonly attempts: number
  /** Milliseconds; Infinity while it is inactive. */
  readonly next_attempt_at: number
  readonly isUnderWay: boolean
  readonly created_at: number
  readonly updated_at: number
}

export interface AttemptRow extends CompletedAttempt {
  readonly number: number
  readonly trigger: AttemptTrigger
  readonly succeeded: boolean
}

/** A new delivery. */
export const newDelivery = (
  { account_id, id: event_id, livemode, object_id, seq }: EventRow,
  endpoint_id: string,
  now: number
): DeliveryRow => ({
  account_id,
  livemode,
  id: `whd_${event_id.slice(4, 14)}${hash("sha256", event_id + endpoint_id).slice(0, 16)}`,
  endpoint_id,
  event_id,
  object_id,
  seq,
  status: "pending",
  attempts: 0,
  next_attempt_at: now,
  isUnderWay: false,
  created_at: now,
  updated_at: now
})

export interface KeyRow {
  readonly fingerprint: string
  readonly answer: Answer
  readonly completed_at: number
}

/** The content of a database. Rows are replaced, never changed, so that a test may keep one for a comparison. */
const emptyTables = () => ({
  /** By account and mode. The issuers also have a version. */
  accounts: new Map<string, StoredAccount>(),
  issuers: new Map<string, Issuer>(),
  apiKeys: new Map<string, ApiKeyRow>(),
  auditLog: [] as Array<string>,
  certificates: new Map<string, StoredCertificate & { readonly pem: string }>(),
  customers: new Map<string, StoredCustomer>(),
  resolutions: new Map<string, StoredResolution>(),
  invoices: new Map<string, InvoiceRow>(),
  documents: new Map<string, { readonly signed: Uint8Array; readonly authority_answer: unknown }>(),
  circuits: new Map<string, CircuitRow>(),
  rejected: [] as Array<RejectedRow>,
  transitions: [] as Array<TransitionRow>,
  idempotencyKeys: new Map<string, KeyRow>(),
  endpoints: new Map<string, StoredWebhookEndpoint & { readonly secret: string }>(),
  emails: new Map<string, EmailRow>(),
  events: [] as Array<EventRow>,
  deliveries: new Map<string, DeliveryRow>(),
  attempts: [] as Array<AttemptRow>
})

export type Tables = ReturnType<typeof emptyTables>

/** The state that all layers of `MemoryStore` share. */
export class MemoryTables extends Context.Service<
  MemoryTables,
  {
    readonly tables: Tables
    /** A call of a store: atomic, at the time of the Effect clock. */
    readonly call: <A>(name: string, run: (tables: Tables, now: number) => A) => Effect.Effect<A>
    /** A call that can be rejected. */
    readonly attempt: <A, E>(
      name: string,
      run: (tables: Tables, now: number) => Result.Result<A, E>
    ) => Effect.Effect<A, E>
    /** Runs before every call; a test replaces it to make a call fail or wait, or to observe it. */
    onCall: (name: string) => Effect.Effect<void>
    /** Whether other processes see this process as alive. */
    isAlive: boolean
    /** Number of completed calls of this name. */
    readonly count: (name: string) => number
    /** Waits until the state matches. Checked after every call. */
    readonly until: (holds: (tables: Tables) => boolean) => Effect.Effect<void>
  }
>()("folio/test/MemoryTables") {
  static readonly layer = Layer.sync(MemoryTables, () => {
    const tables = emptyTables()
    const counts = new Map<string, number>()
    let changed = Latch.makeUnsafe()

    const held = (holds: (tables: Tables) => boolean): Effect.Effect<void> =>
      Effect.suspend(() => (holds(tables) ? Effect.void : Effect.andThen(changed.await, held(holds))))
    const until = (holds: (tables: Tables) => boolean) => patiently(held(holds))

    const service: MemoryTables["Service"] = {
      tables,
      until,
      count: (name) => counts.get(name) ?? 0,
      onCall: () => Effect.void,
      isAlive: true,
      attempt: (name, run) => Effect.flatMap(service.call(name, run), Effect.fromResult),
      call: (name, run) =>
        Effect.suspend(() => service.onCall(name)).pipe(
          Effect.andThen(Clock.currentTimeMillis),
          Effect.map((now) => {
            const result = run(tables, now)
            counts.set(name, (counts.get(name) ?? 0) + 1)
            const before = changed
            changed = Latch.makeUnsafe()
            before.openUnsafe()
            return result
          })
        )
    }
    return service
  })
}

/** A service of the store that consists of calls. A call that is not listed dies: it is tested only on PostgreSQL. */
export const inMemory = <Id, Service extends object>(
  service: Context.Key<Id, Service>,
  make: (memory: MemoryTables["Service"], profile: NationalProfile["Service"]) => Layer.PartialEffectful<Service>
) =>
  Layer.unwrap(
    Effect.zipWith(MemoryTables, NationalProfile, (memory, profile) => Layer.mock(service)(make(memory, profile)))
  )

/** Whether a row belongs to an account in one of its modes. */
export const isOf = (row: AccountMode, account: AccountMode): boolean =>
  row.account_id === account.account_id && row.livemode === account.livemode

/** Map key for objects that each account has once per mode. */
export const modeKey = ({ account_id, livemode }: AccountMode) => `${account_id}|${livemode}`

export const existing = <Row>(rows: ReadonlyMap<string, Row>, key: string): Row => {
  const row = rows.get(key)
  if (row === undefined) throw new Error(`no row ${key}`)
  return row
}

export const rowOf = <Row extends AccountMode>(rows: ReadonlyMap<string, Row>, key: Key): Row | undefined => {
  const row = rows.get(key.id)
  return row !== undefined && isOf(row, key) ? row : undefined
}

export const optionOf = <Row extends AccountMode>(rows: ReadonlyMap<string, Row>, account: AccountMode, id: string) =>
  Option.fromUndefinedOr(rowOf(rows, { ...account, id }))

/** An event of a document and its deliveries; returns the endpoints with a new delivery. */
export const publish = (
  tables: Tables,
  key: Key,
  event: Pick<EventRow, "id" | "type" | "body"> & { readonly created_at: Date },
  version: number,
  now: number
) => {
  const { body, id, type } = event
  const { account_id, id: object_id, livemode } = key
  const account = { account_id, livemode, object_id, object_version: version, is_test: false }
  const at = { seq: tables.events.length + 1, created_at: event.created_at.getTime() }
  const row: EventRow = { ...account, ...at, id, type, body }
  tables.events.push(row)
  const subscribed = [...tables.endpoints.values()].filter(
    (one) => isOf(one, key) && one.is_active && one.subscribed_events.some((each) => each === "*" || each === type)
  )
  return subscribed.flatMap((endpoint) => {
    const status = endpoint.full_since === null ? "pending" : "failed"
    const delivery: DeliveryRow = { ...newDelivery(row, endpoint.id, now), status }
    tables.deliveries.set(delivery.id, delivery)
    return status === "pending" ? [endpoint.id] : []
  })
}
