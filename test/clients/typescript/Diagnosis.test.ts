import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { diagnose, type SuspectWebhook } from "../../../src/clients/typescript/Diagnosis.ts"
import { type Fault, faults } from "../../../src/clients/typescript/Faults.ts"
import { signatureHeaders } from "../../../src/webhooks/rules/WebhookSignature.ts"

/*
 * Signs a webhook as Folio does, and then makes one mistake that receivers make. The diagnosis must name that mistake.
 */

const secretOf = (seed: number) => `whsec_${Buffer.alloc(32, seed).toString("base64")}`

interface Signed {
  readonly body: string
  readonly headers: Readonly<Record<"Svc-Signature" | "webhook-id" | "webhook-timestamp" | "webhook-signature", string>>
  readonly secret: string
  readonly time: number
}

const bytes = (text: string, encoding: BufferEncoding = "utf8") => new Uint8Array(Buffer.from(text, encoding))
const entries = (headers: Readonly<Record<string, string>>) => Object.entries(headers)

/** The webhook with only one of its two signatures. */
const svc = ({ headers }: Signed) => ({ "Svc-Signature": headers["Svc-Signature"] })
const standard = ({ headers }: Signed) => ({
  "webhook-id": headers["webhook-id"],
  "webhook-timestamp": headers["webhook-timestamp"],
  "webhook-signature": headers["webhook-signature"]
})

const intact = (signed: Signed): SuspectWebhook => ({
  body: bytes(signed.body),
  headers: entries(signed.headers),
  secrets: [signed.secret],
  now: new Date(signed.time * 1000)
})

type Break = (signed: Signed) => Partial<SuspectWebhook>

const withBody =
  (change: (body: string) => string | Uint8Array): Break =>
  (signed) => {
    const body = change(signed.body)
    return { body: typeof body === "string" ? bytes(body) : body }
  }
const withSecret =
  (change: (secret: string) => string): Break =>
  ({ secret }) => ({ secrets: [change(secret)] })
const withSvc =
  (change: (value: string, signed: Signed) => string): Break =>
  (signed) => ({
    headers: [["Svc-Signature", change(signed.headers["Svc-Signature"], signed)]]
  })
const withStandard =
  (change: Readonly<Record<string, (value: string, signed: Signed) => string>>): Break =>
  (signed) => ({
    headers: entries(standard(signed)).map(([name, value]) => [name, change[name]?.(value, signed) ?? value])
  })
const sorted = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .toSorted(([one], [other]) => (one < other ? -1 : 1))
          .map(([name, one]) => [name, sorted(one)])
      )
    : value

