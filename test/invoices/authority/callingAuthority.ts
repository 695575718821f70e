import { Context, Effect, Layer } from "effect"
import { AccountId } from "../../../schemas/Id.ts"
import { fromPem, makeSelfSigned } from "../../../src/documents/signature/Certificate.ts"
import { Authority, type Submission } from "../../../src/invoices/authority/Authority.ts"
import * as AuthorityLive from "../../../src/invoices/authority/AuthorityLive.ts"
import type { DianResponse } from "../../support/authority/StandInAnswers.ts"
import { type Answer, standInAuthority } from "../../support/authority/StandInAuthority.ts"

export const pem = Effect.runSync(Effect.cached(makeSelfSigned("Tienda S.A.S.", new Date())))
export const cufe = "ab".repeat(48)
export const readCufe = (bytes: Uint8Array) => /cufe="([0-9a-f]{96})"/.exec(Buffer.from(bytes).toString())?.[1] ?? null
export const signed = Buffer.from(`<Invoice cufe="${cufe}">é</Invoice>`)

export const software = { provider: { number: "900373115" }, id: "f0110000-0000-4000-8000-00000000000a" }

export const submission = Effect.map(pem, (text): Submission => ({
  account_id: AccountId.make(`ten_${"a".repeat(26)}`),
  in_contingency: false,
  cufe,
  kind: "invoice",
  full_number: "SETP990000001",
  issue_date: "2026-11-21",
  livemode: true,
  issuer_nit: "900373115",
  certificate: fromPem(text),
  signed
}))

export const liveAt = (url: string, change: Partial<AuthorityLive.AuthorityLiveOptions> = {}) =>
  Effect.map(Layer.build(AuthorityLive.layer({ url, software, readCufe, ...change })), (context) =>
    Context.get(context, Authority)
  )

export const setUp = Effect.fnUntraced(function* (change: Partial<AuthorityLive.AuthorityLiveOptions> = {}) {
  const service = yield* standInAuthority({ readCufe })
  return { service, authority: yield* liveAt(service.url, change), document: yield* submission }
})

/** The outcome of a call: a verdict, null, or the tag and message of its error. */
export const outcome = <A, E extends { readonly _tag: string; readonly message: string }>(call: Effect.Effect<A, E>) =>
  Effect.match(call, { onSuccess: (value) => ({ value }), onFailure: ({ _tag, message }) => ({ _tag, message }) })

export const dian = (response: DianResponse): Answer => ({ _tag: "Dian", response })
