import { Effect } from "effect"
import { assert } from "@effect/vitest"
import { type ReceivedWebhook, verify, WebhookVerificationError } from "@folio-einvoicing/client/webhooks"
import { signatureHeaders } from "../../../src/webhooks/rules/WebhookSignature.ts"
import { it } from "../../support/Tests.ts"
import { languages, run } from "./Languages.ts"

type Headers = Readonly<Record<string, string | ReadonlyArray<string>>>

/** A webhook as a receiver may get it. `payload` is null if a body is already parsed. Times are in Unix seconds. */
interface Vector {
  readonly payload: Buffer | null
  readonly headers: Headers
  readonly secret: string | ReadonlyArray<string>
  readonly now: number
  readonly tolerance: number
}

const secret = "whsec_Zm9saW8gdGVzdCBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="
const other = "whsec_b3RoZXIgdGVzdCBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="
const oddSecrets = ["whsec_bm9wYWRkaW5n", "whsec_cGFkZGluZw=="]
const event = '{"id":"evt_1","object":"event","type":"invoice.failed","data":{"object":{"note":"ñ","total":"10.10"}}}'
const sent = 1_795_273_200
const zeros = "0".repeat(64)

const signed = (body: string, by = secret) =>
  signatureHeaders({ secret: by, messageId: "evt_1", timestamp: sent, body })
const { "Svc-Signature": svc = "", ...standard } = signed(event)
const standardSignature = standard["webhook-signature"] ?? ""

const given: Vector = { payload: Buffer.from(event), headers: signed(event), secret, now: sent, tolerance: 300 }

const headers: ReadonlyArray<Headers> = [
  { ...standard, "Svc-Signature": svc },
  { "svc-signature": svc },
  standard,
  { "SVC-SIGNATURE": [svc] },
  { "svc-signature": `${svc},v1=${zeros}` },
  { "svc-signature": `v1=${zeros}, ${svc} ,v0=1` },
  { "svc-signature": [svc, `v1=${zeros}`] },
  { ...standard, "svc-signature": "nonsense" },
  { ...standard, "svc-signature": `t=${sent},v1=${zeros}` },
  { ...standard, "webhook-signature": `v1,AAAA v2,x ${standardSignature}` },
  { ...standard, "webhook-signature": `v1a,${standardSignature.slice(3)}` },
  { ...standard, "webhook-signature": standardSignature.toLowerCase() },
  { ...standard, "webhook-timestamp": String(sent + 1) },
  { ...standard, "webhook-timestamp": ` ${sent}` },
  { ...standard, "webhook-timestamp": `${sent}\n` },
  { ...standard, "webhook-timestamp": "1".repeat(13) },
  { ...standard, "webhook-id": "evt_2" },
  {},
  { "content-type": "application/json" },
  { "webhook-id": "evt_1", "webhook-timestamp": String(sent) },
  { "svc-signature": "" },
  { "svc-signature": `${svc},t=${sent}` },
  { "svc-signature": `t=${sent}` },
  { "svc-signature": `t=now,v1=${zeros}` },
  { "svc-signature": `t=-${sent},v1=${zeros}` },
  { "svc-signature": `t=${"9".repeat(12)},v1=${zeros}` },
  { "svc-signature": `t=${"9".repeat(13)},v1=${zeros}` },
  { "svc-signature": `t=٣,v1=${zeros}` },
  { "svc-signature": svc.toUpperCase() },
  { "svc-signature": svc.slice(0, -1) },
  { "svc-signature": `t=${sent},v1=` },
  { "svc-signature": `t=${sent},v1=ñ${zeros}` }
]

const bodies = [
  "",
  "null",
  "5",
  "[]",
  "{}",
  '["event"]',
  '{"object":"list","type":"a"}',
  '{"object":"event"}',
  '{"object":"event","type":"a"',
  '{"object":"event","type":"a","x":NaN}',
  '\uFEFF{"object":"event","type":"a"}',
  ' {"object":"event","type":"a"} ',
  '{"object":"event","type":"a","type":"b","n":12345678901234567890}'
]

/** The bytes with each one from this index on changed, one at a time. */
const changed = [0, 1, 50, event.length].map((at) => {
  const bytes = Buffer.from(event)
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  return bytes
})

const vectors: ReadonlyArray<Vector> = [
  ...headers.flatMap((one) =>
    [secret, other, [other, secret]].map((by): Vector => ({ ...given, headers: one, secret: by }))
  ),
  ...[-901, -301, -300, 0, 300, 301, 901].flatMap((offset) =>
    [0, 300, 900].map((tolerance) => ({ ...given, now: sent + offset, tolerance }))
  ),
  // The webhook is genuine for the second secret, but too old: this helps the receiver more than the first mismatch.
  { ...given, secret: [other, secret], now: sent + 301 },
  { ...given, headers: { ...standard, "svc-signature": "nonsense" }, now: sent + 301 },
  ...["", "whsec_", "wrong", [], ["", "whsec_"]].map((none) => ({
    ...given,
    secret: none,
    headers: signed(event, "whsec_")
  })),
  { ...given, secret: ["", secret] },
  { ...given, payload: null },
  ...changed.map((payload) => ({ ...given, payload })),
  ...bodies.map((body) => ({ ...given, payload: Buffer.from(body), headers: signed(body) })),
  ...oddSecrets.flatMap((by) => {
    const { "Svc-Signature": _, ...alone } = signed(event, by)
    return [signed(event, by), alone].map((one) => ({ ...given, secret: by, headers: one }))
  })
]

const verdict = async ({ headers: names, now, payload, secret: secrets, tolerance }: Vector): Promise<string> => {
  try {
    const webhook = { headers: names, secret: secrets, now: new Date(now * 1000), toleranceSeconds: tolerance }
    return (await verify({ ...webhook, payload: payload as ReceivedWebhook["payload"] })).type
  } catch (error) {
    return error instanceof WebhookVerificationError ? error.reason : String(error)
  }
}

/** The names of headers in WSGI and in PHP's $_SERVER. */
const asServerVariables = (names: Headers): Headers =>
  Object.fromEntries(
    Object.entries(names).map(([name, value]) => [`HTTP_${name.toUpperCase().replaceAll("-", "_")}`, value])
  )

const written = (one: Vector) => ({ ...one, payload: one.payload?.toString("base64") ?? null })

for (const language of languages.slice(0, 2)) {
  it.live.skipIf(!language.isThere)(
    `the verifier in ${language.name} returns the same result as the one in TypeScript`,
    function* () {
      const expected = yield* Effect.promise(() => Promise.all(vectors.map(verdict)))
      const reasons = ["missing", "malformed", "mismatch", "expired", "not_an_event", "unusable"]
      assert.includeMembers(expected, [...reasons, "invoice.failed"])
      const asked = [...vectors, ...vectors.map((one) => ({ ...one, headers: asServerVariables(one.headers) }))]
      const stdin = JSON.stringify(asked.map(written))
      const verdicts: ReadonlyArray<string> = JSON.parse(yield* run(language, language.file("verdicts"), { stdin }))
      const differences = asked
        .map((one, index) => ({ ...one, expected: expected[index % expected.length], is: verdicts[index] }))
        .filter((one) => one.expected !== one.is)
      assert.deepStrictEqual(differences, [])
    }
  )
}
