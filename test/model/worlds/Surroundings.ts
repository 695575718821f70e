import { Cause, Clock, Effect, Exit, Option } from "effect"
import { authorityTroubles } from "../../../src/domain/authority/AuthorityTroubles.ts"
import {
  Authority,
  AuthorityRefusal,
  AuthorityUnavailable,
  type DocumentName,
  troubleOf,
  type Verdict
} from "../../../src/outbound/authority/Authority.ts"
import { Mailer, MailerRefused, type Message } from "../../../src/outbound/mail/Mailer.ts"
import { WebhookSender } from "../../../src/outbound/webhooks/WebhookSender.ts"

/** What the authority may do with the next documents instead of answering at once. */
export const authorityMoods = ["unavailable", "lost", "slow", "silent", "broken"] as const
export type AuthorityMood = (typeof authorityMoods)[number]

/** What a receiver may do with the next webhooks instead of taking them. */
export const receiverMoods = ["failing", "silent"] as const
export type ReceiverMood = (typeof receiverMoods)[number]

/** A webhook as it is sent. */
export interface Webhook {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** An e-mail that the service has given to a mail server. */
export interface Mail {
  /** The id of the e-mail and that of its document, with a point between them. */
  readonly reference: string
  readonly livemode: boolean
  readonly to: string
  /** What it carries; null until the mail server asks for it. The sandbox never does. */
  readonly message: Message | null
}

/** What a mail server made of an e-mail. `broken`: it gave no such answer, or said that it cannot take it now. */
export type MailOutcome = "taken" | "refused" | "broken"

/** A call of the authority's port that the service has begun. */
export interface AuthorityCall {
  readonly kind: "submit" | "verdict"
  readonly cufe: string
  readonly account_id: string
  readonly livemode: boolean
  /** The document's bytes; null when the authority is only asked for its verdict. */
  readonly signed: Uint8Array | null
}

/**
 * How a call of the authority's port ended for the service. `unreachable`: nothing of the document has left. `lasting`: the same, and no later call would reach the authority. `unknown`: the authority does not know the document. `broken`: the port
 * died or gave something that is no verdict. `interrupted`: the service did not wait any longer.
 */
export type AuthorityOutcome =
  | "judged"
  | "unknown"
  | "unavailable"
  | "unreachable"
  | "lasting"
  | "refused"
  | "broken"
  | "interrupted"

/** What is seen of the service from outside, apart from its answers. */
export interface Observer {
  /** The service calls the authority. What is returned is called with how that ends; never, while the call hangs. */
  readonly called: (call: AuthorityCall) => (outcome: AuthorityOutcome) => void
  /** The authority has decided on a document, whether or not its answer arrives. */
  readonly judged: (cufe: string, verdict: Verdict) => void
  /** A webhook is sent; what is returned is called with the answer when there is one, null for none; never, while it hangs. */
  readonly delivered: (webhook: Webhook) => (status: number | null) => void
  /** An e-mail is given to a mail server; what is returned is called with what that made of it. */
  readonly mailed?: (mail: Mail) => (outcome: MailOutcome) => void
}

const blind: Observer = { called: () => () => {}, judged: () => {}, delivered: () => () => {} }

const isVerdict = (answer: Verdict | null): answer is Verdict => typeof answer?.accepted === "boolean"

const outcomeOf = (exit: Exit.Exit<Verdict | null, AuthorityUnavailable | AuthorityRefusal>): AuthorityOutcome => {
  if (Exit.isSuccess(exit)) return exit.value === null ? "unknown" : isVerdict(exit.value) ? "judged" : "broken"
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (error instanceof AuthorityRefusal) return "refused"
  if (error instanceof AuthorityUnavailable) {
    if (authorityTroubles[troubleOf(error)].may_have_left) return "unavailable"
    return error.lasts === true ? "lasting" : "unreachable"
  }
  return Cause.hasInterruptsOnly(exit.cause) ? "interrupted" : "broken"
}

const isRefusal = (exit: Exit.Failure<unknown, unknown>) =>
  Option.getOrUndefined(Cause.findErrorOption(exit.cause)) instanceof MailerRefused

const slowAnswer = "20 seconds"
const unavailable = (message: string) => Effect.fail(new AuthorityUnavailable({ message }))
const unreachable = Effect.fail(
  new AuthorityUnavailable({ message: "The authority's service cannot be reached.", trouble: "connection_refused" })
)

/**
 * The authority and the receivers as a service finds them: in moods that a test gives them, and observed. What a port does of its
 * own accord (fails, refuses, dies, hangs, is late) is seen as well, so that its consequences are not taken for the service's faults.
 */
export class Surroundings {
  observer: Observer = blind
  private moods: Array<AuthorityMood> = []
  private awayUntil = -Infinity
  private readonly receivers = new Map<string, Array<ReceiverMood>>()

