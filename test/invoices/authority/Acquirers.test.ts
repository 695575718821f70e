import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { Authority } from "../../../src/invoices/authority/Authority.ts"
import * as AuthoritySandbox from "../../../src/invoices/authority/AuthoritySandbox.ts"
import { envelope, faults, service as namespace } from "../../support/authority/StandInAnswers.ts"
import { outcome, setUp } from "./callingAuthority.ts"
import { it } from "../../support/Tests.ts"

const answerOf = (fields: string) => ({
  _tag: "Body" as const,
  xml: `<GetAcquirerResponse xmlns="${namespace}"><GetAcquirerResult xmlns:b="urn:b" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">${fields}</GetAcquirerResult></GetAcquirerResponse>`
})

const asked = Effect.gen(function* () {
  const { authority, document, service } = yield* setUp()
  const { certificate, issuer_nit, livemode } = document
  const question = { certificate, issuer_nit, livemode, type: "31", number: "900000001" } as const
  const ask = Effect.suspend(() => outcome(authority.acquirer!(question)))
  return { ask, service, certificate }
})

describe("the acquirer look-up of the authority", () => {
  it.live(
    "returns the name and email address that the authority has, or null if the acquirer is unknown",
    function* () {
      const { ask, certificate, service } = yield* asked
      for (const [fields, value] of [
        [
          "<b:Message/><b:ReceiverEmail>ana@cliente.test</b:ReceiverEmail><b:ReceiverName>Ana &amp; Eva S.A.S.</b:ReceiverName><b:StatusCode>200</b:StatusCode>",
          { name: "Ana & Eva S.A.S.", email: "ana@cliente.test" }
        ],
        ["<b:ReceiverEmail>ana@cliente.test</b:ReceiverEmail>", { name: null, email: "ana@cliente.test" }],
        ['<b:ReceiverName>Ana</b:ReceiverName><b:ReceiverEmail i:nil="true"/>', { name: "Ana", email: null }],
        [
          "<b:Message>No se encontró</b:Message><b:ReceiverEmail/><b:ReceiverName/><b:StatusCode>404</b:StatusCode>",
          null
        ],
        ["", null]
      ] as const) {
        service.answerTo("GetAcquirer", answerOf(fields))
        assert.deepStrictEqual(yield* ask, { value }, fields)
      }
      const [call] = service.calls
      assert.strictEqual(call?.operation, "GetAcquirer")
      assert.deepStrictEqual(call?.parameters, { identificationType: "31", identificationNumber: "900000001" })
      assert.strictEqual(call?.certificate, certificate.certificate)
      assert.deepStrictEqual(service.refusals, [])
    }
  )

  it.live("returns no result when the call fails", function* () {
    const { ask, service } = yield* asked
    for (const response of [
      { _tag: "Raw", status: 503, type: "text/html", text: "<html>" },
      { _tag: "Raw", status: 500, type: "application/soap+xml", text: envelope(faults.security) },
      { _tag: "Reset", after: "nothing" }
    ] as const) {
      service.answerTo("GetAcquirer", response)
      const answer = yield* ask
      assert.notProperty(answer, "value", JSON.stringify(response))
    }
  })
})

const sandbox = AuthoritySandbox.layer({
  read: () => null,
  latency: 0,
  modeOf: () => Effect.succeed("up"),
  scriptOf: () => Effect.succeed(null)
})

describe("the acquirer look-up of the simulated authority", () => {
  it.effect("finds only the sandbox's own identifications", function* () {
    const { acquirer } = yield* Effect.provide(Authority, sandbox)
    const ask = (type: "13" | "31", number: string) =>
      acquirer!({
        livemode: false,
        issuer_nit: "900373115",
        certificate: { certificate: "", sign: Effect.succeed },
        type,
        number
      })
    for (const nit of ["900000001", "900000002", "900000008"]) {
      assert.deepStrictEqual(yield* ask("31", nit), {
        name: `Adquiriente de Prueba ${nit} S.A.S.`,
        email: `facturas@${nit}.test`
      })
    }
    for (const [type, number] of [
      ["31", "900000009"],
      ["13", "900000001"],
      ["31", "constructor"],
      ["31", ""]
    ] as const) {
      assert.isNull(yield* ask(type, number), `${type}-${number}`)
    }
  })
})
