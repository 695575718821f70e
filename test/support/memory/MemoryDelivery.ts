import { Effect, Option } from "effect"
import { DeliveryId, WebhookEndpointId } from "../../../schemas/Id.ts"
import { cufe } from "../../../src/documents/rules/Cufe.ts"
import { fullNumber, type NumberForm } from "../../../src/documents/rules/FullNumber.ts"
import { type CompletedAttempt, Deliveries } from "../../../src/webhooks/store/Deliveries.ts"
import { type DraftToNumber, Numbering, type NumberingResult } from "../../../src/invoices/store/Numbering.ts"
import { type Moved, type Step, Transitions } from "../../../src/invoices/store/Transitions.ts"
import type { EndpointKey, StoredWebhookEndpoint } from "../../../src/webhooks/store/WebhookEndpoints.ts"
import { mail } from "./MemoryEmails.ts"
import { loaded } from "./MemoryNotes.ts"
import { type DeliveryRow, type InvoiceRow, isOf, inMemory, publish, rowOf, type Tables } from "./MemoryTables.ts"

/*
 * The part of the memory store from the number to the delivery: it moves documents and creates the events that follow.
 */

const signWithinMs = 5_000
const leaseMs = 20_000
const healthResolutionMs = 10_000

const number = (tables: Tables, draft: DraftToNumber, form: NumberForm, now: number): NumberingResult => {
  const row = rowOf(tables.invoices, draft.key)
  if (row === undefined || row.state !== "queued" || row.number !== null) return "not_a_draft"
  const range = tables.resolutions.get(draft.resolution_id)
  const fits =
    range !== undefined &&
    isOf(range, draft.key) &&
    range.is_active &&
    range.valid_from <= draft.issue_date &&
    draft.issue_date <= range.valid_to &&
    range.next_number <= range.to_number
  if (!fits) return "no_number_left"
  const full_number = fullNumber(range.prefix, range.next_number, form)
  const version = row.version + 1
  tables.resolutions.set(range.id, { ...range, next_number: range.next_number + 1n })
  tables.invoices.set(row.id, {
    ...row,
    state: "numbered",
    version,
    attempts: 0,
    resolution_id: range.id,
    issuer_version: draft.issuer_version,
    prefix: range.prefix,
    number: range.next_number,
    full_number,
    cufe: draft.cufe_tail === null ? null : cufe(full_number, draft.cufe_tail),
    issue_date: draft.issue_date,
    issue_time: draft.issue_time,
    updated_at: new Date(now),
    next_action_at: now + signWithinMs
  })
  tables.transitions.push({ invoice_id: row.id, version, command: "Number", from: "queued", to: "numbered", at: now })
  return "numbered"
}

const waitingAfter = ({ waiting, waiting_since }: InvoiceRow, step: Step, now: number) => {
  if (step.waiting === undefined) return { waiting, waiting_since }
  if (step.waiting === null) return { waiting: null, waiting_since: null }
  const isSame = waiting?.code === step.waiting.code
  return { waiting: step.waiting, waiting_since: isSame ? waiting_since : new Date(now) }
}

/**
 * Takes the deliveries of a step's event that have slots, if nothing is due before them and no delivery of the resource
 * waits.
 */
const takeAtOnce = ({ deliveries, endpoints }: Tables, { key, places = [] }: Step, event_id: string, now: number) =>
  places.flatMap(({ endpoint_id, inFlight }) => {
    const pending = [...deliveries.values()].filter(
      (row) => row.endpoint_id === endpoint_id && row.status === "pending"
    )
    const own = pending.find((row) => row.event_id === event_id)
    const endpoint = endpoints.get(endpoint_id)
    const isBlocked = pending.some(
      (row) => row.event_id !== event_id && (row.next_attempt_at <= now || row.object_id === key.id)
    )
    if (own === undefined || endpoint === undefined || isBlocked || endpoint.max_in_flight <= inFlight) return []
    deliveries.set(own.id, { ...own, next_attempt_at: now + leaseMs, isUnderWay: true })
    return [{ id: own.id, endpoint_id, url: endpoint.url, secret: endpoint.secret }]
  })

