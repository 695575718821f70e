import type { Effect, Layer, Result } from "effect"
import type { ServiceInfo } from "../../src/api/ServiceInfo.ts"
import type * as Layers from "../../src/service/Layers.ts"
import type { DocumentFiles } from "../../src/documents/parcel/DocumentFiles.ts"
import type { Printer } from "../../src/documents/print/Printer.ts"
import type { SandboxCertificate } from "../../src/documents/signature/Certificate.ts"
import type { Busyness } from "../../src/protocol/Busyness.ts"
import type { Alerts } from "../../src/outbound/alerts/Alerts.ts"
import type { Limits } from "../../src/settings/Limits.ts"
import type { Authority } from "../../src/outbound/authority/Authority.ts"
import type { NationalProfile, Rules } from "../../src/documents/NationalProfile.ts"
import type { RateLimit } from "../../src/http/limits/RateLimit.ts"
import type { Notify } from "../../src/protocol/Notify.ts"
import type { Mailer } from "../../src/outbound/mail/Mailer.ts"
import type { EgressGuard } from "../../src/outbound/webhooks/EgressGuard.ts"
import type { WebhookSender } from "../../src/outbound/webhooks/WebhookSender.ts"
import type { SecretKey } from "../../src/store/sql/Secrets.ts"

/* What becomes of a document, an e-mail, a delivery or a request when a port fails: every method of every port, every failure. */

/** Every way in which the work that needed a port ends. The sentences stand in `src/http/docs/ports.md` as well. */
export const outcomes = {
  "asked again":
    "The document stays `submitted`, however long: it may have left. Its outcome is asked for again, after 1 s and then twice as long each time, up to 5 min. When no call has succeeded for 5 min, documents that never left are issued in contingency.",
  "asked again alone": "As above, but this is not counted as an outage.",
  "sent later":
    "The document returns to `signed`: nothing of it left. It is sent again, after 1 s and then twice as long each time. When the authority has refused connections for 5 min (`connection_refused`), it is issued in contingency; by any other such trouble it waits, however long.",
  "asked in an hour":
    "The invoice and its `acceptance` stay as they are. What its buyer has answered is asked for again about an hour later, and given up two days after the 30 days. This is not counted as an outage.",
  "asked the next day": "The same, with the next question about a day later.",
  refused:
    "The document ends as `failed` with `authority_refused`, the authority's words and what to put right. It can be retried and keeps its number. A document in contingency is sent again instead.",
  "asked later":
    "The document stays `submitted`, with what to put right in `waiting`, and is asked for again: a refused question says nothing of the document.",
  "given up after 12":
    "The document stays `submitted` and is asked for as above. After 12 broken calls in a row (18 to 19 min) it ends as `failed` with `internal_error`; a retry first asks the authority whether it has the document. A document in contingency is asked for without end.",
  "signed five times":
    "The document is signed again, after 1 s and then twice as long each time. The fifth failure ends it as `failed` with `internal_error`; it can be retried and keeps its number.",
  "numbered five times":
    "The draft is numbered again, later each time, and other drafts go on. The fifth failure ends it as `failed` with `internal_error`, without a number; it can be retried.",
  "waits for a date":
    "A request that needs it is answered with 500 `internal_error`, and nothing changes. A draft stays a draft, and is numbered when there is a date again. A document with a number is signed again, five times at most, as above.",
  "waits for its page":
    "A request that shows the document is answered with 500 `internal_error`. The document is signed and sent, and stays `submitted`: its outcome is asked for again, as above, and stored when the page can be made. Other documents go on.",
  held: "The document stays `numbered` until the process restarts, because Folio sets no time-out here: a profile sets a time-out for each call that it makes. Other documents go on.",
  unsignable:
    "The document ends as `failed` at once, with the code and the message of the profile. It can be retried and keeps the number it has.",
  "request: not live": "The request is refused with 403 `account_not_live` and the authority's words. Nothing changes.",
  "request: unavailable": "The request is answered with 503 `service_unavailable`, within 9 s. Nothing changes.",
  "request: no answer":
    "The request is answered with 503 `service_unavailable` after 15 s, and the account's turn is given back.",
  "request: internal error": "The request is answered with 500 `internal_error`. Nothing changes.",
  "request: its own error": "The request is answered with the error that the port gives.",
  "shown without content": "The e-mail is listed with `subject`, `text` and `archive` null.",
  "mailed for a day":
    "The e-mail stays `pending` and is sent again, nine times in 24 hours, each with the same Message-ID; then it has `bounced`.",
  bounced: "The e-mail has `bounced` at once, with the words of the mail server.",
  "not mailed": "The e-mail ends as `failed` at once, and no event tells of it.",
  "mailed five times": "The e-mail stays `pending` and is sent again. The fifth failure ends it as `failed`.",
  "delivered four times":
    "The attempt is recorded with the error `internal`. The delivery is sent again after 30 s, 5 min and 30 min, and then has `failed`. Its place is free after 18 s at the latest.",
  "attempt: blocked": "The same, with the error `blocked`.",
  "attempt: dns": "The same, with the error `dns`.",
  "attempt: timeout": "The same, with the error `timeout`, after 15 s.",
  "told by the sweeper":
    "The request is answered, and nobody waits. The sweeper tells of it again until the tell arrives; then the draft, document, e-mail or delivery goes on.",
  "told again":
    "The incident stays open, and `folio incidents` lists it. The channel is told again after 1, 2, 4 and 8 min and then every 15 min, for a week. Other channels and incidents go on.",
  "counts as busy": "Work that can wait waits 100 ms, as it does while the process is busy, and is then done."
} as const
export type Outcome = keyof typeof outcomes

