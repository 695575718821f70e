import { assert, describe } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { X509Certificate } from "node:crypto"
import { describeCertificate, fromPem } from "../../../src/documents/signature/Certificate.ts"
import { Authority } from "../../../src/invoices/authority/Authority.ts"
import * as AuthorityLive from "../../../src/invoices/authority/AuthorityLive.ts"
import { outcome, pem, submission } from "./callingAuthority.ts"
import { it } from "../../support/Tests.ts"

const never = (what: string) =>
  Layer.succeed(
    Authority,
    Authority.of({
      submit: () => Effect.die(`submitted to ${what}`),
      verdict: () => Effect.die(`asked of ${what}`)
    })
  )
const says = (what: string) =>
  Layer.succeed(
    Authority,
    Authority.of({
      submit: () => Effect.succeed({ accepted: true, errors: [], notifications: [], answer: what }),
      verdict: () => Effect.succeed({ accepted: true, errors: [], notifications: [], answer: what })
    })
  )

describe("an authority for each mode", () => {
  it.effect("sends live documents to the live authority and test documents to the sandbox", function* () {
    const live = { ...(yield* submission), livemode: true }
    for (const document of [live, { ...live, livemode: false }]) {
      const portOf = (livemode: boolean) => (livemode === document.livemode ? says("right") : never("the wrong one"))
      const layer = AuthorityLive.layerByMode({ test: portOf(false), live: portOf(true) })
      const authority = Context.get(yield* Layer.build(layer), Authority)
      assert.strictEqual((yield* authority.submit(document)).answer, "right")
      assert.strictEqual((yield* authority.verdict(document))?.answer, "right")
      assert.notStrictEqual(authority.servesLive, false)
    }
  })

  it.effect("sends live documents nowhere when no live authority is set up", function* () {
    const live = { ...(yield* submission), livemode: true }
    const layer = AuthorityLive.layerByMode({ test: says("sandbox"), live: undefined })
    const authority = Context.get(yield* Layer.build(layer), Authority)
    assert.isFalse(authority.servesLive)
    assert.deepInclude(yield* outcome(authority.submit(live)), { _tag: "AuthorityUnavailable" })
    assert.deepInclude(yield* outcome(authority.verdict(live)), { _tag: "AuthorityUnavailable" })
    assert.strictEqual((yield* authority.submit({ ...live, livemode: false })).answer, "sandbox")
  })
})

describe("a certificate", () => {
  it.effect("has a description of one line", function* () {
    const { certificate, sign } = fromPem(yield* pem)
    const { validToDate } = new X509Certificate(Buffer.from(certificate, "base64"))
    assert.deepStrictEqual(describeCertificate({ certificate, sign }), {
      subject: "CN=Tienda S.A.S.",
      not_after: validToDate
    })
    assert.isNull(describeCertificate({ certificate: "", sign }))
  })
})
