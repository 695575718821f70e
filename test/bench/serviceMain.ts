import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer } from "effect"
import { run, teardown } from "../../src/service/Run.ts"
import { serve } from "../../src/service/Service.ts"
import { asManyAsSet } from "../../src/service/supervisor/Several.ts"
import { applicationResponse } from "../../src/documents/email/ApplicationResponse.ts"
import { fromPem, makeSelfSigned, SandboxCertificate } from "../../src/documents/signature/Certificate.ts"
import { documentContent } from "../../src/documents/signature/DocumentContent.ts"
import { sandboxRules } from "../../src/documents/SandboxRules.ts"
import { prolog } from "../../src/documents/ubl/Xml.ts"
import { readSignedDocument } from "../../src/documents/signature/SignedDocument.ts"
import { Authority, AuthorityUnavailable } from "../../src/invoices/authority/Authority.ts"
import * as AuthoritySandbox from "../../src/invoices/authority/AuthoritySandbox.ts"
import * as Profile from "./Profile.ts"

/*
 * The shipped service, with orders from its parent: switch the authority off, let it hang, report memory or profile the
 * CPU. With SIGN=noop nothing is signed or verified.
 */
export type Order =
  | { readonly authority: "up" | "down" | "hang" }
  | { readonly memory: true }
  | { readonly profile: "start" | "stop" }

const unsigned = process.env["SIGN"] === "noop"
let mode: "up" | "down" | "hang" = "up"

// A process under a supervisor accepts no orders: the supervisor sends messages of its own.
const isAlone = Number(process.env["PROCESSES"] ?? "1") === 1

const obey = (order: Order) => {
  if ("authority" in order) mode = order.authority
  else if ("profile" in order) {
    const done: Promise<unknown> = order.profile === "start" ? Profile.start() : Profile.stop()
    void done.then((answer) => process.send?.(answer))
  } else {
    globalThis.gc?.()
    process.send?.(process.memoryUsage())
  }
}
if (isAlone) process.on("message", obey)

const read: typeof readSignedDocument = unsigned
  ? (bytes) => documentContent(Buffer.from(bytes).toString().slice(prolog.length))
  : readSignedDocument

const unless = <A, E>(answer: Effect.Effect<A, E>) =>
  Effect.suspend((): Effect.Effect<A, AuthorityUnavailable | E> => {
    if (mode === "hang") return Effect.never
    return mode === "down" ? Effect.fail(new AuthorityUnavailable({ message: "switched off" })) : answer
  })

const switched = Layer.effect(
  Authority,
  Effect.map(Authority, (sandbox) =>
    Authority.of({
      submit: (submission) => unless(sandbox.submit(submission)),
      verdict: (document) => unless(sandbox.verdict(document))
    })
  )
).pipe(Layer.provide(AuthoritySandbox.layer({ read, check: sandboxRules, respond: applicationResponse, latency: 0 })))

const nothing = new Uint8Array(256)
const certificate = Layer.effect(
  SandboxCertificate,
  // The same object as from `fromPem`, so that the service does not verify the signatures.
  Effect.map(makeSelfSigned("Folio bench", new Date()), (pem) =>
    Object.assign(fromPem(pem), { sign: () => Effect.succeed(nothing) })
  )
)

NodeRuntime.runMain(run(asManyAsSet(serve({ authority: switched, ...(unsigned ? { certificate } : {}) }))), {
  teardown,
  disableErrorReporting: true
})