/** How any method that gives an effect can break although its types are right; a hang can be interrupted, or cannot. */
const effectFaults = ["dies", "throws", "interrupts itself", "hangs", "hangs for good"] as const
type EffectFault = (typeof effectFaults)[number]

/** What a method can do against its type. Folio checks the answers of three ports, by which it decides. */
type TypeFault = "fails otherwise" | "answers nonsense"

type AnswerOf<Method> = Method extends (...args: never) => infer Answer ? Answer : Method
type AnyEffect = Effect.Effect<unknown, unknown, unknown>
type Tag<E> = E extends { readonly _tag: infer T extends string } ? T : never
type Failure<Answer> = Answer extends Effect.Effect<unknown, infer E, unknown> ? Tag<E> : never
type Fault<Answer> =
  Answer extends Result.Result<unknown, infer E>
    ? "throws" | Tag<E>
    : Answer extends AnyEffect
      ? EffectFault | Failure<Answer>
      : "throws"
type MethodOf<Shape> = {
  [Name in keyof Shape]-?: NonNullable<Shape[Name]> extends ((...args: never) => unknown) | AnyEffect ? Name : never
}[keyof Shape]

/**
 * For each method its row, and in the row each failure of its signature and each fault: one more of any does not compile. `Checked`: the
 * faults of methods whose answers Folio checks.
 */
export type Rows<Shape, Checked extends TypeFault = never> = {
  readonly [Name in MethodOf<Shape>]: {
    readonly [F in Fault<AnswerOf<NonNullable<Shape[Name]>>> | Checked]: Outcome
  }
}

const broken = <const O extends Outcome, const Late extends Outcome>(outcome: O, late: Late) => ({
  dies: outcome,
  throws: outcome,
  "interrupts itself": outcome,
  hangs: late,
  "hangs for good": late
})

const checked = <const O extends Outcome, const Late extends Outcome>(outcome: O, late: Late) => ({
  ...broken(outcome, late),
  "fails otherwise": outcome,
  "answers nonsense": outcome
})

const printing = broken("request: internal error", "request: no answer")

export const authority = {
  submit: {
    AuthorityUnavailable: "asked again",
    AuthorityRefusal: "refused",
    ...checked("given up after 12", "asked again")
  },
  verdict: {
    AuthorityUnavailable: "asked again",
    AuthorityRefusal: "asked later",
    ...checked("given up after 12", "asked again")
  },
  ranges: {
    AuthorityUnavailable: "request: unavailable",
    AuthorityRefusal: "request: not live",
    ...broken("request: internal error", "request: unavailable")
  },
  acquirer: {
    AuthorityUnavailable: "request: unavailable",
    AuthorityRefusal: "request: not live",
    ...broken("request: internal error", "request: unavailable")
  },
  events: {
    AuthorityUnavailable: "asked in an hour",
    AuthorityRefusal: "asked the next day",
    ...checked("asked in an hour", "asked in an hour")
  }
} as const satisfies Rows<Pick<typeof Authority.Service, "events" | "submit" | "verdict">, TypeFault> &
  Rows<Pick<typeof Authority.Service, "acquirer" | "ranges">>

export const certificate = {
  sign: broken("signed five times", "signed five times")
} as const satisfies Rows<typeof SandboxCertificate.Service>

export const mailer = {
  send: {
    MailerUnavailable: "mailed for a day",
    MailerRefused: "bounced",
    MailerAbsent: "not mailed",
    ...checked("mailed five times", "mailed for a day")
  }
} as const satisfies Rows<typeof Mailer.Service, TypeFault>

