import { assert, describe } from "@effect/vitest"
import { type Duration, Effect } from "effect"
import type { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { authorityTroubles } from "../../../src/invoices/rules/AuthorityTroubles.ts"
import { CallFailed } from "../../../src/runtime/HttpCall.ts"
import { connectionTrouble } from "../../../src/invoices/authority/soap/ConnectionTroubles.ts"
import { type StandIn, standInAuthority } from "../../support/authority/StandInAuthority.ts"
import { addresses, identities, plays } from "../../support/authority/StandInTroubles.ts"
import { it } from "../../support/Tests.ts"
import { cufe, liveAt, readCufe, submission } from "./callingAuthority.ts"

interface Case {
  readonly what: string
  readonly play: (service: StandIn) => Effect.Effect<void> | void
  readonly trouble: AuthorityTrouble
  /** Whether the stand-in has the document afterwards. */
  readonly taken?: boolean
  /** Short, because no answer arrives. */
  readonly limits?: { readonly connectTimeout?: Duration.Input; readonly totalTimeout?: Duration.Input }
}

const silent = { totalTimeout: "600 millis" } as const

const answers = (
  what: string,
  play: Parameters<StandIn["answerWith"]>[0],
  trouble: AuthorityTrouble,
  taken = false
) => ({
  what,
  play: (service: StandIn) => service.answerWith(play),
  trouble,
  taken
})

const fault = (code: string, subcode: string): Parameters<StandIn["answerWith"]>[0] => {
  const xml = `<s:Fault><s:Code><s:Value>${code}</s:Value><s:Subcode><s:Value>${subcode}</s:Value></s:Subcode></s:Code></s:Fault>`
  return () => ({ _tag: "Body", xml, status: 500 })
}

const page =
  (status: number): Parameters<StandIn["answerWith"]>[0] =>
  () => ({ _tag: "Raw", status, type: "text/html", text: "<html/>" })

const http: ReadonlyArray<Case> = [
  answers("a certificate that is not trusted", plays.wrongCertificate, "certificate_refused"),
  answers("a message that fails the check of security", plays.invalidSecurity, "security_refused"),
  answers("a sender that may not send", plays.senderRefused, "sender_refused"),
  answers("a call that its sender should not have made", fault("s:Sender", "a:ActionNotSupported"), "sender_refused"),
  answers("a sender whose token it does not know", fault("s:Sender", "o:FailedAuthentication"), "security_refused"),
  answers("a fault of its own", fault("s:Receiver", "a:InternalServiceFault"), "server_error"),
  answers("a page that is not there", page(404), "not_the_service"),
  answers("a page that we may not read", page(403), "not_the_service"),
  answers("a redirect", page(302), "not_the_service"),
  answers("too many calls", page(429), "server_error"),
  answers("a document still in process", plays.inProcessUntilAsked(1), "in_process", true),
  answers("half of an answer", plays.halfAnswer, "no_answer", true),
  answers("a reset after the work", plays.resetAfterWork, "no_answer", true),
  answers("a reset after the request", plays.resetAfterRequest, "no_answer"),
  { ...answers("silence", plays.never, "no_answer"), limits: silent },
  answers("an HTML page with 500", plays.serverError("500"), "server_error"),
  answers("502", plays.serverError("502"), "server_error"),
  answers("503", plays.serverError("503"), "server_error"),
  answers("503 of a service that has the document", plays.serverErrorAfterWork("503"), "server_error", true),
  answers("504 of a service that has the document", plays.serverErrorAfterWork("504"), "server_error", true),
  answers("a verdict on another document", plays.anotherDocument, "another_document", true),
  { what: "a reset before anything is read", play: (service) => service.connections("reset"), trouble: "no_answer" },
  {
    what: "a host that never sends a byte",
    play: (service) => service.connections("silent"),
    trouble: "no_answer",
    limits: silent
  },
  { what: "a refused connection", play: (service) => service.connections("refused"), trouble: "connection_refused" },
  { what: "a clock behind ours", play: (service) => service.clockOff(-3_600_000), trouble: "clock_off" },
  { what: "a clock a day before ours", play: (service) => service.clockOff(86_400_000), trouble: "clock_off" }
]

const tls: ReadonlyArray<Case> = [
  { what: "an expired certificate", play: (service) => service.identify(identities.expired), trouble: "tls_failed" },
  {
    what: "a certificate of an unknown issuer",
    play: (service) => service.identify(identities.untrusted),
    trouble: "tls_failed"
  },
  { what: "another's certificate", play: (service) => service.identify(identities.wrongName), trouble: "tls_failed" },
  {
    what: "a handshake that is dropped",
    play: (service) => service.connections("reset"),
    trouble: "connection_refused"
  },
  {
    what: "a handshake without an answer",
    play: (service) => service.connections("silent"),
    trouble: "connection_refused",
    limits: { connectTimeout: "300 millis" }
  },
  { what: "a refused connection", play: (service) => service.connections("refused"), trouble: "connection_refused" }
]

const troubleAt = Effect.fnUntraced(function* (url: string, limits: Case["limits"] = {}) {
  const authority = yield* liveAt(url, { ca: identities.root, ...limits })
  return yield* Effect.flip(authority.submit(yield* submission))
})

const seen = Effect.fnUntraced(function* ({ limits, play, taken = false, trouble }: Case, over: "http" | "tls") {
  const service = yield* standInAuthority({ readCufe, ...(over === "tls" ? { tls: identities.trusted } : {}) })
  const played = play(service)
  if (Effect.isEffect(played)) yield* played
  const error = yield* troubleAt(service.url, limits)
  assert.strictEqual(error.trouble, trouble, error.message)
  assert.strictEqual(error._tag === "AuthorityRefusal", authorityTroubles[trouble].is_refusal, error.message)
  assert.isBelow(error.message.length, 500)
  assert.strictEqual(service.documents.has(cufe), taken)
  if (taken) assert.isTrue(authorityTroubles[trouble].may_have_left)
  // The service works again after the trouble, and knows the document only if it took it.
  service.answerWith(() => undefined)
  service.clockOff(0)
  yield* service.connections("taken")
  yield* service.identify(identities.trusted)
  const again = yield* liveAt(service.url, { ca: identities.root })
  const verdict = yield* again.verdict(yield* submission)
  assert.strictEqual(verdict?.accepted, taken ? true : undefined)
})

/** The trouble when no address of a host takes the connection. Node.js reports the code of the first address. */
const troubleOfAll = (errors: readonly [{ readonly code: string }, ...ReadonlyArray<{ readonly code: string }>]) =>
  connectionTrouble(new CallFailed({ code: errors[0].code, message: "", errors }, true)).trouble

describe("the trouble of a call without a verdict", () => {
  it.live.each(http)("has its own code over HTTP: $what", (one) => seen(one, "http"))
  it.live.each(tls)("has its own code over TLS: $what", (one) => seen(one, "tls"))

  it.effect("distinguishes no route from a late connection by the system's error", function* () {
    yield* Effect.void
    for (const code of ["ENETUNREACH", "EHOSTUNREACH", "ENETDOWN"]) {
      const found = connectionTrouble(new CallFailed({ code, message: `connect ${code} 198.51.100.1:443` }, true))
      assert.strictEqual(found.trouble, "no_route")
      assert.include(found.message, code)
      // If the connection breaks while the answer is awaited, the document may have left.
      assert.strictEqual(connectionTrouble(new CallFailed({ code }, false)).trouble, "no_answer")
    }
    const late = connectionTrouble(new CallFailed({ code: "ETIMEDOUT" }, true))
    assert.deepStrictEqual(late, {
      trouble: "connection_refused",
      message: "it did not take the connection in time"
    })
  })

  it.effect("names the refused connection if one address has no route and another refuses", function* () {
    yield* Effect.void
    const [away, refused] = [{ code: "ENETUNREACH" }, { code: "ECONNREFUSED" }] as const
    assert.strictEqual(troubleOfAll([away, refused]), "connection_refused")
    assert.strictEqual(troubleOfAll([refused, away]), "connection_refused")
    assert.strictEqual(troubleOfAll([away, away]), "no_route")
  })

  it.live("has its own code for a host name that does not resolve", function* () {
    assert.strictEqual((yield* troubleAt(addresses.noSuchName)).trouble, "name_not_found")
  })
})