const breaks: ReadonlyArray<readonly [what: string, fault: Fault, change: Break]> = [
  [
    "a body that was pretty-printed",
    "body_reserialized",
    withBody((body) => JSON.stringify(JSON.parse(body), null, 2))
  ],
  [
    "a body with other white space",
    "body_reserialized",
    withBody((body) => body.replaceAll('":', '": ').replaceAll(',"', ', "'))
  ],
  ["a body with other escapes", "body_reserialized", withBody((body) => body.replaceAll("/", String.raw`\/`))],
  ["a body with its keys sorted", "body_reserialized", withBody((body) => JSON.stringify(sorted(JSON.parse(body))))],
  ["a body as a text of JSON", "body_reserialized", withBody((body) => JSON.stringify(body))],
  ["a body with a newline", "body_final_newline", withBody((body) => `${body}\n`)],
  ["a body with a newline of Windows", "body_final_newline", withBody((body) => `${body}\r\n`)],
  ["a body with a byte order mark", "body_byte_order_mark", withBody((body) => `\ufeff${body}`)],
  ["a body in base64", "body_base64", withBody((body) => Buffer.from(body).toString("base64"))],
  ["a body in ISO 8859-1", "body_encoding", withBody((body) => bytes(body, "latin1"))],
  [
    "a body whose UTF-8 was read as ISO 8859-1",
    "body_encoding",
    withBody((body) => Buffer.from(body).toString("latin1"))
  ],
  ["a body that was cut", "body_changed", withBody((body) => body.slice(0, -1))],
  ["a body that was parsed", "body_parsed", withBody(() => "[object Object]")],
  ["no body", "body_empty", withBody(() => "")],
  ["another body", "mismatch", withBody((body) => body.replace("10.10", "10.11"))],
  ["another secret", "mismatch", withSecret(() => secretOf(251))],
  ["no secret", "secret_missing", withSecret(() => "")],
  ["a secret without whsec_", "secret_no_prefix", withSecret((secret) => secret.slice("whsec_".length))],
  ["a secret with a newline", "secret_white_space", withSecret((secret) => `${secret}\n`)],
  [
    "a secret broken into two lines",
    "secret_white_space",
    withSecret((secret) => `${secret.slice(0, 20)}\n${secret.slice(20)}`)
  ],
  ["a secret in quotes", "secret_quoted", withSecret((secret) => `"${secret}"`)],
  ["a secret without its end", "secret_cut", withSecret((secret) => secret.slice(0, -1))],
  ["half a secret", "secret_cut", withSecret((secret) => secret.slice(0, 30))],
  ["no header", "header_missing", () => ({ headers: [["content-type", "application/json"]] })],
  [
    "a header of another name",
    "header_name",
    (signed) => ({ headers: [["X-Signature", signed.headers["Svc-Signature"]]] })
  ],
  [
    "a header of CGI",
    "header_name",
    (signed) => ({ headers: [["HTTP_SVC_SIGNATURE", signed.headers["Svc-Signature"]]] })
  ],
  [
    "the other scheme's value in Svc-Signature",
    "header_scheme",
    (signed) => ({
      headers: entries({
        ...standard(signed),
        "webhook-signature": "",
        "Svc-Signature": signed.headers["webhook-signature"]
      }).filter(([, value]) => value !== "")
    })
  ],
  [
    "Svc-Signature's value in webhook-signature",
    "header_scheme",
    withStandard({ "webhook-signature": (_, signed) => signed.headers["Svc-Signature"] })
  ],
  ["a header in quotes", "header_quoted", withSvc((value) => `'${value}'`)],
  ["a header with its name", "header_quoted", withSvc((value) => `Svc-Signature: ${value}`)],
  [
    "no webhook-id",
    "header_incomplete",
    (signed) => ({ headers: entries(standard(signed)).filter(([name]) => name !== "webhook-id") })
  ],
  [
    "no webhook-timestamp",
    "header_incomplete",
    (signed) => ({ headers: entries(standard(signed)).filter(([name]) => name !== "webhook-timestamp") })
  ],
  ["another webhook-id", "webhook_id", withStandard({ "webhook-id": () => "msg_1" })],
  ["no time", "time_missing", withSvc((value) => value.replace(/^t=\d+,/, ""))],
  ["no signature", "signature_missing", withSvc((value) => value.replace(/,v1=.*/, ""))],
  ["no v1 in webhook-signature", "signature_missing", withStandard({ "webhook-signature": (value) => value.slice(3) })],
  ["a time in words", "time_malformed", withSvc((value) => value.replace(/t=\d+/, "t=now"))],
  ["a time in milliseconds", "time_milliseconds", withSvc((value) => value.replace(/t=(\d+)/, "t=$1000"))],
  ["a timestamp in milliseconds", "time_milliseconds", withStandard({ "webhook-timestamp": (value) => `${value}000` })],
  [
    "a signature in upper case",
    "signature_upper_case",
    withSvc((value) => value.replace(/v1=.*/, (one) => `v1=${one.slice(3).toUpperCase()}`))
  ],
  ["a signature that was cut", "signature_length", withSvc((value) => value.slice(0, -4))],
  [
    "a webhook-signature that was cut",
    "signature_length",
    withStandard({ "webhook-signature": (value) => value.slice(0, -4) })
  ],
  ["a signature of other letters", "signature_not_hexadecimal", withSvc((value) => value.replace(/v1=../, "v1=zz"))],
  [
    "a webhook-signature of other letters",
    "signature_not_base64",
    withStandard({ "webhook-signature": () => "v1,****" })
  ],
  ["a clock that is ahead", "too_old", ({ time }) => ({ now: new Date((time + 301) * 1000) })],
  ["a clock that is behind", "in_the_future", ({ time }) => ({ now: new Date((time - 301) * 1000) })]
]