const move = (tables: Tables, step: Step, now: number): Moved => {
  const row = rowOf(tables.invoices, step.key)
  if (row === undefined || row.version !== step.version || row.state !== step.from) {
    return { moved: false, endpoints: [], taken: null, emailed: false }
  }
  const version = row.version + (step.signs === true ? 2 : 1)
  tables.invoices.set(row.id, {
    ...row,
    state: step.to,
    version,
    attempts: row.attempts + (step.attempt === true ? 1 : 0),
    next_action_at: step.alarmMs === null ? null : now + step.alarmMs,
    submitted_at:
      step.command === "Return" ? null : (row.submitted_at ?? (step.leaves === true ? new Date(now) : null)),
    ...waitingAfter(row, step, now),
    contingency_since: step.command === "EnterContingency" ? new Date(now) : row.contingency_since,
    of_type_04: row.of_type_04 || step.command === "EnterContingency",
    transmit_before:
      typeof step.transmitWithinMs === "number" ? new Date(now + step.transmitWithinMs) : row.transmit_before,
    authority_errors: step.errors ?? row.authority_errors,
    authority_notifications: step.notifications ?? row.authority_notifications,
    failure: step.failure ?? null,
    updated_at: new Date(now)
  })
  if (step.signed !== undefined) {
    if (row.cufe === null) throw new Error(`${row.id} was signed without a code`)
    const steps = tables.transitions.filter(({ invoice_id }) => invoice_id === row.id).map(({ command }) => command)
    // A corrected document, or one taken back, starts again.
    const isIssued = steps
      .slice(Math.max(steps.lastIndexOf("Correct"), steps.lastIndexOf("Return")) + 1)
      .some((command) => command === "Submit" || command === "EnterContingency")
    if (isIssued) throw new Error(`${row.id} was submitted with other bytes`)
    tables.documents.set(row.id, { signed: step.signed, authority_answer: null })
  }
  const document = tables.documents.get(row.id)
  if (step.authorityAnswer !== undefined && document !== undefined) {
    tables.documents.set(row.id, { ...document, authority_answer: step.authorityAnswer })
  }
  if (step.command !== null) {
    const { command, to } = step
    const from = step.signs === true ? "signed" : step.from
    if (step.signs === true) {
      const signing = { command: "Sign", from: step.from, to: "signed" } as const
      tables.transitions.push({ invoice_id: row.id, version: version - 1, ...signing, at: now })
    }
    tables.transitions.push({ invoice_id: row.id, version, command, from, to, at: now })
  }
  const { command, event, key, to } = step
  if (event === undefined) return { moved: true, endpoints: [], taken: null, emailed: false }
  const isAccepted = command === "Accept" || command === "EnterContingency"
  const emailed = isAccepted && mail(tables, row.id, event.id, to, now)
  const endpoints = publish(tables, key, event, version, now)
  const taken = takeAtOnce(tables, step, event.id, now)
  const isLeft = (id: string) => taken.every(({ endpoint_id }) => endpoint_id !== id)
  return { moved: true, endpoints: endpoints.filter(isLeft), taken: taken.length === 0 ? null : taken, emailed }
}

/** Handles several items in one call, like a batcher. */
export const each =
  <A, B>(one: (item: A) => Effect.Effect<B>) =>
  (items: ReadonlyArray<A>) =>
    Effect.forEach(items, (item) => Effect.exit(one(item)), { concurrency: "unbounded" })

