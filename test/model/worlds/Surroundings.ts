import { Effect } from "effect"
import { Authority, AuthorityUnavailable, type Verdict } from "../../../src/outbound/authority/Authority.ts"

/** What the authority may do with the next documents instead of answering at once. */
export const authorityMoods = ["unavailable", "lost", "slow", "silent", "broken"] as const
export type AuthorityMood = (typeof authorityMoods)[number]

/** What a receiver may do with the next webhooks instead of taking them. */
export const receiverMoods = ["failing", "silent"] as const
export type ReceiverMood = (typeof receiverMoods)[number]

export interface Webhook {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What is seen of the service from outside, apart from its answers. */
export interface Observer {
  /** A document is on its way to the authority. */
  readonly submitted: (cufe: string, signed: Uint8Array) => void
  /** The authority has decided on a document, whether or not its answer arrives. */
  readonly judged: (cufe: string, verdict: Verdict) => void
  /** The authority was asked about a document, and does not know it. */
  readonly unknown: (cufe: string) => void
  /** A webhook has arrived; what is returned is called with the answer when it goes out, null for none. */
  readonly delivered: (webhook: Webhook) => (status: number | null) => void
}

const blind: Observer = { submitted: () => {}, judged: () => {}, unknown: () => {}, delivered: () => () => {} }

const slowAnswer = "20 seconds"
const unavailable = (message: string) => Effect.fail(new AuthorityUnavailable({ message }))

/** The authority and the receivers as a service finds them: with moods that a test gives them, and observed. */
export class Surroundings {
  observer: Observer = blind
  private moods: Array<AuthorityMood> = []
  private readonly receivers = new Map<string, Array<ReceiverMood>>()

  reset(observer: Observer): void {
    this.observer = observer
    this.calm()
  }

  calm(): void {
    this.moods = []
    this.receivers.clear()
  }

  /** The next calls of the authority meet this. */
  upset(mood: AuthorityMood, times: number): void {
    for (let time = 0; time < times; time++) this.moods.push(mood)
  }

  /** The next webhooks to this address meet this. */
  refuse(url: string, mood: ReceiverMood, times: number): void {
    const moods = this.receivers.get(url) ?? []
    this.receivers.set(url, moods)
    for (let time = 0; time < times; time++) moods.push(mood)
  }

  /** The status that a webhook is answered with, or null for no answer at all, and what to call when it goes out. */
  receive(webhook: Webhook): { readonly status: number | null; readonly answered: () => void } {
    const answered = this.observer.delivered(webhook)
    const mood = this.receivers.get(webhook.url)?.shift()
    const status = mood === undefined ? 200 : mood === "failing" ? 503 : null
    return { status, answered: () => answered(status) }
  }

  /** An authority of any kind, in these moods. */
  around(inner: Authority["Service"]): Authority["Service"] {
    const moody = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, AuthorityUnavailable | E> =>
      Effect.suspend(() => {
        switch (this.moods.shift()) {
          case "unavailable":
            return unavailable("The authority's service answered 503.")
          case "lost":
            return Effect.andThen(call, unavailable("The connection broke before the authority's answer arrived."))
          case "slow":
            return Effect.tap(call, () => Effect.sleep(slowAnswer))
          case "silent":
            return Effect.andThen(call, Effect.never)
          case "broken":
            return Effect.die(new Error("the authority's client broke"))
          default:
            return call
        }
      })
    const heard = (cufe: string) => (verdict: Verdict | null) =>
      Effect.sync(() => (verdict === null ? this.observer.unknown(cufe) : this.observer.judged(cufe, verdict)))
    return Authority.of({
      submit: (submission) =>
        Effect.suspend(() => {
          this.observer.submitted(submission.cufe, submission.signed)
          return moody(Effect.tap(inner.submit(submission), heard(submission.cufe)))
        }),
      verdict: (document) => moody(Effect.tap(inner.verdict(document), heard(document.cufe)))
    })
  }
}
