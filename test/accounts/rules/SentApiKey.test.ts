import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { type KeyFault, makeApiKey, sentApiKey } from "../../../src/accounts/rules/ApiKeyFormat.ts"

const key = makeApiKey("test", new Uint8Array(32).fill(7))
const live = makeApiKey("live", new Uint8Array(32).fill(8))
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`

describe("the API key of a request", () => {
  it.each([
    ["Bearer", `Bearer ${key}`, key],
    ["a scheme in small letters", `bearer ${live}`, live],
    ["spaces around it", `  Bearer   ${key} `, key],
    ["the user name of Basic", basic(`${key}:`), key],
    ["the user name of basic in small letters", basic(`${live}:`).replace("Basic", "basic"), live],
    ["a truncated key", `Bearer ${key.slice(0, -1)}`, key.slice(0, -1)]
  ])("comes from %s", (_what, header, sent) => assert.deepStrictEqual(sentApiKey(header), Result.succeed(sent)))

  const faults: ReadonlyArray<readonly [header: string | undefined, fault: KeyFault]> = [
    [undefined, "absent"],
    ["", "absent"],
    [" ", "absent"],
    ["Bearer", "absent"],
    ["Bearer ", "absent"],
    [basic(":"), "absent"],
    [key, "bare"],
    [`Bearer${key}`, "scheme"],
    [`Token ${key}`, "scheme"],
    ["nonsense", "scheme"],
    [`Basic ${key}`, "encoding"],
    ["Basic", "encoding"],
    ["Basic ====", "encoding"],
    [basic(key), "encoding"],
    [basic(`:${key}`), "swapped"],
    [basic(`api:${live}`), "swapped"],
    [basic(`${key}:x`), "password"],
    [basic(`${key}:${key}`), "password"],
    [basic(`${key}::`), "password"],
    [basic("user:secret"), "password"],
    [`Bearer whsec_${"A".repeat(44)}`, "secret"],
    [basic("user:"), "form"],
    ["Bearer pk_test_1", "form"],
    [`Bearer Bearer ${key}`, "form"],
    [`Bearer "${key}"`, "form"]
  ]
  it.each(faults)("fails for %s with the fault %s", (header, fault) =>
    assert.deepStrictEqual(sentApiKey(header), Result.fail(fault))
  )

  it.prop("has the form of a key, whatever the header", [Schema.String, Schema.String], ([scheme, text]) => {
    for (const header of [text, `${scheme} ${text}`, `Bearer ${text}`, basic(text), basic(`${scheme}:${text}`)]) {
      const sent = sentApiKey(header)
      if (Result.isSuccess(sent)) assert.match(sent.success, /^sk_(?:test|live)_/)
    }
  })
})
