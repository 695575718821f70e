import { assert, describe, it } from "@effect/vitest"
import { signatureHeaders } from "../../../src/webhooks/rules/WebhookSignature.ts"
import { differences } from "../../../src/portal/sandbox/Differences.ts"
import { faultWords } from "../../../src/portal/sandbox/FaultWords.ts"
import { headersOf } from "../../../src/portal/sandbox/HeaderLines.ts"
import { check, type Known } from "../../../src/portal/sandbox/SignatureCheck.ts"
import { faults } from "../../../src/clients/typescript/Faults.ts"

/*
 * Signs webhooks as Folio does, and then makes one mistake that happens to receivers. The check must name that mistake.
 */

const secretOf = (seed: number) => `whsec_${Buffer.alloc(32, seed).toString("base64")}`
const endpoint = (seed: number) => ({
  id: `we_${seed}`,
  url: `https://shop${seed}.example.com/hook`,
  secret: secretOf(seed)
})
const shop = endpoint(1)
const other = endpoint(2)
const old = secretOf(3)

const time = 1_795_273_200
const eventId = "evt_01m84dp6m9t1kkgbzwwa14fgyb"
const event = JSON.stringify({
  id: eventId,
  object: "event",
  type: "invoice.accepted_by_authority",
  created: "2026-11-23T10:00:00-05:00",
  livemode: false,
  account: "ten_1",
  data: { object: { id: "inv_1", url: "https://folio.test/ñ", total: "1190.10", lines: [{ a: "1" }, { a: "2" }] } }
})
const headers = (secret: string) =>
  signatureHeaders({ secret, messageId: eventId, timestamp: time, body: event }) as Record<string, string>
const lines = (given: Readonly<Record<string, string | undefined>>) =>
  Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\r\n")

interface Pasted {
  readonly body: string
  readonly headers: string
  readonly secret: string
  readonly now: number
}
const right: Pasted = { body: event, headers: lines(headers(shop.secret)), secret: shop.secret, now: time }
const known: Known = { endpoints: [shop, other], event }

const checked = (change: Partial<Pasted>, knows: Partial<Known> = {}) => {
  const { body, headers: text, now, secret } = { ...right, ...change }
  return check({ body, secret, headers: headersOf(text), now: new Date(now * 1000) }, { ...known, ...knows })
}

const svcOf = (secret: string) => headers(secret)["Svc-Signature"]!
const pretty = (lineBreak: string) => JSON.stringify(JSON.parse(event), null, 2).replaceAll("\n", lineBreak)

const wrong: ReadonlyArray<readonly [what: string, fault: string, change: Partial<Pasted>]> = [
  ["the secret of another endpoint", "secret_of_another", { secret: other.secret }],
  ["a secret that was replaced before the webhook was sent", "secret_not_current", { secret: old }],
  [
    "a secret that was replaced after the webhook was sent",
    "secret_old",
    { secret: old, headers: lines(headers(old)) }
  ],
  ["a pretty-printed body, with the line breaks of a form", "body_reserialized", { body: pretty("\r\n") }],
  ["a pretty-printed body", "body_reserialized", { body: pretty("\n") }],
  [
    "a body with its keys in another order",
    "body_reserialized",
    { body: JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(event)).toReversed())) }
  ],
  [
    "a body whose numbers and order were changed by another language",
    "body_reserialized",
    { body: JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(event)).toSorted())).replaceAll('":', '": ') }
  ],
  ["a body in which an amount was changed", "body_altered", { body: event.replace("1190.10", "1190.1") }],
  ["a body that was cut", "body_changed", { body: event.slice(0, -40) }],
  ["a body with a line break at its end", "body_final_newline", { body: `${event}\r\n` }],
  ["a body in base64", "body_base64", { body: Buffer.from(event).toString("base64") }],
  ["a body that was read in another encoding", "body_encoding", { body: Buffer.from(event).toString("latin1") }],
  ["a body that was parsed before", "body_parsed", { body: "[object Object]" }],
  ["no body", "body_empty", { body: "" }],
  ["a clock that is 900 s ahead", "too_old", { now: time + 900 }],
  ["a clock that is 900 s behind", "in_the_future", { now: time - 900 }],
  ["another header", "header_name", { headers: `X-Hub-Signature: ${svcOf(shop.secret)}` }],
  ["no signature header", "header_missing", { headers: "content-type: application/json" }],
  [
    "a webhook-signature without its id and time",
    "header_incomplete",
    { headers: lines({ "webhook-signature": headers(shop.secret)["webhook-signature"] }) }
  ],
  [
    "the value of the other scheme",
    "header_scheme",
    {
      headers: lines({
        ...headers(shop.secret),
        "Svc-Signature": headers(shop.secret)["webhook-signature"],
        "webhook-signature": undefined
      })
    }
  ],
  ["a time in milliseconds", "time_milliseconds", { headers: svcOf(shop.secret).replace(`${time}`, `${time}000`) }],
  ["a signature that was cut", "signature_length", { headers: svcOf(shop.secret).slice(0, -6) }],
  [
    "a signature in capitals",
    "signature_upper_case",
    { headers: svcOf(shop.secret).replace(/(?<=v1=).*/, (one) => one.toUpperCase()) }
  ],
  ["a secret without whsec_", "secret_no_prefix", { secret: shop.secret.slice(6) }],
  ["a secret in quotes", "secret_quoted", { secret: `"${shop.secret}"` }],
  ["half a secret", "secret_cut", { secret: shop.secret.slice(0, 34) }],
  [
    "the id of another message",
    "webhook_id",
    { headers: lines({ ...headers(shop.secret), "Svc-Signature": undefined, "webhook-id": "msg_1" }) }
  ]
]

