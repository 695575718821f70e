import { Clock, Context, Effect, Layer, Queue } from "effect"
import { sandboxSoftware } from "../../../src/documents/ubl/UblSoftware.ts"
import { Notify } from "../../../src/accounts/Notify.ts"
import {
  type AcquirerQuestion,
  Authority,
  type AuthorityAcquirer,
  type AuthorityRefusal,
  AuthorityUnavailable,
  type Submission,
  type Verdict
} from "../../../src/invoices/authority/Authority.ts"
import { type Envelope, Mailer, mailer, type Message, type Send } from "../../../src/invoices/mail/Mailer.ts"
import { type WebhookRequest, type WebhookResponse, WebhookSender } from "../../../src/webhooks/sender/WebhookSender.ts"
import { accountAddress, memberAddress } from "../../../src/runtime/Address.ts"

export const accepted: Verdict = {
  accepted: true,
  errors: [],
  notifications: [],
  answer: { StatusCode: "00", IsValid: true }
}

export const rejected: Verdict = {
  accepted: false,
  errors: [{ rule: "FAD06", severity: "rejection", message: "CUFE", path: "cufe", hint: null }],
  notifications: [],
  answer: { StatusCode: "99", IsValid: false }
}

/** The document may have been sent. */
export const unavailable = Effect.fail(new AuthorityUnavailable({ message: "503", trouble: "server_error" }))
/** The document was not sent, by the authority's fault. */
export const unreachable = Effect.fail(
  new AuthorityUnavailable({ message: "It takes no connections.", trouble: "connection_refused" })
)

/** A call that has reached the authority. */
export interface AuthorityCall {
  readonly kind: "submit" | "verdict"
  readonly cufe: string
  /** In hexadecimal, for comparisons; empty for a status query. */
  readonly signed: string
  readonly at: number
}

/** A tax authority whose responses a test defines. */
export class FakeAuthority extends Context.Service<
  FakeAuthority,
  {
    readonly calls: Array<AuthorityCall>
    /** Each call again, for waiting on the next one. */
    readonly arrivals: Queue.Queue<AuthorityCall>
    onSubmit: (submission: Submission) => Effect.Effect<Verdict, AuthorityUnavailable | AuthorityRefusal>
    onVerdict: (cufe: string) => Effect.Effect<Verdict | null, AuthorityUnavailable | AuthorityRefusal>
    /** The queries about acquirers. */
    readonly questions: Array<AcquirerQuestion>
    onAcquirer: (
      question: AcquirerQuestion
    ) => Effect.Effect<AuthorityAcquirer | null, AuthorityUnavailable | AuthorityRefusal>
    /** The documents sent for test sets. */
    readonly testDocuments: Array<Submission>
    onTestDocument: (submission: Submission) => Effect.Effect<string | null, AuthorityUnavailable | AuthorityRefusal>
    onTestVerdict: (cufe: string) => Effect.Effect<Verdict, AuthorityUnavailable | AuthorityRefusal>
  }
>()("folio/test/FakeAuthority") {
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const fake: FakeAuthority["Service"] = {
        calls: [],
        arrivals: yield* Queue.unbounded<AuthorityCall>(),
        onSubmit: () => Effect.succeed(accepted),
        onVerdict: () => Effect.succeed(null),
        questions: [],
        onAcquirer: ({ number }) =>
          Effect.succeed(number === "900000001" ? { name: "Ana S.A.S.", email: "ana@cliente.test" } : null),
        testDocuments: [],
        onTestDocument: ({ cufe }) => Effect.succeed(cufe),
        onTestVerdict: () => Effect.succeed(accepted)
      }
      const arrive = (kind: AuthorityCall["kind"], cufe: string, signed: string) =>
        Effect.flatMap(Clock.currentTimeMillis, (at) => {
          const call = { kind, cufe, signed, at }
          fake.calls.push(call)
          return Queue.offer(fake.arrivals, call)
        })
      const authority = Authority.of({
        submit: (submission) =>
          Effect.andThen(
            arrive("submit", submission.cufe, Buffer.from(submission.signed).toString("hex")),
            Effect.suspend(() => fake.onSubmit(submission))
          ),
        verdict: ({ cufe }) =>
          Effect.andThen(
            arrive("verdict", cufe, ""),
            Effect.suspend(() => fake.onVerdict(cufe))
          ),
        acquirer: (question) =>
          Effect.suspend(() => {
            fake.questions.push(question)
            return fake.onAcquirer(question)
          }),
        testSet: {
          software: sandboxSoftware,
          send: (submission) =>
            Effect.suspend(() => {
              fake.testDocuments.push(submission)
              return fake.onTestDocument(submission)
            }),
          verdict: ({ cufe }) => Effect.suspend(() => fake.onTestVerdict(cufe))
        }
      })
      return Context.make(FakeAuthority, fake).pipe(Context.add(Authority, authority))
    })
  )
}

