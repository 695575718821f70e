import { createHmac } from "node:crypto"
import type { Event as AnyEvent, NoteSnapshot } from "../../../schemas/Event.ts"
import type { Invoice, InvoiceSnapshot } from "../../../schemas/Invoice.ts"
import { type Entry, isSuccess, isUnknown, meaning, type Moment } from "./Journal.ts"
import { Judge } from "./Judge.ts"
import type { Webhook } from "../worlds/Surroundings.ts"

/** Of a document: no buyer here has an address, so none is of an e-mail. */
type Event = AnyEvent & { readonly data: { readonly object: InvoiceSnapshot | NoteSnapshot } }

interface Arrival {
  readonly endpoint: string
  readonly event: Event
  readonly body: string
  readonly webhook: Webhook
  readonly came: Moment
  went: Moment | undefined
  succeeded: boolean
}

/** What an endpoint may be at a moment; null when it is gone. */
type State = { readonly active: boolean; readonly types: ReadonlyArray<string> } | null

interface Span {
  readonly from: number
  readonly to: number
}

const retryDelays = [30_000, 300_000, 1_800_000]
const attemptsMax = retryDelays.length + 1

// Within this time the sender must say how an attempt ended; the service may count the attempt as failed from then on.
const sendMs = 18_000
// The sandbox's buyers whose invoices take their time.
const waitedFor: ReadonlyArray<string> = ["900000005", "900000006", "900000008"]
// Less than it takes until a sweep finds what nobody was told of.
const soonMs = 900

const endOf = ({ came, went }: Arrival) => Math.min(went?.at ?? Infinity, came.at + sendMs)
const isLate = ({ came, went }: Arrival) => went === undefined || went.at - came.at > sendMs
/** Whether the sender has taken so long by now that nobody waits for it any more. The attempt may count as tried or not. */
const hangs = (arrival: Arrival, now: Moment) => isLate(arrival) && now.at - arrival.came.at >= sendMs

const isFor = (state: State, type: string) => state !== null && state.active && state.types.includes(type)

/**
 * What must be true of events and of their way to the endpoints. What an endpoint wants at a moment is certain only where no
 * request that changes it is under way; in between both is right.
 */
export class Deliveries extends Judge {
  private readonly arrivals: Array<Arrival> = []
  private readonly bodies = new Map<string, string>()

