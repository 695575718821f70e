import type { Effect, Layer, Result } from "effect"
import type { ServiceInfo } from "../../src/runtime/ServiceInfo.ts"
import type * as Layers from "../../src/service/Layers.ts"
import type { DocumentFiles } from "../../src/invoices/DocumentFiles.ts"
import type { Printer } from "../../src/documents/print/Printer.ts"
import type { SandboxCertificate } from "../../src/documents/signature/Certificate.ts"
import type { SigningKeys } from "../../src/documents/signature/SigningKeys.ts"
import type { Busyness } from "../../src/runtime/turns/Busyness.ts"
import type { Alerts } from "../../src/operations/Alerts.ts"
import type { Limits } from "../../src/runtime/Limits.ts"
import type { Authority } from "../../src/invoices/authority/Authority.ts"
import type { NationalProfile, Rules } from "../../src/documents/NationalProfile.ts"
import type { RateLimit } from "../../src/http/limits/RateLimit.ts"
import type { Notify } from "../../src/accounts/Notify.ts"
import type { Mailer } from "../../src/invoices/mail/Mailer.ts"
import type { EgressGuard } from "../../src/webhooks/sender/EgressGuard.ts"
import type { WebhookSender } from "../../src/webhooks/sender/WebhookSender.ts"
import type { SecretKey } from "../../src/database/Secrets.ts"

/* The outcome of a document, an email, a delivery or a request for each failure of each method of each port. */

/** Every outcome of work that needed a failing port. `src/docs/ports.md` has the same sentences. */
export const outcomes = {
  "asked again":
    "The document stays `submitted` without a time limit, because it may have left. Folio asks for its verdict after 1 s, then after twice as long each time, up to 5 min. If no call succeeds for 5 min, Folio issues documents that never left in contingency.",
  "asked again alone": "As for _asked again_, but the call does not count as an outage.",
  "sent later":
    "The document returns to `signed`, because nothing of it left. Folio sends it again after 1 s, then after twice as long each time. If the authority refuses connections for 5 min (`connection_refused`), Folio issues the document in contingency. After any other such trouble, the document waits without a time limit.",
  "asked in an hour":
    "The invoice and its `acceptance` stay as they are. Folio asks for the buyer's response again about an hour later, until two days after the 30 days. The call does not count as an outage.",
  "asked the next day": "As for _asked in an hour_, but Folio asks again about a day later.",
  refused:
    "The document ends as `failed` with `authority_refused`, the authority's message and the fix. You can retry it, and it keeps its number. If the document is in contingency, Folio sends it again instead.",
  "asked later":
    "The document stays `submitted`, with the fix in `waiting`. Folio asks for its verdict again, because a refused question is no decision about the document.",
  "failed after 12":
    "The document stays `submitted`, and Folio asks for its verdict as for _asked again_. After 12 broken calls in a row (18 to 19 min) the document ends as `failed` with `internal_error`. A retry first asks the authority whether it has the document. For a document in contingency, Folio asks without a limit.",
  "signed five times":
    "Folio signs the document again after 1 s, then after twice as long each time. After the fifth failure the document ends as `failed` with `internal_error`. You can retry it, and it keeps its number.",
  "waits for its signer":
    "The document keeps its state and its number, with the fix in `waiting`, and nothing leaves. Folio signs it again after 1 s, then after as long again as it has waited, up to 5 min, without a time limit.",
  "numbered five times":
    "Folio numbers the draft again, after a longer wait each time, and continues with other drafts. After the fifth failure the draft ends as `failed` with `internal_error`, without a number. You can retry it.",
  "waits for a date":
    "A request that needs the date gets 500 `internal_error`, and nothing changes. A draft stays a draft, and Folio numbers it when there is a date again. Folio signs a numbered document again, at most five times, as for _signed five times_.",
  "waits for its page":
    "A request that shows the document gets 500 `internal_error`. Folio signs and sends the document, which stays `submitted`. Folio asks for its verdict again, as for _asked again_, and stores the outcome when the profile returns the page. Other documents continue.",
  stuck:
    "The document stays `numbered` until the process restarts, because Folio sets no time-out here. A profile sets a time-out for each call that it makes. Other documents continue.",
  unsignable:
    "The document ends as `failed` immediately, with the code and the message of the profile. You can retry it, and it keeps its number if it has one.",
  "request: not live": "The request gets 403 `account_not_live` with the authority's message. Nothing changes.",
  "request: unavailable": "The request gets 503 `service_unavailable` within 9 s. Nothing changes.",
  "request: no response":
    "The request gets 503 `service_unavailable` after 15 s, and the account's turn is free again.",
  "request: internal error": "The request gets 500 `internal_error`. Nothing changes.",
  "request: its own error": "The request gets the error that the port returns.",
  "shown without content": "The API lists the email with null for `subject`, `text` and `archive`.",
  "mailed for a day":
    "The email stays `pending`. Folio sends it again, nine times in 24 hours, with the same Message-ID each time. Then its status is `bounced`.",
  bounced: "The status of the email is `bounced` immediately, with the mail server's message.",
  "not mailed": "The email ends as `failed` immediately, without an event.",
  "mailed five times":
    "The email stays `pending`, and Folio sends it again. After the fifth failure the email ends as `failed`.",
  "delivered four times":
    "Folio records the attempt with the error `internal`, and retries the delivery after 30 s, 5 min and 30 min. Then the delivery has `failed`. An attempt frees its turn after 18 s at the latest.",
  "attempt: blocked": "As for _delivered four times_, with the error `blocked`.",
  "attempt: dns": "As for _delivered four times_, with the error `dns`.",
  "attempt: timeout": "As for _delivered four times_, with the error `timeout`, after 15 s.",
  "found by the sweeper":
    "The client gets its response without a delay. The sweeper sends the message again until it arrives. Then Folio continues with the draft, document, email or delivery.",
  "reported again":
    "The incident stays open, and `folio incidents` lists it. Folio sends the alert again after 1, 2, 4 and 8 min and then every 15 min, for a week. Other channels and incidents continue.",
  "counts as busy": "Folio delays work that can wait by 100 ms, as it does while the process is busy."
} as const
export type Outcome = keyof typeof outcomes