export const kindsOf = ({ calls }: FakeAuthority["Service"]) => calls.map(({ kind }) => kind)

/** A mail server for live documents whose responses a test defines. */
export class FakeMailer extends Context.Service<
  FakeMailer,
  {
    readonly sent: Array<{ readonly envelope: Envelope; readonly message: Message; readonly at: number }>
    onSend: (envelope: Envelope) => ReturnType<Send>
  }
>()("folio/test/FakeMailer") {
  static readonly layer = Layer.effectContext(
    Effect.sync(() => {
      const fake: FakeMailer["Service"] = { sent: [], onSend: () => Effect.succeed({ complained: false }) }
      const live: Send = (envelope, message) =>
        Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          fake.sent.push({ envelope, message: yield* message, at })
          return yield* fake.onSend(envelope)
        })
      return Context.make(FakeMailer, fake).pipe(Context.add(Mailer, mailer(live)))
    })
  )
}

/** A delivery that has reached a receiver. */
export interface Arrival extends WebhookRequest {
  readonly at: number
}

export const answered = (status: number): WebhookResponse => ({
  remoteIp: "192.0.2.1",
  status,
  headers: {},
  body: "",
  durationMs: 1,
  error: status < 300 ? null : { code: "status", message: `The endpoint returned ${status}.` }
})

/** A receiver of webhooks whose responses a test defines. */
export class FakeReceiver extends Context.Service<
  FakeReceiver,
  {
    readonly requests: Array<Arrival>
    readonly arrivals: Queue.Queue<Arrival>
    onSend: (request: Arrival) => Effect.Effect<WebhookResponse>
  }
>()("folio/test/FakeReceiver") {
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const fake: FakeReceiver["Service"] = {
        requests: [],
        arrivals: yield* Queue.unbounded<Arrival>(),
        onSend: () => Effect.succeed(answered(200))
      }
      const send: WebhookSender["Service"]["send"] = (request) =>
        Effect.flatMap(Clock.currentTimeMillis, (at) => {
          const arrival = { ...request, at }
          fake.requests.push(arrival)
          return Effect.andThen(
            Queue.offer(fake.arrivals, arrival),
            Effect.suspend(() => fake.onSend(arrival))
          )
        })
      return Context.make(FakeReceiver, fake).pipe(Context.add(WebhookSender, WebhookSender.of({ send })))
    })
  )
}

/** The messages of an actor under test to other actors, which do not run. */
export class Told extends Context.Service<Told, Queue.Queue<{ readonly tell: string; readonly to: string }>>()(
  "folio/test/Told"
) {
  static readonly layer = Layer.effect(
    Notify,
    Effect.map(Told, (told) => {
      const note = (tell: string, to: string) => Effect.asVoid(Queue.offer(told, { tell, to }))
      return Notify.of({
        numberDrafts: (account) => note("NumberDrafts", accountAddress(account)),
        proceed: (key) => note("Proceed", memberAddress(key)),
        mail: (key) => note("Mail", memberAddress(key)),
        deliver: (key) => note("Deliver", memberAddress(key))
      })
    })
  ).pipe(Layer.provideMerge(Layer.effect(Told, Queue.unbounded<{ readonly tell: string; readonly to: string }>())))
}