  /** A webhook came in. The result is called when it is answered. */
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
      wrong("its headers say otherwise")
    if (thing !== undefined) this.checkArrival(arrival, header("svc-signature"), wrong)
    this.arrivals.push(arrival)
    return (status) => {
      arrival.went = this.journal.moment()
      arrival.succeeded = status !== null && status < 300
    }
  }

  private checkArrival(arrival: Arrival, signature: string, wrong: (what: string) => void): void {
    const { body, came, endpoint, event } = arrival
    const secrets = this.secrets(endpoint, came)
    if (secrets !== null && !secrets.some((secret) => signs(secret, signature, body)))
      wrong("is not signed with its secret")
    const before = this.arrivals.filter((other) => other.endpoint === endpoint)
    const own = before.filter((other) => other.event.id === event.id)
    if (this.options.rough) return
    // Nothing is in between here: what is sent was wanted just now, tried in time, and is not sent beside itself.
    const now = { from: came.at, to: came.at }
    if (!this.possible(endpoint, now).some((state) => state !== null && state.active))
      wrong("came while the endpoint was inactive")
    const last = own.at(-1)
    if (last !== undefined && last.went === undefined && !hangs(last, came)) wrong("came again while it was under way")
    if (last?.succeeded === true && !isLate(last)) wrong("came again after it was taken")
    const tried = own.filter((one) => !hangs(one, came)).length
    if (tried >= attemptsMax) wrong("came more often than is tried")
    const delay = this.options.timed ? retryDelays[tried - 1] : undefined
    if (last !== undefined && came.at - endOf(last) < (delay ?? 0) - 1) wrong("was tried again too early")
    const open = before.filter((other) => other.went === undefined && !hangs(other, came))
    const max = this.creation(endpoint)?.body.max_in_flight ?? 8
    if (open.length >= max) wrong(`beside ${open.length} others, of at most ${max}`)
  }

  /** When everything has come to its end. `invoices` are all there are, by id; those of `heldUp` wait for the authority. */
  finish(invoices: ReadonlyMap<string, Invoice>, heldUp: ReadonlySet<string>): void {
    const byEvent = Map.groupBy(this.arrivals, ({ event }) => event.id)
    const events = [...byEvent.values()].map((list) => list[0]!)
    const byDocument = Map.groupBy(events, ({ event }): string => event.data.object.id)
    for (const [id, invoice] of invoices) this.told(invoice, byDocument.get(id) ?? [], heldUp.has(id))
    for (const id of byDocument.keys()) if (!invoices.has(id)) this.say(`an event of ${id}, which is not there`)
    for (const thing of this.journal.of("webhook-endpoints")) {
      const mine = Map.groupBy(
        this.arrivals.filter(({ endpoint }) => endpoint === thing.id),
        ({ event }) => event.id
      )
      const book = this.options.books[thing.book]!
      for (const { came, event } of events) {
        if (event.account !== book.account_id || event.livemode !== book.livemode) continue
        const updated = Date.parse(invoices.get(event.data.object.id)?.updated_at ?? "")
        // When it was published: after its body was written, and before it came anywhere.
        const span = { from: Date.parse(event.created), to: Math.min(came.at, updated || came.at) }
        this.delivered(thing.id, event, span, mine.get(event.id) ?? [])
      }
      this.ordered(thing.id, mine)
    }
  }

  /** Exactly one event for each transition that has one, and the last one shows the invoice as it is. */
  private told(invoice: Invoice, arrivals: ReadonlyArray<Arrival>, isHeldUp: boolean): void {
    const wrong = (what: string) => this.say(`${invoice.id} (${invoice.status}, version ${invoice.version}): ${what}`)
    const events = arrivals.map(({ event }) => event).toSorted((a, b) => a.data.object.version - b.data.object.version)
    const types = events.map(({ type }) => type.slice("invoice.".length))
    const isRetried = this.journal.mayHave(invoice.id, "retried")
    const before = types.slice(0, -1).filter((type) => !isRetried || type !== "failed")
    const last = types.at(-1)
    const hasNone = invoice.status === "canceled" || (invoice.status === "draft" && isHeldUp)
    const wasTold = hasNone && isRetried && last === "failed"
    if (last !== (hasNone ? undefined : invoice.status) && !wasTold) wrong(`its last event is ${last}`)
    if (before.some((type) => type !== "accepted_contingency") || new Set([...before, last]).size !== before.length + 1)
      wrong(`has the events ${types.join()}`)
    for (const event of events) {
      const { object } = event.data
      if (object.status !== event.type.slice("invoice.".length)) wrong(`${event.type} shows ${object.status}`)
      if (object.full_number !== invoice.full_number || !("cufe" in object) || object.cufe !== invoice.cufe)
        wrong(`${event.type} shows another number`)
      if (JSON.stringify(object.metadata) !== JSON.stringify(invoice.metadata))
        wrong(`${event.type} shows other metadata`)
    }
    if (this.options.swift) this.soon(invoice, arrivals, wrong)
    const shown = events.at(-1)?.data.object
    if (shown === undefined || shown.version !== invoice.version) return
    for (const field of ["authority_errors", "authority_notifications", "failure"] as const) {
      if (JSON.stringify(shown[field]) !== JSON.stringify(invoice[field])) wrong(`its event shows other ${field}`)
    }
  }

  /** Each step follows at once from the one before it: who has to be reminded was not told. */
  private soon(invoice: Invoice, arrivals: ReadonlyArray<Arrival>, wrong: (what: string) => void): void {
    const buyer = this.journal.things.get(invoice.customer_id)?.maker?.body.identification.number
    if (arrivals.length === 0 || waitedFor.includes(buyer)) return
    const told = Date.parse(arrivals[0]!.event.created)
    const came = Math.min(...arrivals.map((arrival) => arrival.came.at))
    const book = this.options.books.find(
      ({ account_id, livemode }) => account_id === arrivals[0]!.event.account && livemode === invoice.livemode
    )!
    const delay = this.journal.calls.delayMs(invoice.cufe ?? "", book, told)
    if (told - Date.parse(invoice.created_at) > soonMs + delay) wrong("was not worked on at once")
    if (came - told > soonMs && !this.isHeldUp(arrivals, came)) wrong("its event did not go out at once")
  }

  /** Whether the sender has never said how an attempt of this endpoint ended. Others wait behind it. */
  isStuck(endpoint: string): boolean {
    return this.arrivals.some((arrival) => arrival.endpoint === endpoint && arrival.went === undefined)
  }

  /** Whether the sender, or a receiver, has taken its time with what came before. */
  private isHeldUp(arrivals: ReadonlyArray<Arrival>, until: number): boolean {
    const endpoints = new Set(arrivals.map(({ endpoint }) => endpoint))
    return this.arrivals.some(
      ({ came, endpoint, succeeded, went }) =>
        endpoints.has(endpoint) && came.at < until && (!succeeded || (went?.at ?? Infinity) - came.at > soonMs)
    )
  }

  private delivered(endpoint: string, event: Event, span: Span, arrivals: ReadonlyArray<Arrival>): void {
    const wrong = (what: string) => this.say(`${event.id} (${event.type}) at ${endpoint}: ${what}`)
    const states = this.possible(endpoint, span)
    if (arrivals.length > 0 && !states.some((state) => isFor(state, event.type))) wrong("came, and was not asked for")
    if (!states.every((state) => isFor(state, event.type))) return
    const end = { from: Infinity, to: Infinity }
    const stays = this.possible(endpoint, end).every((state) => state?.active === true)
    if (!stays || arrivals.some(({ succeeded }) => succeeded)) return
    if (arrivals.length < attemptsMax && !this.isStuck(endpoint))
      wrong(`came ${arrivals.length} times and was never taken`)
  }

  /** The events of one document come in their order; a later one waits until an earlier one is through, or given up. */
  private ordered(endpoint: string, arrivals: ReadonlyMap<string, ReadonlyArray<Arrival>>): void {
    const documents = Map.groupBy(arrivals.values(), ([first]) => first!.event.data.object.id)
    for (const lists of documents.values()) {
      const inOrder = lists.toSorted(([a], [b]) => a!.event.data.object.version - b!.event.data.object.version)
      for (const [index, list] of inOrder.entries()) {
        const { came } = list[0]!
        for (const earlier of inOrder.slice(0, index)) {
          const done = earlier.filter(
            (one) => hangs(one, came) || (one.went !== undefined && one.went.tick < came.tick)
          )
          if (done.some(({ succeeded }) => succeeded) || done.length >= attemptsMax) continue
          this.say(`${list[0]!.event.id} came to ${endpoint} before ${earlier[0]!.event.id} was through`)
        }
      }
    }
  }

  private creation(endpoint: string): Entry | undefined {
    return this.journal.things.get(endpoint)?.maker
  }

  /** From when on it may be there: the request that was told of it may be the repetition of one that was not. */
  private askedFirst(creation: Entry): number {
    const before = this.journal.entries.filter(
      (entry) =>
        entry.kind === "create" &&
        entry.apiKey === creation.apiKey &&
        entry.key !== null &&
        entry.key === creation.key &&
        entry.asked.tick < creation.asked.tick &&
        isUnknown(entry) &&
        meaning(entry) === meaning(creation)
    )
    return Math.min(creation.asked.at, ...before.map(({ asked }) => asked.at))
  }

  /** The requests that have changed, or may have changed, the endpoint. A replay has not. */
  private changes(endpoint: string, kinds: ReadonlyArray<Entry["kind"]>): ReadonlyArray<Entry> {
    const book = this.journal.things.get(endpoint)?.book
    return this.journal.entries.filter(
      (entry) =>
        kinds.includes(entry.kind) &&
        entry.target === endpoint &&
        entry.book === book &&
        (isUnknown(entry) || (isSuccess(entry) && entry.reply?.headers["svc-idempotency-cached"] !== "true"))
    )
  }

  /** Everything that the endpoint may have been at some moment of the span. */
  private possible(endpoint: string, span: Span): ReadonlyArray<State> {
    const creation = this.creation(endpoint)
    if (creation === undefined || this.askedFirst(creation) > span.to) return [null]
    const changes = this.changes(endpoint, ["change", "remove"]).filter(({ asked }) => asked.at <= span.to)
    const isOver = (entry: Entry) => isSuccess(entry) && entry.answered!.at < span.from
    const settled = changes.filter(
      (entry) => isOver(entry) && !changes.some((other) => isOver(other) && overlaps(entry, other))
    )
    const first: State = { active: true, types: creation.body.subscribed_events }
    const states: Array<State> = [settled.toSorted((a, b) => a.answered!.tick - b.answered!.tick).reduce(apply, first)]
    if ((creation.answered?.at ?? Infinity) >= span.from) states.push(null)
    const others = changes.filter((entry) => !settled.includes(entry))
    for (const state of states) {
      for (const entry of others) {
        const next = apply(state, entry)
        if (!states.some((one) => JSON.stringify(one) === JSON.stringify(next))) states.push(next)
      }
    }
    return states
  }

  /** The secrets that may sign at this moment; null when there may be one that nobody was told. */
  private secrets(endpoint: string, now: Moment): ReadonlyArray<string> | null {
    const creation = this.creation(endpoint)
    const rotations = this.changes(endpoint, ["rotate"]).filter(({ asked }) => asked.tick < now.tick)
    if (creation === undefined || isUnknown(creation) || rotations.some(isUnknown)) return null
    const told = [creation, ...rotations].toSorted((a, b) => a.answered!.tick - b.answered!.tick)
    const last = told.findLastIndex((entry) => entry.answered!.at < now.at)
    // A machine that was frozen still has the secret that it took with the delivery.
    const valid = this.options.rough ? told : told.slice(Math.max(last, 0))
    return valid.filter(isSuccess).map(({ reply }) => String(JSON.parse(reply!.text).secret))
  }
}

const overlaps = (a: Entry, b: Entry) => a !== b && a.asked.tick < b.answered!.tick && b.asked.tick < a.answered!.tick

const apply = (state: State, entry: Entry): State => {
  if (state === null || entry.kind === "remove") return null
  const { is_active = state.active, subscribed_events = state.types } = entry.body
  return { active: is_active, types: subscribed_events }
}

const signs = (secret: string, signature: string, body: string): boolean => {
  const time = /t=(\d+)/.exec(signature)?.[1] ?? ""
  return signature.includes(`v1=${createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")}`)
}