  reset(observer: Observer): void {
    this.observer = observer
    this.calm()
  }

  calm(): void {
    this.moods = []
    this.awayUntil = -Infinity
    this.receivers.clear()
  }

  /** The next calls of the authority meet this. */
  upset(mood: AuthorityMood, times: number): void {
    for (let time = 0; time < times; time++) this.moods.push(mood)
  }

  /** The authority gives no answer before this time, in milliseconds of the service's clock. */
  away(until: number): void {
    this.awayUntil = until
  }

  /** The next webhooks to this address meet this. */
  refuse(url: string, mood: ReceiverMood, times: number): void {
    const moods = this.receivers.get(url) ?? []
    this.receivers.set(url, moods)
    for (let time = 0; time < times; time++) moods.push(mood)
  }

  /** The status that a receiver in its mood answers a webhook with, or null for no answer at all. */
  answerOf(url: string): number | null {
    const mood = this.receivers.get(url)?.shift()
    return mood === undefined ? 200 : mood === "failing" ? 503 : null
  }

  /** For a real receiver: the status to answer a webhook with, or null for no answer at all, and what to call when it goes out. */
  receive(webhook: Webhook): { readonly status: number | null; readonly answered: () => void } {
    const answered = this.observer.delivered(webhook)
    const status = this.answerOf(webhook.url)
    return { status, answered: () => answered(status) }
  }

  /** A sender of any kind, observed: an attempt is what the service asks it for, and ends as the sender says. */
  aroundSender(inner: WebhookSender["Service"]): WebhookSender["Service"] {
    return WebhookSender.of({
      send: (request) =>
        Effect.suspend(() => {
          const { body, headers, url } = request
          const answered = this.observer.delivered({ url, headers, body: String(body) })
          return Effect.onExit(
            Effect.suspend(() => inner.send(request)),
            (exit) =>
              Effect.sync(() => {
                if (Exit.isFailure(exit)) return answered(null)
                const { error, status } = exit.value
                answered(error === null ? (status ?? 200) : status !== null && status >= 300 ? status : null)
              })
          )
        })
    })
  }

  /** A mailer of any kind, observed. */
  aroundMailer(inner: Mailer["Service"]): Mailer["Service"] {
    return Mailer.of({
      send: (envelope, message) =>
        Effect.suspend(() => {
          const { livemode, reference, to } = envelope
          const mail: { -readonly [Member in keyof Mail]: Mail[Member] } = { reference, livemode, to, message: null }
          const ended = this.observer.mailed?.(mail)
          const kept = Effect.tap(message, (content) => Effect.sync(() => void (mail.message = content)))
          return Effect.onExit(
            Effect.suspend(() => inner.send(envelope, kept)),
            (exit) =>
              Effect.sync(() => ended?.(Exit.isSuccess(exit) ? "taken" : isRefusal(exit) ? "refused" : "broken"))
          )
        })
    })
  }

  /** An authority of any kind, in these moods, observed. */
  around(inner: Authority["Service"]): Authority["Service"] {
    const moody = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, AuthorityUnavailable | E> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (now < this.awayUntil) return unreachable
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
    const watched = <A extends Verdict | null>(
      kind: AuthorityCall["kind"],
      { account_id, cufe, livemode }: DocumentName,
      signed: Uint8Array | null,
      call: () => Effect.Effect<A, AuthorityUnavailable | AuthorityRefusal>
    ) =>
      Effect.suspend(() => {
        const ended = this.observer.called({ kind, cufe, account_id, livemode, signed })
        const decided = (verdict: A) =>
          Effect.sync(() => {
            if (isVerdict(verdict)) this.observer.judged(cufe, verdict)
          })
        return Effect.onExit(moody(Effect.tap(Effect.suspend(call), decided)), (exit) =>
          Effect.sync(() => ended(outcomeOf(exit)))
        )
      })
    return Authority.of({
      ...inner,
      submit: (submission) => watched("submit", submission, submission.signed, () => inner.submit(submission)),
      verdict: (document) => watched("verdict", document, null, () => inner.verdict(document))
    })
  }
}
