import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { EgressGuard } from "../../../src/webhooks/sender/EgressGuard.ts"
import { Refusal } from "../../../src/portal/frame/Refusal.ts"
import { inLanguage, languageOfMessage } from "../../../src/portal/frame/SpanishRefusals.ts"
import { FakeInternet } from "../../webhooks/sender/FakeInternet.ts"

const refusalOf = (code: string, message: string) =>
  new Refusal({
    status: 400,
    code,
    message,
    errors: [{ param: "x", code: "parameter_invalid", message }],
    requestId: null
  })

const spanishOf = (code: string, message: string) => inLanguage("es", refusalOf(code, message)).message

it("an error appears in Spanish to a reader of Spanish, with the right value", () => {
  const digit =
    'identification.check_digit "5" does not fit the number 900123456: for this number it is "8". Check both.'
  const delay = "next[0].delay must be a whole number from 1 to 60."
  for (const [code, message, right] of [
    ["invalid_check_digit", digit, /\b8\b/],
    ["parameter_missing", "legal_name is required.", /^[^(]+$/],
    ["parameter_invalid", delay, /\b1\b[^]*\b60\b/],
    ["parameter_invalid", "city_code must be the five digits of a municipality.", /^[^(]+$/],
    ["parameter_invalid", "to_number must not be less than from_number, 10.", /primero, 10\.$/]
  ] as const) {
    assert.match(spanishOf(code, message), right, message)
    assert.notInclude(spanishOf(code, message), message)
  }
  const loopback = Effect.map(Layer.build(new FakeInternet().guard()), (context) =>
    Context.get(context, EgressGuard).checkUrl("http://localhost:9099/hook")
  )
  const verdict = Effect.runSync(Effect.scoped(loopback))
  const local = spanishOf("url_not_https", verdict._tag === "Refused" ? verdict.message : "")
  for (const right of ["https://", "folio listen --forward-to :9099", "WEBHOOK_ALLOW=127.0.0.1:9099"]) {
    assert.include(local, right)
  }
  // A fact that only the message contains is kept.
  assert.include(spanishOf("parameter_invalid", "name must rhyme."), "(name must rhyme.)")
  assert.strictEqual(inLanguage("en", refusalOf("parameter_missing", "x is required.")).message, "x is required.")
})

it("an error of a platform's page or of a limit appears in Spanish", () => {
  for (const code of [
    "account_suspended",
    "account_closed",
    "account_not_closable",
    "account_limit_reached",
    "customer_limit_reached",
    "endpoint_limit_reached",
    "resolution_limit_reached",
    "enablement_running",
    "enablement_limit_reached",
    "api_key_limit_reached"
  ]) {
    const words = spanishOf(code, "The English message.")
    assert.strictEqual(languageOfMessage(words), "es", code)
    assert.notInclude(words, "The English message.", code)
  }
})

it("an error knows the language of its message, and is translated once", () => {
  const once = inLanguage("es", refusalOf("parameter_invalid", "name must rhyme."))
  assert.strictEqual(languageOfMessage(once.message), "es")
  assert.deepStrictEqual({ ...inLanguage("es", once) }, { ...once })
  assert.strictEqual(languageOfMessage("name must rhyme."), "en")
})
