import { assert, describe, it } from "@effect/vitest"
import { redactor } from "../../../src/runtime/telemetry/Redaction.ts"

const key = `sk_live_${"a1B2".repeat(12)}`
const secret = `whsec_${Buffer.alloc(32, 251).toString("base64")}`

const cases: ReadonlyArray<readonly [what: string, text: string, shown: string]> = [
  ["an API key", `no such key: ${key}.`, "no such key: sk_live_…."],
  ["an API key in a URL", `/v1/account?key=${key}&a=b`, "/v1/account?key=sk_live_…&a=b"],
  ["a signing secret", `signed with "${secret}"`, 'signed with "whsec_…"'],
  ["a bearer token of any form", "authorization: Bearer abc.def-ghi", "authorization: Bearer …"],
  ["basic credentials", '{"Authorization":"Basic dXNlcjpwYXNz"}', '{"Authorization":"Basic …"}'],
  [
    "an API key in base64",
    `user name ${Buffer.from(`${key}:`).toString("base64")}, password none`,
    "user name sk_…, password none"
  ],
  ["the token of a link to the portal", "GET /portal/enter/aB-c_1?to=x", "GET /portal/enter/…?to=x"],
  ["a portal token in a misspelled link", "GET //portal//Enter//aB-c_1", "GET //portal//Enter//…"],
  ["the password of a URL", "postgres://folio:p%40ss:w0rd@db:5432/folio", "postgres://folio:…@db:5432/folio"],
  ["a link to the portal", `GET /portal/enter/${"aB_-".repeat(10)}xyz 404`, "GET /portal/enter/… 404"],
  ["a password without a user", "connect https://:hunter2@example.com/x", "connect https://:…@example.com/x"],
  ["a setting's secret, word for word", "it was s3cr+t/==!", "it was …!"],
  ["a setting's secret in a URL", "it was s3cr%2Bt%2F%3D%3D!", "it was …!"]
]

describe("Redaction", () => {
  it.each(cases)("removes %s", (_what, text, shown) => {
    const redact = redactor(["s3cr+t/=="])
    assert.strictEqual(redact(text), shown)
    assert.strictEqual(JSON.parse(redact(JSON.stringify({ text }))).text, shown)
  })

  it("leaves other text unchanged", () => {
    const text =
      "Folio listens on http://127.0.0.1:3000/docs; user@example.com; sk_ and whsec_ are prefixes; a secret is 1"
    assert.strictEqual(redactor(["1", ""])(text), text)
  })
})
