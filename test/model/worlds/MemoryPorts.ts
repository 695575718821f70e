import { Context, Effect, Exit, Layer, Scope } from "effect"
import { applicationResponse } from "../../../src/documents/email/ApplicationResponse.ts"
import { brokenRules } from "../../oracle/AuthorityCheck.ts"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { Authority } from "../../../src/invoices/authority/Authority.ts"
import * as AuthoritySandbox from "../../../src/invoices/authority/AuthoritySandbox.ts"
import { Mailer, mailer, type Send } from "../../../src/invoices/mail/Mailer.ts"
import { type WebhookResponse, WebhookSender } from "../../../src/webhooks/sender/WebhookSender.ts"
import type { Surroundings } from "./Surroundings.ts"

/**
 * The ports that a team can replace. The model observes their own faults, and does not attribute them to the service.
 */
export interface MemoryPortsOptions {
  /**
   * The authority that documents are submitted to, built again for each sequence; the sandbox if omitted. It can
   * require the sandbox, to wrap it.
   */
  readonly authority?: Layer.Layer<Authority, never, Authority>
  /**
   * The sender of webhooks, built again for each sequence. It can require the world's own sender, which reaches the
   * receivers at the URLs of the world's `hook`.
   */
  readonly sender?: Layer.Layer<WebhookSender, never, WebhookSender>
  /**
   * The mailer, built again for each sequence. It can require the world's own mailer, which treats live emails as the
   * sandbox treats test emails. The model expects the same final outcomes of this mailer.
   */
  readonly mailer?: Layer.Layer<Mailer, never, Mailer>
}

const sandboxMailer = mailer()

/** Outcome of live emails: the sandbox's rule for their addresses. */
export const mailServer: Send = (envelope, message) => sandboxMailer.send({ ...envelope, livemode: false }, message)

const ownMailer = Mailer.layerWith((envelope, message) => Effect.andThen(message, mailServer(envelope, message)))

const receiverTimeout = "15 seconds"

/**
 * The ports of a memory world, observed by its surroundings: `now` are the ports of the sequence that `renew` began.
 */
export const memoryPorts = Effect.fnUntraced(function* (options: MemoryPortsOptions, surroundings: Surroundings) {
  const receivers = Layer.succeed(WebhookSender, {
    send: ({ url }) =>
      Effect.suspend(() => {
        const status = surroundings.answerOf(url)
        const answer = Effect.succeed(response(status))
        return status === null ? Effect.delay(answer, receiverTimeout) : answer
      })
  })
  const layer = Layer.mergeAll(
    Layer.provide(
      options.authority ?? Layer.effect(Authority, Authority),
      AuthoritySandbox.layer({
        read: readSignedDocument,
        check: (signed) => brokenRules(signed),
        respond: applicationResponse,
        latency: 0
      })
    ),
    Layer.provide(options.sender ?? Layer.effect(WebhookSender, WebhookSender), receivers),
    Layer.provide(options.mailer ?? Layer.effect(Mailer, Mailer), ownMailer)
  )
  let scope = yield* Scope.make()
  const leave = Effect.suspend(() => Scope.close(scope, Exit.void))
  yield* Effect.addFinalizer(() => leave)
  const build = Effect.gen(function* () {
    yield* leave
    scope = yield* Scope.make()
    const own = yield* Scope.provide(Layer.build(Layer.fresh(layer)), scope)
    return {
      authority: surroundings.around(Context.get(own, Authority)),
      sender: surroundings.aroundSender(Context.get(own, WebhookSender)),
      mailer: surroundings.aroundMailer(Context.get(own, Mailer))
    }
  })
  const ports = { now: yield* build, renew: Effect.void }
  return Object.assign(ports, { renew: Effect.map(build, (next) => void Object.assign(ports, { now: next })) })
})

const response = (status: number | null): WebhookResponse => ({
  remoteIp: "192.0.2.1",
  status,
  headers: {},
  body: "",
  durationMs: 1,
  error:
    status === null
      ? { code: "timeout", message: "No answer in time." }
      : status < 300
        ? null
        : { code: "status", message: `The endpoint returned ${status}.` }
})
