import { assert, describe } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { Redactor } from "../../../src/runtime/telemetry/Redaction.ts"
import { AuthoritySettings } from "../../../src/invoices/authority/AuthoritySettings.ts"
import { softwareSettings } from "../../support/authority/LiveAccounts.ts"
import { layerSettings } from "../../support/database/Postgres.ts"
import { it } from "../../support/Tests.ts"

const good = { AUTHORITY_URL: "https://authority.example.com/service.svc?x=1", ...softwareSettings }

const read = (env: Record<string, string>) =>
  Effect.scoped(
    Effect.map(Layer.build(layerSettings(env)), (context) => ({
      ...Context.get(context, AuthoritySettings),
      redact: Context.get(context, Redactor)
    }))
  )

const faults: ReadonlyArray<readonly [what: string, change: Record<string, string>, why: RegExp]> = [
  ["no PIN", { SOFTWARE_PIN: "" }, /set SOFTWARE_PIN as well, or none of them/],
  ["an id alone", { SOFTWARE_PIN: "", SOFTWARE_NIT: "" }, /set SOFTWARE_PIN, SOFTWARE_NIT as well, or none of them/],
  ["no address", { AUTHORITY_URL: "" }, /set AUTHORITY_URL/],
  ["http", { AUTHORITY_URL: "http://authority.example.com/" }, /https address/],
  ["another scheme", { AUTHORITY_URL: "ftp://127.0.0.1/" }, /https address/],
  ["no URL", { AUTHORITY_URL: "authority" }, /https address/],
  ["a user name in the URL", { AUTHORITY_URL: "https://me:secret@authority.example.com/" }, /without user name/],
  ["another id", { SOFTWARE_ID: "1234" }, /36 characters/],
  ["a PIN with a space", { SOFTWARE_PIN: "753 15" }, /without spaces/],
  ["letters for a NIT", { SOFTWARE_NIT: "NIT" }, /SOFTWARE_NIT must be/],
  ["another check digit", { SOFTWARE_NIT: "900373115-4" }, /the check digit of 900373115 is 3/],
  ["two check digits", { SOFTWARE_NIT: "900373115-3-3" }, /SOFTWARE_NIT must be/],
  ["http for tests", { AUTHORITY_TEST_URL: "http://authority.example.com/" }, /AUTHORITY_TEST_URL must be the https/],
  [
    "a fragment for tests",
    { AUTHORITY_TEST_URL: "https://authority.example.com/#x" },
    /AUTHORITY_TEST_URL .* without user name and fragment/
  ],
  [
    "the live service for tests",
    { AUTHORITY_TEST_URL: good.AUTHORITY_URL },
    /AUTHORITY_TEST_URL .* takes live documents/
  ]
]

describe("the settings of live mode", () => {
  it.effect("default to undefined, because the service contains no address of an authority", () =>
    Effect.map(read({}), ({ live }) => assert.isUndefined(live))
  )

  it.effect("hold every value, and hide the PIN in text", function* () {
    const settings = yield* read(good)
    assert.deepInclude(settings.live?.software, {
      provider: { number: "900373115", check_digit: "3" },
      id: softwareSettings.SOFTWARE_ID
    })
    assert.strictEqual(settings.live?.url, good.AUTHORITY_URL)
    assert.notInclude(JSON.stringify(settings.live), softwareSettings.SOFTWARE_PIN)
    assert.strictEqual(settings.redact(softwareSettings.SOFTWARE_PIN), "…")
    assert.strictEqual(Redacted.value(settings.live!.software!.pin), softwareSettings.SOFTWARE_PIN)
    const bare = yield* read({ ...good, SOFTWARE_NIT: "900373115", AUTHORITY_URL: "http://127.0.0.1:9/x" })
    assert.strictEqual(bare.live?.software?.provider.check_digit, "3")
  })

  it.effect(
    "need no software, because each account may have one, and set the test environment independently",
    function* () {
      const none = { SOFTWARE_ID: "", SOFTWARE_PIN: "", SOFTWARE_NIT: "" }
      assert.deepStrictEqual((yield* read({ ...good, ...none })).live, { url: good.AUTHORITY_URL })
      const url = "https://tests.authority.example.com/service.svc"
      const { live, test } = yield* read({ AUTHORITY_TEST_URL: url })
      assert.deepStrictEqual({ live, test }, { live: undefined, test: { url } })
    }
  )

  it.effect.each(faults.map(([what, change, why]) => ({ what, change, why })))(
    "are rejected with $what",
    function* ({ change, why }) {
      const { message } = yield* Effect.flip(read({ ...good, ...change }))
      assert.match(message, why)
      assert.notMatch(message, /\n/)
      assert.notInclude(message, softwareSettings.SOFTWARE_PIN)
    }
  )
})