export const layerNumbering = inMemory(Numbering, ({ call }, { numbering }) => {
  const numberOne = (draft: DraftToNumber) =>
    call("Numbering.number", (tables, now) => {
      const result = number(tables, draft, numbering, now)
      const row = result === "numbered" ? rowOf(tables.invoices, draft.key) : undefined
      return { result, row: Option.map(Option.fromUndefinedOr(row), (numbered) => loaded(tables, numbered, now)) }
    })
  // A store in memory is never restored from a backup.
  return {
    number: numberOne,
    numberAll: each(numberOne),
    redate: ({ cufe: code, issue_date, issue_time, key, version }) =>
      call("Numbering.redate", ({ invoices, resolutions, transitions }, now) => {
        const row = rowOf(invoices, key)
        const isOurs =
          row !== undefined &&
          row.version === version &&
          (row.state === "numbered" || row.state === "signed") &&
          row.submitted_at === null &&
          row.contingency_since === null
        if (!isOurs) return "too_late"
        const range = resolutions.get(row.resolution_id ?? "")
        if (range !== undefined && (issue_date < range.valid_from || issue_date > range.valid_to)) return "out_of_range"
        const moved = { ...row, state: "numbered", version: version + 1, cufe: code, issue_date, issue_time } as const
        invoices.set(row.id, { ...moved, updated_at: new Date(now), next_action_at: now + 5_000 })
        const step = { invoice_id: row.id, version: version + 1, from: row.state, at: now }
        transitions.push({ ...step, command: "Redate", to: "numbered" })
        return "redated"
      }),
    wait: () => Effect.succeed([])
  }
})

export const layerTransitions = inMemory(Transitions, ({ call }) => {
  const moveOne = (step: Step) => call("Transitions.move", (tables, now) => move(tables, step, now))
  return { move: moveOne, moveAll: each(moveOne) }
})

/** Pending deliveries that are due and have no earlier one of the same resource, in event order. */
const due = (tables: Tables, now: number): ReadonlyArray<DeliveryRow> => {
  const pending = [...tables.deliveries.values()]
    .filter((row) => row.status === "pending")
    .toSorted((a, b) => a.seq - b.seq)
  return pending.filter(
    (row) =>
      row.next_attempt_at <= now &&
      !pending.some(
        (earlier) =>
          earlier.endpoint_id === row.endpoint_id && earlier.object_id === row.object_id && earlier.seq < row.seq
      )
  )
}

/** Deliveries that are due behind a scheduled one are scheduled for the same time. */
const moveBehind = (tables: Tables, key: EndpointKey, now: number) => {
  const pending = [...tables.deliveries.values()]
    .filter((row) => row.endpoint_id === key.id && row.status === "pending")
    .toSorted((a, b) => a.seq - b.seq)
  for (const row of pending) {
    const head = pending.find(({ object_id }) => object_id === row.object_id)
    if (head === undefined || head.isUnderWay || row.next_attempt_at > now) continue
    if (head.next_attempt_at <= row.next_attempt_at || head.next_attempt_at === Infinity) continue
    tables.deliveries.set(row.id, { ...row, next_attempt_at: head.next_attempt_at, isUnderWay: false })
  }
}

const take = (tables: Tables, key: EndpointKey, inFlight: number, atMost: number, now: number) => {
  const endpoint = rowOf(tables.endpoints, key)
  if (endpoint === undefined || !endpoint.is_active) return []
  const free = Math.max(Math.min(endpoint.max_in_flight - inFlight, atMost), 0)
  // The longest due first, so that newer deliveries do not delay a retry; then in event order.
  const taken = due(tables, now)
    .filter((row) => row.endpoint_id === key.id)
    .toSorted((a, b) => a.next_attempt_at - b.next_attempt_at)
    .slice(0, free)
    .toSorted((a, b) => a.seq - b.seq)
  if (taken.length === 0 && free > 0) moveBehind(tables, key, now)
  return taken.map((row) => {
    tables.deliveries.set(row.id, { ...row, next_attempt_at: now + leaseMs, isUnderWay: true })
    const event = tables.events.find(({ id }) => id === row.event_id)
    if (event === undefined) throw new Error(`no event ${row.event_id}`)
    return {
      endpoint: key,
      id: DeliveryId.make(row.id),
      attempts: row.attempts,
      scheduled: row.attempts,
      trigger: "auto" as const,
      event_id: event.id,
      event_type: event.type,
      body: event.body,
      url: endpoint.url,
      secret: endpoint.secret
    }
  })
}

