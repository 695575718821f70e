import { createHmac } from "node:crypto"
import type { EmailSnapshot } from "../../../schemas/Email.ts"
import type { Event, NoteSnapshot } from "../../../schemas/Event.ts"
import type { InvoiceSnapshot } from "../../../schemas/Invoice.ts"
import { codeOf, type Document } from "./documents/Document.ts"
import { Endpoints, type EndpointState, type Span } from "./Endpoints.ts"
import { isFirst, type Moment } from "./Journal.ts"
import { Judge } from "./Judge.ts"
import type { Webhook } from "../worlds/Surroundings.ts"

type Snapshot = InvoiceSnapshot | NoteSnapshot

/** An event about a document's outcome, or about the outcome of an email with a document. */
export type OutcomeEvent = Event & { readonly data: { readonly object: Snapshot } }
export type EmailEvent = Event & { readonly data: { readonly object: EmailSnapshot } }

const isOfEmail = (event: Event): event is EmailEvent => event.data.object.object === "email"
export const isOutcome = (event: Event): event is OutcomeEvent => !isOfEmail(event)

const documentOf = (event: Event): string => (isOfEmail(event) ? event.data.object.document_id : event.data.object.id)

/** The part of an event type after the document kind. */
const outcomeIn = ({ type }: Event) => type.slice(type.indexOf(".") + 1)

interface Arrival {
  readonly endpoint: string
  readonly event: Event
  readonly body: string
  readonly webhook: Webhook
  readonly came: Moment
  went: Moment | undefined
  succeeded: boolean
}

const retryDelays = [30_000, 300_000, 1_800_000]
const attemptsMax = retryDelays.length + 1

// The sender must report the end of an attempt within this time. After it, the service may count the attempt as failed.
const sendMs = 18_000
// Sandbox buyers whose invoices are slow.
const waitedFor: ReadonlyArray<string> = ["900000005", "900000006", "900000008"]
// Less than a sweep takes to find work that no actor was notified of.
const soonMs = 900

const endOf = ({ came, went }: Arrival) => Math.min(went?.at ?? Infinity, came.at + sendMs)
const isLate = ({ came, went }: Arrival) => went === undefined || went.at - came.at > sendMs
/** Whether the service has stopped waiting for the sender. The attempt may or may not count. */
const hangs = (arrival: Arrival, now: Moment) => isLate(arrival) && now.at - arrival.came.at >= sendMs

const isFor = (state: EndpointState, type: string) => state !== null && state.active && state.types.includes(type)

/** The events of one document that arrived anywhere, each once, with its first arrival. */
export interface Told {
  readonly event: Event
  readonly came: Moment
}

/** Promises about events and their deliveries. */
export class Deliveries extends Judge {
  private readonly arrivals: Array<Arrival> = []
  private readonly bodies = new Map<string, string>()
  private readonly endpoints = new Endpoints(this.journal)

