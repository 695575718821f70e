import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { unzipSync } from "fflate"
import { fromPem, makeSelfSigned } from "../../../src/documents/signature/Certificate.ts"
import { accepted, processedBefore, rejectedBy, unknown } from "../../support/authority/StandInAnswers.ts"
import { grantedRange, rangesAnswer, standInAuthority } from "../../support/authority/StandInAuthority.ts"
import { probeAuthority } from "../../../src/invoices/authority/AuthorityProbe.ts"
import { informingProxy } from "../../support/receiver/InformingProxy.ts"
import { cufe, dian, liveAt, outcome, readCufe, setUp, signed, software, submission } from "./callingAuthority.ts"
import { issue } from "../../webhooks/sender/Certificates.ts"
import { it } from "../../support/Tests.ts"

const last = (name: string | undefined) => Number.parseInt(name?.slice(-12, -4) ?? "", 16)

describe("the authority's web service", () => {
  it.live("receives one document in a correctly named archive, in a signed envelope", function* () {
    const { authority, document, service } = yield* setUp()
    const verdict = yield* authority.submit(document)
    assert.deepStrictEqual(service.refusals, [])
    assert.deepInclude(verdict, { accepted: true, errors: [], notifications: [] })
    assert.deepInclude(verdict.answer, {
      StatusCode: "00",
      IsValid: "true",
      ErrorMessage: [],
      XmlDocumentKey: cufe,
      XmlBase64Bytes: Buffer.from("<ApplicationResponse/>").toString("base64")
    })
    const [call] = service.calls
    assert.strictEqual(call?.operation, "SendBillSync")
    assert.strictEqual(call?.certificate, document.certificate.certificate)
    const arrived = service.documents.get(cufe)
    assert.match(arrived?.xmlName ?? "", /^fv090037311500026[0-9a-f]{8}\.xml$/)
    assert.deepStrictEqual(Buffer.from(arrived?.bytes ?? []), signed)
    const archive = Buffer.from(call?.parameters["contentFile"] ?? "", "base64")
    assert.deepStrictEqual(Object.keys(unzipSync(archive)), [arrived?.xmlName])
  })

  it.live(
    "receives a repeated document under the same names with the same bytes, and other documents under other names",
    function* () {
      const { authority, document, service } = yield* setUp()
      yield* authority.submit(document)
      yield* Effect.exit(authority.submit(document))
      const other = { signed: Buffer.from(`<Invoice cufe="${"cd".repeat(48)}"/>`), cufe: "cd".repeat(48) }
      yield* authority.submit({ ...document, ...other, full_number: "SETP990000002" })
      yield* Effect.exit(authority.submit({ ...document, full_number: "FE1", kind: "credit_note" }))
      const sent = service.calls.map(({ parameters }) => parameters)
      assert.deepStrictEqual(sent[1], sent[0])
      const names = sent.map(({ fileName = "" }) => fileName)
      assert.strictEqual(new Set(names).size, 3)
      assert.strictEqual((last(names[2]) - last(names[0]) + 2 ** 32) % 2 ** 32, 1)
      assert.deepStrictEqual(service.refusals, [])
    }
  )

  it.live("rejects an envelope with a wrong signature", function* () {
    const { authority, document, service } = yield* setUp()
    const { certificate } = fromPem(yield* makeSelfSigned("Otro", new Date()))
    const wrong = { certificate, sign: document.certificate.sign }
    const answer = yield* outcome(authority.submit({ ...document, certificate: wrong }))
    assert.deepInclude(answer, { _tag: "AuthorityRefusal" })
    assert.match(String(service.refusals), /invalid signature/)
    assert.strictEqual(service.calls.length, 0)
  })

  it.live("accepts with notifications, which do not count as errors", function* () {
    const { authority, document, service } = yield* setUp()
    service.judgeBy(() => ({
      ...accepted("SETP990000001", cufe),
      ErrorMessage: [
        "Regla: FAJ43b, Notificación: Nombre informado No corresponde al registrado en el RUT & <otros>.",
        "Aviso sin forma"
      ]
    }))
    const verdict = yield* authority.submit(document)
    assert.isTrue(verdict.accepted)
    assert.deepStrictEqual(verdict.errors, [])
    assert.deepStrictEqual(
      verdict.notifications.map(({ message, rule, severity }) => [rule, severity, message]),
      [
        ["FAJ43b", "notification", "Nombre informado No corresponde al registrado en el RUT & <otros>."],
        ["00", "notification", "Aviso sin forma"]
      ]
    )
    assert.match(verdict.notifications[0]?.hint ?? "", /legal_name/)
  })

  it.live("rejects with the broken rules", function* () {
    const { authority, document, service } = yield* setUp()
    service.judgeBy(() =>
      rejectedBy([
        "Regla: FAD06, Rechazo: Valor del CUFE no está calculado correctamente",
        "Regla: RUT01, Notificación: La validación del estado del RUT próximamente estará disponible.",
        "Algo más está mal"
      ])
    )
    const verdict = yield* authority.submit(document)
    assert.isFalse(verdict.accepted)
    assert.deepStrictEqual(
      verdict.errors.map(({ message, path, rule, severity }) => ({ rule, severity, message, path })),
      [
        {
          rule: "FAD06",
          severity: "rejection",
          message: "Valor del CUFE no está calculado correctamente",
          path: null
        },
        { rule: "99", severity: "rejection", message: "Algo más está mal", path: null }
      ]
    )
    assert.match(verdict.errors[0]?.hint ?? "", /technical_key/)
    assert.deepStrictEqual(
      verdict.notifications.map(({ rule }) => rule),
      ["RUT01"]
    )
    // A second query returns the same verdict.
    assert.deepStrictEqual(yield* authority.verdict(document), verdict)
  })

  it.live("rejects for good with 89 on submission, while 89 to a status query counts as no answer", function* () {
    const { authority, document, service } = yield* setUp()
    const said = "NIT 900373115 no autorizado a enviar documentos para emisor con NIT 900197264."
    service.answerWith(() => dian({ StatusCode: "89", IsValid: "false", StatusDescription: said }))
    assert.deepStrictEqual(yield* outcome(authority.submit(document)), { _tag: "AuthorityRefusal", message: said })
    assert.deepInclude(yield* outcome(authority.verdict(document)), { _tag: "AuthorityUnavailable" })
  })

  it.live.each([
    { what: "the rule", answer: processedBefore },
    { what: "the status", answer: { StatusCode: "90", IsValid: "false", StatusDescription: "TrackId duplicado" } }
  ])("gives no verdict with 90, as $what, until it shows Folio's own document", function* ({ answer }) {
    const { authority, document, service } = yield* setUp()
    service.answerWith(({ operation }) => (operation === "GetXmlByDocumentKey" ? undefined : dian(answer)))
    assert.deepInclude(yield* outcome(authority.submit(document)), { _tag: "AuthorityUnavailable" })
    // The service does not show the document, which may be another one under this number.
    const hidden = yield* outcome(authority.verdict(document))
    assert.deepInclude(hidden, { _tag: "AuthorityUnavailable" })
    const response = accepted("", cufe)
    const arrived = { cufe, fileName: "", xmlName: "", bytes: signed, times: 1, response }
    service.documents.set(cufe, { ...arrived, bytes: Buffer.from(`<Invoice cufe="${"ef".repeat(48)}"/>`) })
    assert.deepInclude(yield* outcome(authority.verdict(document)), { _tag: "AuthorityUnavailable" })
    service.documents.set(cufe, arrived)
    assert.deepInclude(yield* authority.verdict(document), { accepted: true, errors: [], notifications: [] })
  })

  it.live("shows by the code alone whether a document arrived", function* () {
    const { authority, document, service } = yield* setUp()
    assert.isNull(yield* authority.verdict(document))
    service.answerTo("SendBillSync", { _tag: "Reset", after: "work" })
    assert.deepInclude(yield* outcome(authority.submit(document)), { _tag: "AuthorityUnavailable" })
    assert.deepInclude(yield* authority.verdict(document), { accepted: true })
    assert.deepStrictEqual(
      service.calls.map(({ operation }) => operation),
      ["GetStatus", "SendBillSync", "GetStatus"]
    )
  })

  it.live("has its acceptance without a document code trusted only if it shows the document", function* () {
    const { authority, document, service } = yield* setUp()
    service.answerTo("GetStatus", dian({ ...accepted("A1", cufe), XmlDocumentKey: null }))
    assert.deepInclude(yield* outcome(authority.verdict(document)), { _tag: "AuthorityUnavailable" })
    yield* authority.submit(document)
    assert.deepInclude(yield* authority.verdict(document), { accepted: true })
  })

  it.live("counts as unavailable if it doesn't know a document right after submission", function* () {
    const { authority, document, service } = yield* setUp()
    service.answerWith(() => dian(unknown))
    assert.deepInclude(yield* outcome(authority.submit(document)), { _tag: "AuthorityUnavailable" })
  })

  it.live("serves over TLS, with a trusted certificate that names it", function* () {
    const root = issue({ name: "Test authority", isCa: true })
    const tls = issue({ name: "127.0.0.1", names: ["127.0.0.1"] }, root)
    const service = yield* standInAuthority({ readCufe, tls })
    const document = yield* submission
    const trusting = yield* liveAt(service.url, { ca: root.cert })
    assert.deepInclude(yield* trusting.submit(document), { accepted: true })
    const strangers = [
      yield* liveAt(service.url),
      yield* liveAt(service.url.replace("127.0.0.1", "localhost"), { ca: root.cert })
    ]
    for (const authority of strangers) {
      assert.deepInclude(yield* outcome(authority.submit(document)), { _tag: "AuthorityUnavailable" })
    }
    assert.strictEqual(service.calls.length, 1)
    assert.deepStrictEqual(service.refusals, [])
  })

  it.live("may send unrequested informational answers before the final one", function* () {
    const { document, service } = yield* setUp()
    const authority = yield* liveAt(yield* informingProxy(service.url))
    // The envelope names the address of the proxy, so the final answer rejects it.
    assert.deepInclude(yield* outcome(authority.submit(document)), { _tag: "AuthorityRefusal" })
    assert.isNull((yield* probeAuthority(yield* informingProxy(service.url))).trouble)
  })

  it.live("returns the ranges of an issuer", function* () {
    const { authority, document, service } = yield* setUp()
    service.answerWith(() => rangesAnswer([grantedRange, { ...grantedRange, Prefix: "" }]))
    const found = yield* authority.ranges!(document)
    const expected = {
      number: "18764000001",
      from_number: "1",
      to_number: "5000",
      valid_from: "2026-01-19",
      valid_to: "2028-01-19",
      technical_key: "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c"
    }
    assert.deepStrictEqual(found, [
      { ...expected, prefix: "FE" },
      { ...expected, prefix: "" }
    ])
    assert.deepStrictEqual(service.calls[0]?.parameters, {
      accountCode: "900373115",
      accountCodeT: "900373115",
      softwareCode: software.id
    })
    service.answerWith(() => rangesAnswer([]))
    assert.deepStrictEqual(yield* authority.ranges!(document), [])
    service.answerWith(() => rangesAnswer([], "301"))
    assert.deepStrictEqual(yield* outcome(authority.ranges!(document)), {
      _tag: "AuthorityRefusal",
      message: "Dicho"
    })
  })
})