const checked = (one: Signed, change: Partial<SuspectWebhook> = {}) =>
  Effect.promise(() => diagnose({ ...intact(one), ...change }))

// A key of zeros is the same key at any length.
const seeds = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 250 }))
const times = Schema.Int.check(Schema.isBetween({ minimum: 1_000_000_000, maximum: 4_000_000_000 }))
const notes = Schema.String.check(Schema.isMaxLength(20))

const signedBy = (seed: number, time: number, note: string): Signed => {
  const secret = secretOf(seed)
  // Every event has a non-ASCII letter, a slash and an amount, which some of the changes need.
  const body = JSON.stringify({
    id: `evt_${seed}`,
    object: "event",
    type: "invoice.failed",
    created: "2026-11-23T10:00:00-05:00",
    livemode: false,
    account: "ten_1",
    data: { object: { url: "https://folio.test/ñ", total: "10.10", note: note.replaceAll(/[^\u0020-\u007e]/g, "é") } }
  })
  const headers = signatureHeaders({ secret, messageId: `evt_${seed}`, timestamp: time, body })
  return { body, secret, time, headers: headers as Signed["headers"] }
}

describe("the diagnosis of a webhook", () => {
  it.effect.prop(
    "finds no fault in a genuine webhook, with either signature and with one of several secrets",
    [seeds, times, notes],
    Effect.fnUntraced(function* ([seed, time, note]) {
      const signed = signedBy(seed, time, note)
      for (const headers of [signed.headers, svc(signed), standard(signed)]) {
        const secrets = [secretOf(251), signed.secret]
        const { faults: found, isSigned, secret } = yield* checked(signed, { headers: entries(headers), secrets })
        assert.deepStrictEqual({ found, isSigned, secret }, { found: [], isSigned: true, secret: 1 })
      }
    })
  )

  for (const [what, fault, change] of breaks) {
    it.effect.prop(
      `names ${what}`,
      [seeds, times, notes],
      Effect.fnUntraced(function* ([seed, time, note]) {
        const signed = signedBy(seed, time, note)
        const { faults: found } = yield* checked(signed, change(signed))
        assert.strictEqual(found[0], fault, JSON.stringify(found))
      }),
      { arbitrary: { runs: 20 } }
    )
  }

  it("states how far the clock is off, and that the signature is right", async () => {
    const signed = signedBy(1, 1_795_273_200, "")
    const late = await diagnose({ ...intact(signed), now: new Date((signed.time + 1234) * 1000) })
    assert.deepStrictEqual(late, { faults: ["too_old"], isSigned: true, scheme: "svc", secret: 0, ageSeconds: 1234 })
  })

  it("names several faults together", async () => {
    const signed = signedBy(1, 1_795_273_200, "")
    const { faults: found } = await diagnose({
      body: bytes(`${signed.body}\n`),
      headers: [["X-Signature", signed.headers["Svc-Signature"]]],
      secrets: [` ${signed.secret}`],
      now: new Date((signed.time + 900) * 1000)
    })
    assert.sameMembers([...found], ["secret_white_space", "header_name", "body_final_newline", "too_old"])
  })

  it("agrees with the result of the verification", async () => {
    const signed = signedBy(1, 1_795_273_200, "")
    const { "Svc-Signature": value } = signatureHeaders({
      secret: signed.secret,
      messageId: "x",
      timestamp: signed.time,
      body: "[]"
    })
    const given = { ...intact(signed), body: bytes("[]"), headers: [["Svc-Signature", value ?? ""]] as const }
    assert.deepStrictEqual((await diagnose(given)).faults, ["not_an_event"])
  })

  it("has a case in these tests for every fault", () => {
    const named = new Set<string>([...breaks.map(([, fault]) => fault), "not_an_event"])
    assert.deepStrictEqual(
      Object.keys(faults).filter((fault) => !named.has(fault)),
      []
    )
  })
})
