import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { AccountId } from "../../../schemas/Id.ts"
import { checkLink, type FileLink, filePath, linkKey, signedPath } from "../../../src/invoices/rules/FileLink.ts"

const key = linkKey(new Uint8Array(32).fill(7))
const now = 1_795_273_200

const link: FileLink = {
  account_id: AccountId.make(`ten_${"a".repeat(26)}`),
  livemode: false,
  path: filePath(`inv_${"a".repeat(26)}`, "pdf"),
  expires: now + 3_600
}

const check = (url: string, at = now, ...keys: ReadonlyArray<typeof key>) => {
  const [path = "", query] = url.split("?")
  return checkLink(path, new URLSearchParams(query), keys.length === 0 ? [key] : keys, at)
}

const forged = Result.fail("forged" as const)

/** The link with one parameter changed. */
const withParameter = (name: string, value: string) => {
  const [path = "", query] = signedPath(link, key).split("?")
  const changed = new URLSearchParams(query)
  changed.set(name, value)
  return `${path}?${changed}`
}

describe("FileLink", () => {
  it("opens the file of its account and mode until it expires", () => {
    const { account_id, livemode } = link
    assert.deepStrictEqual(check(signedPath(link, key)), Result.succeed({ account_id, livemode }))
    assert.deepStrictEqual(check(signedPath(link, key), now + 3_599), Result.succeed({ account_id, livemode }))
    assert.deepStrictEqual(check(signedPath(link, key), now + 3_600), Result.fail("expired" as const))
    const live = { ...link, livemode: true }
    assert.deepStrictEqual(check(signedPath(live, key)), Result.succeed({ account_id, livemode: true }))
  })

  it.each([
    ["account", `ten_${"b".repeat(26)}`],
    ["mode", "live"],
    ["mode", ""],
    ["expires", String(now + 3_601)],
    ["expires", `${now + 3_600}.0`],
    ["expires", `0${now + 3_600}`],
    ["expires", "Infinity"],
    ["signature", ""],
    ["signature", "A".repeat(43)],
    ["signature", "é".repeat(43)]
  ])("fails as forged with another %s: %s", (name, value) =>
    assert.deepStrictEqual(check(withParameter(name, value)), forged)
  )

  it("fails as forged if any one character was changed, inserted or removed", () => {
    const url = signedPath(link, key)
    const changed = [...url].flatMap((character, index) =>
      ["", "x", `${character}x`].map((put) => url.slice(0, index) + put + url.slice(index + 1))
    )
    assert.deepStrictEqual(
      changed.filter((one) => one !== url && !Result.isFailure(check(one))),
      []
    )
  })

  it("fails as forged for another file, another document and another collection", () => {
    const query = signedPath(link, key).split("?")[1]
    const id = `inv_${"a".repeat(26)}`
    for (const path of [filePath(id, "xml"), filePath(`inv_${"b".repeat(26)}`, "pdf"), `/v1/credit-notes/${id}/pdf`]) {
      assert.deepStrictEqual(check(`${path}?${query}`), forged, path)
    }
  })

  it("fails as forged after the key has changed, also when it has expired", () => {
    const other = linkKey(new Uint8Array(32).fill(8))
    assert.deepStrictEqual(check(signedPath(link, key), now, other), forged)
    assert.deepStrictEqual(check(signedPath(link, key), now + 9_999, other), forged)
  })

  it("opens with the previous key during a change of the key, until it expires", () => {
    const { account_id, livemode } = link
    const other = linkKey(new Uint8Array(32).fill(8))
    assert.deepStrictEqual(check(signedPath(link, key), now, other, key), Result.succeed({ account_id, livemode }))
    assert.deepStrictEqual(check(signedPath(link, other), now, other, key), Result.succeed({ account_id, livemode }))
    assert.deepStrictEqual(check(signedPath(link, key), now + 3_600, other, key), Result.fail("expired" as const))
    assert.deepStrictEqual(check(withParameter("mode", "live"), now, other, key), forged)
  })

  it("hides the key from which it is derived, and leads to the collection of its document", () => {
    assert.notDeepEqual(new Uint8Array(key.export()), new Uint8Array(32).fill(7))
    assert.strictEqual(filePath("inv_1", "pdf"), "/v1/invoices/inv_1/pdf")
    assert.strictEqual(filePath("cn_1", "xml"), "/v1/credit-notes/cn_1/xml")
    assert.strictEqual(filePath("dn_1", "pdf"), "/v1/debit-notes/dn_1/pdf")
  })
})
