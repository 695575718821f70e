import { typesOf } from "../../../src/webhooks/rules/Subscriptions.ts"
import { type Entry, isFirst, isSuccess, isUnknown, type Journal, meaning, type Moment } from "./Journal.ts"

/** The possible state of an endpoint at a moment; null if it is deleted. */
export type EndpointState = { readonly active: boolean; readonly types: ReadonlyArray<string> } | null

/** From and to are milliseconds of the database's clock. */
export interface Span {
  readonly from: number
  readonly to: number
}

/**
 * Knowledge about the endpoints. An endpoint's subscription is certain only while no request changes it; during a
 * change both states are possible.
 */
export class Endpoints {
  private readonly journal: Journal

  constructor(journal: Journal) {
    this.journal = journal
  }

  creation(endpoint: string): Entry | undefined {
    return this.journal.things.get(endpoint)?.maker
  }

  /** All states that the endpoint may have had during the span. */
  possible(endpoint: string, span: Span): ReadonlyArray<EndpointState> {
    const creation = this.creation(endpoint)
    if (creation === undefined || this.askedFirst(creation) > span.to) return [null]
    const changes = this.changes(endpoint, ["change", "remove"]).filter(({ asked }) => asked.at <= span.to)
    const isOver = (entry: Entry) => isSuccess(entry) && entry.answered!.at < span.from
    const settled = changes.filter(
      (entry) => isOver(entry) && !changes.some((other) => isOver(other) && overlaps(entry, other))
    )
    const first: EndpointState = { active: true, types: typesOf(creation.body.subscribed_events) }
    const inOrder = settled.toSorted((a, b) => a.answered!.tick - b.answered!.tick)
    const states: Array<EndpointState> = [inOrder.reduce(apply, first)]
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

  /**
   * Secrets that may have signed a delivery that arrives now; null if there may be one that no response showed. A
   * delivery keeps the secret from the time it was taken: `taken` is the earliest possible time.
   */
  secrets(endpoint: string, now: Moment, taken: number): ReadonlyArray<string> | null {
    const creation = this.creation(endpoint)
    const rotations = this.changes(endpoint, ["rotate"]).filter(({ asked }) => asked.tick < now.tick)
    if (creation === undefined || isUnknown(creation) || rotations.some(isUnknown)) return null
    const told = [creation, ...rotations].toSorted((a, b) => a.answered!.tick - b.answered!.tick)
    const last = told.findLastIndex((entry) => entry.answered!.at < taken)
    return told
      .slice(Math.max(last, 0))
      .filter(isSuccess)
      .map(({ reply }) => String(JSON.parse(reply!.text).secret))
  }

  /** Earliest time of existence: the successful creation may repeat a request whose response was lost. */
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

  /** Requests that changed the endpoint, or may have changed it. A replay changes nothing. */
  private changes(endpoint: string, kinds: ReadonlyArray<Entry["kind"]>): ReadonlyArray<Entry> {
    const book = this.journal.things.get(endpoint)?.book
    return this.journal.entries.filter(
      (entry) =>
        kinds.includes(entry.kind) &&
        entry.target === endpoint &&
        entry.book === book &&
        (isUnknown(entry) || (isSuccess(entry) && isFirst(entry)))
    )
  }
}

const overlaps = (a: Entry, b: Entry) => a !== b && a.asked.tick < b.answered!.tick && b.asked.tick < a.answered!.tick

const apply = (state: EndpointState, entry: Entry): EndpointState => {
  if (state === null || entry.kind === "remove") return null
  const { is_active = state.active, subscribed_events } = entry.body
  return { active: is_active, types: subscribed_events === undefined ? state.types : typesOf(subscribed_events) }
}