  /** Records a webhook. Call the result when the receiver answers. */
  arrived(webhook: Webhook): (status: number | null) => void {
    const event: Event = JSON.parse(webhook.body)
    const header = (name: string) =>
      Object.entries(webhook.headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? ""
    const endpoint = header("svc-webhook-id")
    const wrong = (what: string) => this.say(`${event.id} (${event.type}) at ${endpoint}: ${what}`)
    const arrival: Arrival = {
      endpoint,
      event,
      body: webhook.body,
      webhook,
      came: this.journal.moment(),
      went: undefined,
      succeeded: false
    }
    const thing = this.journal.things.get(endpoint)
    const book = thing === undefined ? undefined : this.options.books[thing.book]
    if (book !== undefined && (book.account_id !== event.account || book.livemode !== event.livemode)) {
      wrong(`is of ${event.account}, livemode ${event.livemode}`)
    }
    const known = this.bodies.get(event.id)
    if (known !== undefined && known !== webhook.body) wrong("has other bytes than before")
    this.bodies.set(event.id, webhook.body)
    if (header("svc-event-id") !== event.id || header("svc-event-type") !== event.type)
      wrong("has headers that differ from its body")
    if (thing !== undefined) this.checkArrival(arrival, header("svc-signature"), wrong)
    this.arrivals.push(arrival)
    return (status) => {
      arrival.went = this.journal.moment()
      arrival.succeeded = status !== null && status < 300
    }
  }

  private checkArrival(arrival: Arrival, signature: string, wrong: (what: string) => void): void {
    const { body, came, endpoint, event } = arrival
    const taken = this.takenFrom(came)
    const secrets = this.endpoints.secrets(endpoint, came, taken)
    if (secrets !== null && !secrets.some((secret) => signs(secret, signature, body)))
      wrong("is not signed with its secret")
    const before = this.arrivals.filter((other) => other.endpoint === endpoint)
    const own = before.filter((other) => other.event.id === event.id)
    if (this.options.rough) return
    // When it was taken, the endpoint was active. Attempts come on time, and never in parallel for one delivery.
    if (
      !this.endpoints.possible(endpoint, { from: taken, to: came.at }).some((state) => state !== null && state.active)
    )
      wrong("was sent while the endpoint was inactive")
    const last = own.at(-1)
    if (last !== undefined && last.went === undefined && !hangs(last, came))
      wrong("was sent again while it was in flight")
    if (last?.succeeded === true && !isLate(last)) wrong("was sent again after it had succeeded")
    const tried = own.filter((one) => !hangs(one, came)).length
    if (tried >= attemptsMax) wrong("was sent more often than the maximum of attempts")
    const delay = this.options.timed ? retryDelays[tried - 1] : undefined
    if (last !== undefined && came.at - endOf(last) < (delay ?? 0) - 1) wrong("was retried too early")
    const open = before.filter((other) => other.went === undefined && !hangs(other, came))
    const max = this.endpoints.creation(endpoint)?.body.max_in_flight ?? 8
    if (open.length >= max) wrong(`was in flight with ${open.length} others, and the maximum is ${max}`)
  }

  /** Earliest time at which this delivery may have been leased, with the endpoint's secret and state at that time. */
  private takenFrom({ at }: Moment): number {
    // The machine may have been frozen with the delivery. Behind real servers a delivery travels for up to one attempt;
    // in memory it takes no time.
    if (this.options.rough) return -Infinity
    return this.options.timed ? at : at - sendMs
  }

  /** The events of each document, in the order of their first arrival. */
  get told(): ReadonlyMap<string, ReadonlyArray<Told>> {
    const first = [...Map.groupBy(this.arrivals, ({ event }) => event.id).values()].map((list) => list[0]!)
    return Map.groupBy(first, ({ event }) => documentOf(event))
  }

  /** Checks the final state. `documents` are all documents by id; those of `heldUp` wait for the authority. */
  finish(documents: ReadonlyMap<string, Document>, heldUp: ReadonlySet<string>): void {
    const byDocument = this.told
    for (const [id, document] of documents) {
      this.outcomes(
        document,
        (byDocument.get(id) ?? []).filter(({ event }) => isOutcome(event)),
        heldUp.has(id)
      )
    }
    for (const id of byDocument.keys()) if (!documents.has(id)) this.say(`an event of ${id}, which does not exist`)
    const events = [...byDocument.values()].flat()
    for (const thing of this.journal.of("webhook-endpoints")) {
      const mine = Map.groupBy(
        this.arrivals.filter(({ endpoint }) => endpoint === thing.id),
        ({ event }) => event.id
      )
      const book = this.options.books[thing.book]!
      for (const { came, event } of events) {
        if (event.account !== book.account_id || event.livemode !== book.livemode) continue
        const updated = isOutcome(event) ? Date.parse(documents.get(documentOf(event))?.updated_at ?? "") : Number.NaN
        // Time span of the publication: after the body was written, and before the first arrival.
        const span = { from: Date.parse(event.created), to: Math.min(came.at, updated || came.at) }
        this.delivered(thing.id, event, span, mine.get(event.id) ?? [])
      }
      this.ordered(thing.id, mine)
    }
  }

  /** Checks that each transition has exactly one event, and that the last event shows the document's current state. */
  private outcomes(document: Document, told: ReadonlyArray<Told>, isHeldUp: boolean): void {
    const { id, status, version } = document
    const wrong = (what: string) => this.say(`${id} (${status}, version ${version}): ${what}`)
    const events = told.map(({ event }) => event as OutcomeEvent).toSorted(byVersion)
    const lives = livesOf(events)
    const corrections = this.journal.asks("correct", id)
    // An outcome before a correction describes the document's earlier version.
    if (lives.length - 1 > corrections.filter(isFirst).length)
      wrong(`has the events ${events.map(outcomeIn).join()}, and fewer corrections`)
    const types = (lives.at(-1) ?? []).map(outcomeIn)
    const isRetried = this.journal.mayHave(id, "retried")
    const last = types.at(-1)
    const hasNone = status === "canceled" || (status === "draft" && isHeldUp)
    const wasTold = hasNone && isRetried && last === "failed"
    if (last !== (hasNone ? undefined : status) && !wasTold) wrong(`its last event is ${last}`)
    for (const life of lives) {
      const own = life.map(outcomeIn).slice(0, -1)
      const others = own.filter((type) => !isRetried || type !== "failed")
      const isTwice = new Set([...others, outcomeIn(life.at(-1)!)]).size !== others.length + 1
      if (others.some((type) => type !== "accepted_contingency") || isTwice)
        wrong(`has the events ${events.map(outcomeIn).join()}`)
    }
    for (const event of events) {
      const { object } = event.data
      if (event.type !== `${document.object}.${object.status}`) wrong(`${event.type} shows ${object.status}`)
      const code = "cufe" in object ? object.cufe : object.cude
      const isNow = lives.at(-1)?.includes(event) === true
      if (object.full_number !== document.full_number || (isNow && code !== codeOf(document)))
        wrong(`${event.type} shows another number`)
      if (JSON.stringify(object.metadata) !== JSON.stringify(document.metadata))
        wrong(`${event.type} shows other metadata`)
    }
    if (this.options.swift) this.soon(document, told, wrong)
    const shown = events.at(-1)?.data.object
    if (shown === undefined || shown.version !== version) return
    for (const field of ["authority_errors", "authority_notifications", "failure"] as const) {
      if (JSON.stringify(shown[field]) !== JSON.stringify(document[field])) wrong(`its event shows other ${field}`)
    }
  }

  /**
   * Checks that each step follows immediately from the one before: an actor that needs a reminder missed its message.
   */
  private soon(document: Document, told: ReadonlyArray<Told>, wrong: (what: string) => void): void {
    const buyer = this.journal.things.get(document.customer_id)?.maker?.body.identification.number
    const [first] = told
    if (first === undefined || waitedFor.includes(buyer) || this.isReopened(document.id)) return
    const at = Date.parse(first.event.created)
    const came = Math.min(...told.map((one) => one.came.at))
    const book = this.options.books.find(
      ({ account_id, livemode }) => account_id === first.event.account && livemode === document.livemode
    )!
    const delay = this.journal.calls.delayMs(codeOf(document) ?? "", book, at)
    if (at - Date.parse(document.created_at) > soonMs + delay) wrong("was not processed immediately")
    if (came - at > soonMs && !this.isHeldUp(told, came)) wrong("its event was not sent immediately")
  }

  private isReopened(id: string): boolean {
    return this.journal.mayHave(id, "retried") || this.journal.mayHave(id, "corrected")
  }

  /** Whether the sender has never reported the end of an attempt of this endpoint. Other deliveries wait behind it. */
  isStuck(endpoint: string): boolean {
    return this.arrivals.some((arrival) => arrival.endpoint === endpoint && arrival.went === undefined)
  }

  /** Whether the sender or a receiver was slow with earlier events. */
  private isHeldUp(told: ReadonlyArray<Told>, until: number): boolean {
    const ids = new Set<string>(told.map(({ event }) => event.id))
    const endpoints = new Set(this.arrivals.filter(({ event }) => ids.has(event.id)).map(({ endpoint }) => endpoint))
    return this.arrivals.some(
      ({ came, endpoint, succeeded, went }) =>
        endpoints.has(endpoint) && came.at < until && (!succeeded || (went?.at ?? Infinity) - came.at > soonMs)
    )
  }

  private delivered(endpoint: string, event: Event, span: Span, arrivals: ReadonlyArray<Arrival>): void {
    const wrong = (what: string) => this.say(`${event.id} (${event.type}) at ${endpoint}: ${what}`)
    const states = this.endpoints.possible(endpoint, span)
    if (arrivals.length > 0 && !states.some((state) => isFor(state, event.type)))
      wrong("was sent without a subscription")
    if (!states.every((state) => isFor(state, event.type))) return
    const end = { from: Infinity, to: Infinity }
    const stays = this.endpoints.possible(endpoint, end).every((state) => state?.active === true)
    if (!stays || arrivals.some(({ succeeded }) => succeeded)) return
    if (arrivals.length < attemptsMax && !this.isStuck(endpoint))
      wrong(`came ${arrivals.length} times and was never taken`)
  }

  /**
   * Checks the order of one document's events: a later one waits until an earlier one has succeeded or failed for good.
   */
  private ordered(endpoint: string, arrivals: ReadonlyMap<string, ReadonlyArray<Arrival>>): void {
    const documents = Map.groupBy(arrivals.values(), ([first]) => documentOf(first!.event))
    for (const lists of documents.values()) {
      for (const list of lists) {
        const { came, event } = list[0]!
        for (const earlier of lists.filter(([first]) => isBefore(first!.event, event))) {
          const done = earlier.filter(
            (one) => hangs(one, came) || (one.went !== undefined && one.went.tick < came.tick)
          )
          if (done.some(({ succeeded }) => succeeded) || done.length >= attemptsMax) continue
          this.say(`${event.id} came to ${endpoint} before ${earlier[0]!.event.id} was done`)
        }
      }
    }
  }
}

/** Splits the events at corrections: each version of the document ends in a rejection. */
export const livesOf = <One extends OutcomeEvent>(events: ReadonlyArray<One>): ReadonlyArray<ReadonlyArray<One>> => {
  const lives: Array<Array<One>> = []
  let isOver = true
  for (const event of events) {
    if (isOver) lives.push([])
    lives.at(-1)!.push(event)
    isOver = outcomeIn(event) === "rejected_by_authority"
  }
  return lives
}

export const byVersion = (a: OutcomeEvent, b: OutcomeEvent) => a.data.object.version - b.data.object.version

/**
 * Order of two events of one document. There is no order between two emails, or between an email and a later outcome.
 */
const isBefore = (a: Event, b: Event): boolean => {
  if (isOutcome(a)) return isOutcome(b) ? byVersion(a, b) < 0 : b.data.object.id === emailOf(a)
  if (!isOfEmail(b) || a.data.object.id !== b.data.object.id) return false
  return outcomeIn(a) === "email.delivered" && outcomeIn(b) === "email.complained"
}

/** The id of the email that an acceptance creates, from its event. */
export const emailOf = (event: Event): string => `em_${event.id.slice("evt_".length)}`

const signs = (secret: string, signature: string, body: string): boolean => {
  const time = /t=(\d+)/.exec(signature)?.[1] ?? ""
  return signature.includes(`v1=${createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")}`)
}