export const printer = {
  pdf: printing,
  parcel: broken("mailed five times", "mailed five times")
} as const satisfies Rows<typeof Printer.Service>

export const sender = {
  send: checked("delivered four times", "delivered four times")
} as const satisfies Rows<typeof WebhookSender.Service, TypeFault>

export const guard = {
  checkUrl: { throws: "request: internal error" },
  resolve: {
    EgressRefused: "attempt: blocked",
    DnsFailed: "attempt: dns",
    ...broken("delivered four times", "attempt: timeout"),
    "hangs for good": "delivered four times"
  }
} as const satisfies Rows<typeof EgressGuard.Service>

export const files = {
  pdf: { ApiError: "request: its own error", ...printing },
  xml: { ApiError: "request: its own error", ...printing },
  parcel: { ApiError: "request: its own error", ...broken("shown without content", "request: no answer") }
} as const satisfies Rows<typeof DocumentFiles.Service>

export const busyness = {
  measure: { throws: "counts as busy", "answers nonsense": "counts as busy" }
} as const satisfies Rows<{ readonly measure: typeof Busyness.Service }, "answers nonsense">

/** What the service asks for but does not call: values. */
type Value = Limits | SecretKey | ServiceInfo

/** Whatever else the service asks for and is its own; the platform comes from Effect, whose names begin otherwise. */
type Port = Exclude<
  Extract<
    Layer.Services<ReturnType<typeof Layers.layerWith<never, never, never>>> | Printer,
    { readonly key: `folio/${string}`; readonly Service: unknown }
  >,
  Value
>

type NameOf<Key extends string> = Key extends `${string}/${infer Rest}` ? NameOf<Rest> : Key
type Methods<Shape> = Shape extends Profile
  ? ProfileMethods
  : Shape extends (...args: never) => unknown
    ? { readonly measure: Shape }
    : Shape

type Profile = typeof NationalProfile.Service
/** The profile as methods, its rules one by one. */
type ProfileMethods = Omit<Profile, "rules"> &
  Readonly<{ [Name in keyof Rules as `rules.${Name}`]-?: NonNullable<Rules[Name]> }>

export const profile = {
  localDate: { throws: "waits for a date" },
  issueTime: { throws: "waits for a date" },
  "rules.invoice": { throws: "request: internal error" },
  "rules.note": { throws: "request: internal error" },
  "rules.customer": { throws: "request: internal error" },
  "rules.issuer": { throws: "request: internal error" },
  "rules.resolution": { throws: "request: internal error" },
  "rules.named": { throws: "request: internal error" },
  "rules.warnings": { throws: "request: internal error" },
  "rules.noteWarnings": { throws: "request: internal error" },
  code: { Unsignable: "unsignable", throws: "signed five times" },
  tail: { Unsignable: "unsignable", throws: "numbered five times" },
  pageOf: { throws: "waits for its page" },
  lacksOf: { throws: "request: internal error" },
  sign: { Unsignable: "unsignable", ...broken("signed five times", "held") },
  attach: { Unsignable: "mailed five times", ...broken("mailed five times", "mailed five times") }
} as const satisfies Rows<ProfileMethods>

const limiting = broken("request: internal error", "request: no answer")
const limited = { ApiError: "request: its own error", ...limiting } as const

export const limiter = {
  ofKey: limited,
  ofAddress: limited,
  isAddressSpent: limiting,
  ofLink: limited
} as const satisfies Rows<typeof RateLimit.Service>

const lost = broken("told by the sweeper", "told by the sweeper")

export const tells = {
  numberDrafts: lost,
  proceed: lost,
  mail: lost,
  deliver: lost
} as const satisfies Rows<typeof Notify.Service>

export const alerts = {
  send: { AlertFailed: "told again", ...broken("told again", "told again") }
} as const satisfies Rows<typeof Alerts.Service>

/** By the name of the port: one more service that is asked for does not compile. */
const rows = {
  Authority: authority,
  SandboxCertificate: certificate,
  Mailer: mailer,
  Printer: printer,
  WebhookSender: sender,
  EgressGuard: guard,
  DocumentFiles: files,
  NationalProfile: profile,
  RateLimit: limiter,
  Notify: tells,
  Alerts: alerts,
  Busyness: busyness
} satisfies { readonly [P in Port as NameOf<P["key"]>]: Rows<Methods<P["Service"]>> }

export const table: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Outcome>>>>>> = rows