const deep = (leaf: string) => `${'{"a":'.repeat(5_000)}${leaf}${"}".repeat(5_000)}`
const wide = (from: number) => JSON.stringify(Array.from({ length: 1_000 }, (_, index) => index + from))

describe("The check of a pasted webhook", () => {
  it("finds no fault in a genuine webhook, with headers pasted in any form", async () => {
    const all = headers(shop.secret)
    for (const text of [
      right.headers,
      svcOf(shop.secret),
      `svc-signature: ${svcOf(shop.secret)}`,
      `-H 'Svc-Signature: ${svcOf(shop.secret)}'`,
      JSON.stringify(all),
      JSON.stringify({ "content-type": "application/json", ...all }),
      lines({ ...all, "Svc-Signature": undefined })
    ]) {
      const { faults: found, isSigned, pasted, signer } = await checked({ headers: text })
      assert.deepStrictEqual(
        { found, isSigned, pasted: pasted?.id, signer: signer?.id },
        { found: [], isSigned: true, pasted: "we_1", signer: "we_1" },
        text
      )
    }
  })

  it("finds the endpoint whose secret signed the webhook, without a pasted secret", async () => {
    const { faults: found, signer } = await checked({ secret: "", headers: lines(headers(other.secret)) })
    assert.deepStrictEqual([found, signer?.id], [[], "we_2"])
    const unknown = await checked({ secret: "", headers: lines(headers(old)) })
    assert.deepStrictEqual([unknown.faults, unknown.isSigned], [["mismatch"], false])
    assert.deepStrictEqual((await checked({ secret: "" }, { endpoints: [] })).faults, ["secret_missing"])
  })

  for (const [what, fault, change] of wrong) {
    it(`names ${what}`, async () => {
      const { faults: found } = await checked(change)
      assert.strictEqual(found[0], fault, JSON.stringify(found))
      for (const language of ["en", "es"] as const) {
        assert.isTrue(found.every((one) => faultWords(language, one).every((words) => words.length > 10)))
      }
    })
  }

  it("names the changed part of the body, and confirms that the signature fits the sent body", async () => {
    const { differing, isSigned, signer } = await checked({
      body: event.replace("1190.10", "1190.1").replace('"a":"2"', '"a":2')
    })
    assert.deepStrictEqual(
      { differing, isSigned, signer: signer?.id },
      { differing: ["data.object.total", "data.object.lines.1.a"], isSigned: true, signer: "we_1" }
    )
  })

  it("names the endpoint whose secret signed the webhook, if the pasted secret is another", async () => {
    const { pasted, signer } = await checked({ secret: other.secret })
    assert.deepStrictEqual([pasted?.id, signer?.id], ["we_2", "we_1"])
  })

  it("names several faults together", async () => {
    const { faults: found } = await checked({ secret: other.secret, body: pretty("\r\n"), now: time + 1_000 })
    assert.sameMembers([...found], ["secret_of_another", "body_reserialized", "too_old"])
  })

  it("works without the event, and with an invented event", async () => {
    assert.deepStrictEqual((await checked({}, { event: null })).faults, [])
    const foreign = JSON.stringify({ id: eventId, object: "event", type: "x" })
    const { faults: found, isSigned } = await checked({ body: foreign })
    assert.deepStrictEqual([found[0], isSigned], ["body_altered", true])
    const neither = await checked({ body: foreign, headers: lines(headers(old)) })
    assert.deepStrictEqual([neither.faults[0], neither.isSigned], ["body_altered", false])
  })

  it("reads no more headers than verification does, and few that only look like a signature", () => {
    const many = Array.from({ length: 90 }, (_, index) => `X-${index}: ${svcOf(old)}`).join("\n")
    assert.lengthOf(headersOf(many), 2)
    assert.lengthOf(headersOf(`${right.headers}\r\n${right.headers}\r\nhost: a.test`), 4)
  })

  it("reveals nothing of a secret after a guess of its beginning", async () => {
    const { faults: found } = await checked({ secret: shop.secret.slice(0, 20) })
    assert.deepStrictEqual(found, ["secret_not_current"])
  })

  it("has words for every fault in both languages", () => {
    for (const fault of Object.keys(faults) as ReadonlyArray<keyof typeof faults>) {
      const [english, spanish] = [faultWords("en", fault), faultWords("es", fault)]
      assert.isTrue(
        english.every((words, index) => words !== spanish[index]),
        fault
      )
    }
  })

  it("compares texts that are no JSON, or that are deeply nested", () => {
    assert.deepStrictEqual(differences("{", "{"), [])
    assert.deepStrictEqual(differences('{"a":1}', "nothing"), [""])
    assert.lengthOf(differences(deep("1"), deep("2")), 1)
    assert.lengthOf(differences(wide(0), wide(1)), 8)
  })

  it("takes a moment for any pasted text, for any depth and any number of line breaks", async () => {
    const nested = "[".repeat(6_000) + "]".repeat(6_000)
    for (const body of [
      `${"\n".repeat(99_000)}x`,
      `${"\r".repeat(99_000)}x`,
      "[".repeat(50_000) + "]".repeat(50_000),
      `[${Array.from({ length: 8 }, () => nested).join(",")}]`,
      `${"[".repeat(15)}${"1,".repeat(40_000)}1${"]".repeat(15)}`
    ]) {
      const began = performance.now()
      const { isSigned } = await checked({ body, secret: "" })
      assert.isFalse(isSigned)
      // A search for line breaks by a pattern, and deep JSON with white space, would take half a minute in one turn and
      // 700 MB.
      assert.isBelow(performance.now() - began, 5_000, body.slice(0, 10))
    }
  })
})