/** Faults of a method that returns an effect, within its types. A hang can be interruptible or not. */
const effectFaults = ["dies", "throws", "interrupts itself", "hangs", "hangs for good"] as const
type EffectFault = (typeof effectFaults)[number]

/** Faults of a method against its type. Folio checks the answers of the three ports by which it decides. */
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
 * A row for each method, with each failure of its signature and each fault: a missing or extra one does not compile.
 * `Checked`: the faults of methods whose answers Folio checks.
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

const printing = broken("request: internal error", "request: no response")

export const authority = {
  submit: {
    AuthorityUnavailable: "asked again",
    AuthorityRefusal: "refused",
    ...checked("failed after 12", "asked again")
  },
  verdict: {
    AuthorityUnavailable: "asked again",
    AuthorityRefusal: "asked later",
    ...checked("failed after 12", "asked again")
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
  sign: {
    SigningUnavailable: "waits for its signer",
    ...checked("signed five times", "waits for its signer"),
    "answers nonsense": "waits for its signer"
  }
} as const satisfies Rows<typeof SandboxCertificate.Service, TypeFault>

export const signingKeys = {
  signer: {
    SigningRefused: "waits for its signer",
    SigningUnavailable: "waits for its signer",
    ...checked("signed five times", "waits for its signer")
  }
} as const satisfies Rows<typeof SigningKeys.Service, TypeFault>

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
  emailPackage: broken("mailed five times", "mailed five times")
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
  emailPackage: { ApiError: "request: its own error", ...broken("shown without content", "request: no response") }
} as const satisfies Rows<typeof DocumentFiles.Service>

export const busyness = {
  measure: { throws: "counts as busy", "answers nonsense": "counts as busy" }
} as const satisfies Rows<{ readonly measure: typeof Busyness.Service }, "answers nonsense">

/** Values that the service requires but does not call. */
type Value = Limits | SecretKey | ServiceInfo

/** All other requirements that are the service's own. The platform's requirements have keys of Effect. */
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
/** The profile as methods, with its rules one by one. */
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
  sign: {
    SigningUnavailable: "waits for its signer",
    Unsignable: "unsignable",
    ...broken("signed five times", "stuck")
  },
  attach: {
    SigningUnavailable: "mailed for a day",
    Unsignable: "mailed five times",
    ...broken("mailed five times", "mailed five times")
  }
} as const satisfies Rows<ProfileMethods>

const limiting = broken("request: internal error", "request: no response")
const limited = { ApiError: "request: its own error", ...limiting } as const

export const limiter = {
  ofKey: limited,
  ofAddress: limited,
  isAddressSpent: limiting,
  ofLink: limited
} as const satisfies Rows<typeof RateLimit.Service>

const lost = broken("found by the sweeper", "found by the sweeper")

export const tells = {
  numberDrafts: lost,
  proceed: lost,
  mail: lost,
  deliver: lost
} as const satisfies Rows<typeof Notify.Service>

export const alerts = {
  send: { AlertFailed: "reported again", ...broken("reported again", "reported again") }
} as const satisfies Rows<typeof Alerts.Service>

/** Rows by the name of the port. A new required port without a row does not compile. */
const rows = {
  Authority: authority,
  SandboxCertificate: certificate,
  SigningKeys: signingKeys,
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