/** The changes of an attempt. */
const recorded = (row: DeliveryRow, { error, retryInMs }: CompletedAttempt, now: number): DeliveryRow => ({
  ...row,
  status: error === null ? "succeeded" : retryInMs === null ? "failed" : "pending",
  attempts: row.attempts + 1,
  next_attempt_at: error === null || retryInMs === null ? row.next_attempt_at : now + retryInMs,
  isUnderWay: false,
  updated_at: now
})

export const layerDeliveries = inMemory(Deliveries, ({ call }) => ({
  take: (key, inFlight, atMost = Infinity) =>
    call("Deliveries.take", (tables, now) => take(tables, key, inFlight, atMost, now)),
  dueOf: (endpoint, { id, ...taken }) =>
    Effect.succeed({
      ...taken,
      id: DeliveryId.make(id),
      endpoint,
      attempts: 0,
      scheduled: 0,
      trigger: "auto" as const
    }),
  rest: (key) =>
    call("Deliveries.rest", ({ deliveries, endpoints }, now) => {
      const endpoint = rowOf(endpoints, key)
      if (endpoint?.is_active === true) return
      for (const row of deliveries.values()) {
        if (row.endpoint_id !== key.id || row.status !== "pending" || row.next_attempt_at > now) continue
        const status = endpoint === undefined ? "canceled" : "pending"
        deliveries.set(row.id, { ...row, status, next_attempt_at: Infinity })
      }
    }),
  record: (attempt) =>
    call("Deliveries.record", ({ attempts, deliveries, endpoints }, now) => {
      const isDue = ({ endpoint_id, next_attempt_at, status }: DeliveryRow) =>
        endpoint_id === attempt.delivery.endpoint.id && status === "pending" && next_attempt_at <= now
      const row = deliveries.get(attempt.delivery.id)
      if (row?.status === "pending" && row.attempts === attempt.delivery.attempts) {
        deliveries.set(row.id, recorded(row, attempt, now))
        const succeeded = attempt.error === null
        attempts.push({ ...attempt, number: row.attempts + 1, succeeded, trigger: attempt.delivery.trigger })
        const endpoint = endpoints.get(row.endpoint_id)
        if (endpoint !== undefined) endpoints.set(endpoint.id, { ...endpoint, ...health(endpoint, succeeded, now) })
      }
      return [...deliveries.values()].some(isDue)
    }),
  dueEndpoints: (limit) =>
    call("Deliveries.dueEndpoints", (tables, now) => {
      const rows = [...tables.deliveries.values()]
        .filter((row) => row.status === "pending" && row.next_attempt_at <= now)
        .toSorted((a, b) => a.next_attempt_at - b.next_attempt_at)
        .slice(0, limit)
      const keys = rows.map(({ account_id, endpoint_id, livemode }) => {
        const key: EndpointKey = { account_id, livemode, id: WebhookEndpointId.make(endpoint_id) }
        return [endpoint_id, key] as const
      })
      return [...new Map(keys).values()]
    }),
  markFull: (max) =>
    call("Deliveries.markFull", ({ deliveries, endpoints }, now) => {
      const pending = [...deliveries.values()].filter(({ status }) => status === "pending")
      return [...endpoints.values()].flatMap((row) => {
        const isFull = pending.filter(({ endpoint_id }) => endpoint_id === row.id).length >= max
        if (isFull !== (row.full_since === null)) return []
        endpoints.set(row.id, { ...row, full_since: isFull ? new Date(now) : null })
        return isFull ? [row.id] : []
      })
    })
}))

const health = (endpoint: StoredWebhookEndpoint, succeeded: boolean, now: number) => {
  const { failing_since, last_success_at } = endpoint
  if (!succeeded) return { failing_since: failing_since ?? new Date(now) }
  const isStale = last_success_at === null || last_success_at.getTime() < now - healthResolutionMs
  return failing_since !== null || isStale ? { failing_since: null, last_success_at: new Date(now) } : {}
}
