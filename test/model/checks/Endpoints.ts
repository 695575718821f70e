import { typesOf } from "../../../src/domain/webhooks/Subscriptions.ts"
import { type Entry, isFirst, isSuccess, isUnknown, type Journal, meaning, type Moment } from "./Journal.ts"

/** What an endpoint may be at a moment; null when it is gone. */
export type EndpointState = { readonly active: boolean; readonly types: ReadonlyArray<string> } | null

/** From and to are milliseconds of the database's clock. */
export interface Span {
  readonly from: number
  readonly to: number
}

/**
 * What is known of the endpoints. What one of them wants at a moment is certain only where no request that changes it is under way;
 * in between both is right.
 */
export class Endpoints {
  private readonly journal: Journal

  constructor(journal: Journal) {
    this.journal = journal
  }

  creation(endpoint: string): Entry | undefined {
    return this.journal.things.get(endpoint)?.maker
  }

  /** Everything that the endpoint may have been at some moment of the span. */
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
   * The secrets that may have signed what comes now; null when there may be one that nobody was told. A delivery takes the secret with
   * it: `taken` is the earliest time of that.
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
