import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { canonicalJson, fingerprint } from "../../../src/runtime/json/Fingerprint.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The same value with the members of every object in the opposite order. */
const reordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reordered)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reordered(member)])
  )
}

const objects = Schema.Record(Schema.String, Schema.Json)

/**
 * The same value with names that need no escape: `JSON.parse` of Node 24 can take such a name for one that an earlier
 * object had.
 */
const plainlyNamed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plainlyNamed)
  if (typeof value !== "object" || value === null) return value
  const named = Object.entries(value).map(([name, member]) => {
    return [JSON.stringify(name).replaceAll(/["\\]/g, "?"), plainlyNamed(member)] as const
  })
  return Object.fromEntries(named)
}

describe("canonicalJson", () => {
  it("writes the examples of RFC 8785", () => {
    const values = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001, -0],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`)
    assert.strictEqual(
      canonicalJson(values),
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],"string":"€$\u000f\nA'B\"\\\\\"/"}`
    )
    const names = {
      "\u20ac": 1,
      "\r": 2,
      "\ufb33": 3,
      "1": 4,
      "\ud83d\ude00": 5,
      "\u0080": 6,
      "\u00f6": 7,
      "10": 8,
      "9": 9
    }
    assert.deepStrictEqual(
      canonicalJson(names),
      '{"\\r":2,"1":4,"10":8,"9":9,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}'
    )
  })

  it.prop("reads back as the same value", [Schema.Json], ([given]) => {
    const value = plainlyNamed(given)
    // Minus zero is the only value that JSON itself does not keep.
    assert.deepStrictEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))
  })

  it.prop("ignores the order of members", [objects], ([value]) => {
    assert.strictEqual(canonicalJson(reordered(value)), canonicalJson(value))
  })

  it.prop("writes strings as JSON.stringify does", [Schema.String], ([text]) => {
    assert.strictEqual(canonicalJson(text), JSON.stringify(text))
  })

  it("writes every code unit, alone and before a low surrogate, as JSON.stringify does", () => {
    const wrong: Array<number> = []
    for (let unit = 0; unit <= 0xffff; unit++) {
      for (const text of [String.fromCharCode(unit), String.fromCharCode(unit, 0xde00)]) {
        if (canonicalJson(text) !== JSON.stringify(text)) wrong.push(unit)
      }
    }
    assert.deepStrictEqual(wrong, [])
  })

  it("orders names by code units at every length", () => {
    const names = ["", "a", "aa", "ab", "b", "\ud83d\ude00", "\uffff"]
    const shuffled = Object.fromEntries(names.toReversed().map((name, index) => [name, index]))
    assert.deepStrictEqual(Object.keys(JSON.parse(canonicalJson(shuffled))), names)
  })
})

describe("fingerprint", () => {
  it("hashes method, path and canonical body", () => {
    const body = JSON.parse('{ "b": [1, 2.50], "a": "é" }')
    assert.strictEqual(fingerprint("POST", "/v1/invoices", body), sha256('POST\n/v1/invoices\n{"a":"é","b":[1,2.5]}'))
    assert.strictEqual(
      fingerprint("POST", "/v1/invoices/inv_1/retry", undefined),
      sha256("POST\n/v1/invoices/inv_1/retry")
    )
  })

  it.prop("differs by each of its parts", [objects, Schema.String], ([body, value]) => {
    const own = fingerprint("POST", "/v1/invoices", body)
    assert.notStrictEqual(fingerprint("PATCH", "/v1/invoices", body), own)
    assert.notStrictEqual(fingerprint("POST", "/v1/customers", body), own)
    assert.notStrictEqual(fingerprint("POST", "/v1/invoices", undefined), own)
    assert.notStrictEqual(
      fingerprint("POST", "/v1/invoices", { ...body, [`${Object.keys(body).join()}+`]: value }),
      own
    )
    assert.strictEqual(fingerprint("POST", "/v1/invoices", reordered(body)), own)
  })
})
