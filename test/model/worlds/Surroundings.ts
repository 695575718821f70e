import { Cause, Clock, Effect, Exit, Option } from "effect"
import { authorityTroubles } from "../../../src/invoices/rules/AuthorityTroubles.ts"
import {
  Authority,
  AuthorityRefusal,
  AuthorityUnavailable,
  type DocumentName,
  troubleOf,
  type Verdict
} from "../../../src/invoices/authority/Authority.ts"
import { Mailer, MailerRefused, type Message } from "../../../src/invoices/mail/Mailer.ts"
import { WebhookSender } from "../../../src/webhooks/sender/WebhookSender.ts"

/** Behaviours of the authority on the next documents, instead of an immediate response. */
export const authorityMoods = ["unavailable", "lost", "slow", "silent", "broken"] as const
export type AuthorityMood = (typeof authorityMoods)[number]

/** Behaviours of a receiver on the next webhooks, instead of accepting them. */
export const receiverMoods = ["failing", "silent"] as const
export type ReceiverMood = (typeof receiverMoods)[number]

/** A webhook as it is sent. */
export interface Webhook {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** An email that the service passed to a mail server. */
export interface Mail {
  /** The id of the email and the id of its document, with a point between them. */
  readonly reference: string
  readonly livemode: boolean
  readonly to: string
  /** Its content; null until the mail server asks for it. The sandbox never does. */
  readonly message: Message | null
}

/** A mail server's outcome for an email. `broken`: it gave no such response, or cannot accept the email now. */
export type MailOutcome = "taken" | "refused" | "broken"

/** A call of the authority's port that the service has begun. */
export interface AuthorityCall {
  readonly kind: "submit" | "verdict"
  readonly cufe: string
  readonly account_id: string
  readonly livemode: boolean
  /** The document's bytes; null for a query of the verdict. */
  readonly signed: Uint8Array | null
}

/**
 * The end of a call of the authority's port, as the service sees it. `unreachable`: the document was not sent.
 * `lasting`: the same, and no later call would reach the authority. `unknown`: the authority does not know the
 * document. `broken`: the port threw, or returned a value that is no verdict. `interrupted`: the service stopped
 * waiting.
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

/** The service's observable behaviour, apart from its responses. */
export interface Observer {
  /**
   * Observes a call of the authority. The returned function is called with the end of the call, and never if the call
   * hangs.
   */
  readonly called: (call: AuthorityCall) => (outcome: AuthorityOutcome) => void
  /** Observes the authority's decision on a document, whether or not its response arrives. */
  readonly judged: (cufe: string, verdict: Verdict) => void
  /**
   * Observes a webhook. The returned function is called with the response, or with null for none, and never while it
   * hangs.
   */
  readonly delivered: (webhook: Webhook) => (status: number | null) => void
  /** Observes an email passed to a mail server. The returned function is called with the mail server's outcome. */
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
 * The authority and the receivers of a service, observed, in moods that a test sets. Faults of a port itself (it fails,
 * rejects, throws, hangs, is late) are observed as well, so that their effects are not attributed to the service.
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

  /** Sets the mood for the next calls of the authority. */
  upset(mood: AuthorityMood, times: number): void {
    for (let time = 0; time < times; time++) this.moods.push(mood)
  }

  /** Stops all responses of the authority until this time, in milliseconds of the service's clock. */
  away(until: number): void {
    this.awayUntil = until
  }

  /** Sets the mood for the next webhooks to this URL. */
  refuse(url: string, mood: ReceiverMood, times: number): void {
    const moods = this.receivers.get(url) ?? []
    this.receivers.set(url, moods)
    for (let time = 0; time < times; time++) moods.push(mood)
  }

  /** The status with which a receiver in its mood answers a webhook, or null for no response. */
  answerOf(url: string): number | null {
    const mood = this.receivers.get(url)?.shift()
    return mood === undefined ? 200 : mood === "failing" ? 503 : null
  }

  /**
   * For a real receiver: the status of its response to a webhook, or null for none, and a function to call when the
   * response is sent.
   */
  receive(webhook: Webhook): { readonly status: number | null; readonly answered: () => void } {
    const answered = this.observer.delivered(webhook)
    const status = this.answerOf(webhook.url)
    return { status, answered: () => answered(status) }
  }

  /** Wraps any sender with observation: an attempt is one call of the sender, and ends with the sender's result. */
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

  /** Wraps any mailer with observation. */
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

  /** Wraps any authority with these moods and observation. */
  around(inner: Authority["Service"]): Authority["Service"] {
    const moody = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, AuthorityUnavailable | E> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (now < this.awayUntil) return unreachable
        switch (this.moods.shift()) {
          case "unavailable":
            return unavailable("The authority's service returned 503.")
          case "lost":
            return Effect.andThen(call, unavailable("The connection broke before the authority's response arrived."))
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
