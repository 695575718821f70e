import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { parseStrict } from "../../../src/runtime/json/StrictJson.ts"

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const parse = (text: string) => parseStrict(encode(text))
const fault = (text: string): string | null => {
  const result = parse(text)
  return Result.isFailure(result) ? result.failure : null
}
const wide = (members: number) => `{${Array.from({ length: members }, (_, index) => `"${index}":1`).join(",")}}`
const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth)

/**
 * A JSON text as a tree, in which an object may repeat a name. The oracle below reads the tree instead of the text.
 * Names and strings are chosen to look like structure.
 */
type Tree =
  | string
  | number
  | boolean
  | null
  | { readonly items: ReadonlyArray<Tree> }
  | { readonly members: ReadonlyArray<Member> }
interface Member {
  readonly name: string
  readonly value: Tree
}

const words = Schema.Literals([
  "a",
  "b",
  "",
  '"',
  "\\",
  "{",
  "}:[",
  ",",
  "ñ",
  "\ud83d\ude00",
  "__proto__",
  "constructor"
])
const Tree: Schema.Codec<Tree> = Schema.Union([
  words,
  Schema.Finite,
  Schema.Boolean,
  Schema.Null,
  Schema.Struct({ items: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree)) }),
  Schema.Struct({
    members: Schema.Array(Schema.Struct({ name: words, value: Schema.suspend((): Schema.Codec<Tree> => Tree) }))
  })
])

const isLeaf = (tree: Tree): tree is string | number | boolean | null => typeof tree !== "object" || tree === null
const write = (tree: Tree, string: (text: string) => string, space: string): string => {
  if (isLeaf(tree)) return typeof tree === "string" ? string(tree) : JSON.stringify(tree)
  if ("items" in tree)
    return `[${space}${tree.items.map((item) => write(item, string, space)).join(`${space},${space}`)}${space}]`
  const members = tree.members.map(
    ({ name, value }) => `${string(name)}${space}:${space}${write(value, string, space)}`
  )
  return `{${space}${members.join(`,${space}`)}${space}}`
}
const isStrict = (tree: Tree): boolean => {
  if (isLeaf(tree)) return true
  if ("items" in tree) return tree.items.every(isStrict)
  const names = tree.members.map(({ name }) => name)
  const reserved = names.includes("__proto__") || names.includes("constructor")
  return !reserved && new Set(names).size === names.length && tree.members.every(({ value }) => isStrict(value))
}
const valueOf = (tree: Tree): unknown => {
  if (isLeaf(tree)) return asJson(tree)
  if ("items" in tree) return tree.items.map(valueOf)
  return Object.fromEntries(tree.members.map(({ name, value }) => [name, valueOf(value)]))
}
// Does not use `JSON.parse`, which can take a name with an escape for one that an earlier object had. JSON has no minus
// zero.
const asJson = (value: unknown): unknown => {
  if (typeof value === "number") return value + 0
  if (Array.isArray(value)) return value.map(asJson)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asJson(member)]))
}
const escapeAll = (text: string): string =>
  `"${Array.from({ length: text.length }, (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`).join("")}"`

describe("parseStrict", () => {
  it("reads any JSON value", () => {
    for (const text of [
      "null",
      "true",
      '""',
      "0",
      "-1.5e-3",
      "[]",
      "{}",
      ' \t\r\n{ "a" : [ 1 , {} ] } ',
      '{"":{"":""}}',
      "1e308",
      `[${Array.from({ length: 8_000 }, () => "{}").join(",")}]`
    ]) {
      const result = parse(text)
      assert.isTrue(Result.isSuccess(result), text)
      assert.deepStrictEqual(Result.getOrThrow(result), JSON.parse(text))
    }
  })

  it.each([
    ["an empty body", "", /not valid JSON/],
    ["white space alone", "  ", /not valid JSON/],
    ["two values", "{} {}", /not valid JSON/],
    ["a missing end", '{"a":1', /not valid JSON/],
    ["an open string", '{"a', /not valid JSON/],
    ["a comma at the end", '{"a":1,}', /not valid JSON/],
    ["a comment", "{} // no", /not valid JSON/],
    ["single quotes", "{'a':1}", /not valid JSON/],
    ["a control character in a string", '"a\u0000b"', /not valid JSON/],
    ["NaN", "NaN", /not valid JSON/],
    ["a byte order mark", "\ufeff{}", /byte order mark/],
    ["a 33rd level", nested(33), /deeper than 32 levels/],
    ["1001 members", wide(1001), /more than 1000 members/],
    ["1001 members inside", `[${wide(1000)},{"a":${wide(1001)}}]`, /more than 1000 members/],
    ["8001 objects", `[${Array.from({ length: 8_001 }, () => "{}").join(",")}]`, /more than 8000 objects/],
    ["a 33rd level of objects", `${'{"a":'.repeat(33)}1${"}".repeat(33)}`, /deeper than 32 levels/],
    ["a repeated name", '{"a":1,"b":2,"a":1}', /repeats the member name "a"/],
    ["a repeated name deep inside", '[{"x":[{"k":1,"k":2}]}]', /repeats the member name "k"/],
    ["a repeated name after an array", '{"a":[1,2],"a":1}', /repeats the member name "a"/],
    ["a repeated name, once in escapes", '{"a":1,"\\u0061":2}', /repeats the member name "a"/],
    ["a repeated name that looks like structure", '{"\\"}:{":1,"\\"}:{":2}', /repeats the member name/],
    [
      "a repeated name that hides the name it repeats",
      '{"a":{"__proto__":1},"a":{"b":1,"c":2}}',
      /repeats the member name "a"/
    ],
    ["a repeated name that ends in a backslash", String.raw`{"a\\":1,"a\\":2}`, /repeats the member name/],
    [
      "a repeated name that ends in a backslash and a quote",
      String.raw`{"a\\\"":1,"a\\\"":2}`,
      /repeats the member name/
    ],
    ["the name __proto__", '{"__proto__":{}}', /reserved member name "__proto__"/],
    ["the name constructor", '{"a":[{"constructor":1}]}', /reserved member name "constructor"/],
    ["the name prototype", '{"prototype":null}', /reserved member name "prototype"/],
    ["a reserved name in escapes", '{"\\u005f_proto__":1}', /reserved member name "__proto__"/],
    ["a high surrogate alone", '"\\ud83d"', /surrogate/],
    ["a low surrogate alone", '["\\ude00"]', /surrogate/],
    ["surrogates the wrong way round", '{"a":"\\ude00\\ud83d"}', /surrogate/],
    ["a lone surrogate in a name", '{"\\uD800":1}', /surrogate/],
    ["a number beyond a double", "[1e309]", /range of a double/],
    ["a negative number beyond a double", '{"a":-1e999}', /range of a double/]
  ])("rejects %s", (_, text, message) => {
    assert.match(fault(text) ?? "accepted", message)
  })

  it("accepts text that only looks like a fault", () => {
    for (const text of [
      nested(32),
      `[${"[],{},".repeat(100)}[]]`,
      '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}',
      '{"a":"a","b":"a:b,\\"c\\":1"}',
      '["__proto__","constructor","prototype"]',
      '{"proto":1,"__proto":2}',
      '"\\ud83d\\ude00"',
      '"\\\\ud83d"',
      '"\u{1f600}"',
      `"${"[{".repeat(100)}"`,
      `{"a\\\\":1,"a":2}`
    ]) {
      assert.isNull(fault(text), text)
    }
  })

  it("rejects bytes that are not UTF-8", () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0xaf, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xe2, 0x82, 0x22],
      [0x7b, 0x7d, 0xc3]
    ]) {
      const result = parseStrict(Uint8Array.from(bytes))
      assert.match(Result.isFailure(result) ? result.failure : "accepted", /not valid UTF-8/)
    }
  })

  it.prop(
    "agrees with a reader of trees, however a text is written",
    [Tree, Schema.Boolean, Schema.Literals(["", " ", "\n\t"])],
    ([tree, escapes, space]) => {
      const text = write(tree, escapes ? escapeAll : JSON.stringify, space)
      const result = parse(text)
      assert.strictEqual(Result.isSuccess(result), isStrict(tree), text)
      if (Result.isSuccess(result)) assert.deepStrictEqual(result.success, valueOf(tree))
    }
  )

  it("confuses no name with a name of an earlier request", () => {
    for (const [before, text, expected] of [
      ['{"order":"1","a\\\\u":"x"}', '{"order":"1","a\\u00f1o":"x"}', { order: "1", año: "x" }],
      ['{"size":1,"\\\\":2}', '{"size":1,"\\"":2}', { size: 1, '"': 2 }],
      [
        '{"size":1,"\\\\":2}',
        '[{"size":1,"\\n":[{},{"a":{}}],"\\\\":[]}]',
        [{ size: 1, "\n": [{}, { a: {} }], "\\": [] }]
      ]
    ] as const) {
      for (const other of ['{"order":"1","x":"x"}', '{"size":1,"x":2}', before]) parse(other)
      assert.deepStrictEqual(parse(text), Result.succeed<unknown>(expected))
    }
  })

  it.prop("reads what JSON.stringify writes", [Schema.Json], ([value]) => {
    const text = JSON.stringify(value)
    const lone = /(?<!\\)(\\\\)*\\ud[89a-f]/.test(text)
    const reserved = /"(__proto__|constructor|prototype)":/.test(text)
    const result = parse(text)
    if (Result.isSuccess(result)) assert.deepStrictEqual(result.success, asJson(value))
    else assert.isTrue(lone || reserved || / deeper /.test(result.failure), result.failure)
  })

  const pieces = Schema.Array(
    Schema.Literals(["{", "}", "[", "]", ",", ":", '"', '"a"', '"a":', "\\", "\\u00", "1", "-", "e5", "null", " "])
  )
  it.prop("accepts nothing that JSON.parse rejects", [pieces], ([given]) => {
    const text = given.join("")
    if (Result.isFailure(parse(text))) return
    assert.doesNotThrow(() => JSON.parse(text))
  })

  const string = Arbitrary.map(Arbitrary.schema(Schema.String), (text) => text.toWellFormed())
  it.prop("rejects every beginning of a text", [string, string], ([name, value]) => {
    const text = JSON.stringify({ [`${name}.`]: [value] })
    for (let end = 0; end < text.length; end++) assert.isNotNull(fault(text.slice(0, end)))
    assert.isNull(fault(text))
  })

  it("handles hostile bodies of 256 KiB quickly", () => {
    const size = 262_144
    const hostile = [
      "[".repeat(size),
      "]".repeat(size),
      '{"a":'.repeat(size / 5),
      `"${"\\".repeat(size - 2)}"`,
      `"${'\\"'.repeat(size / 2 - 1)}"`,
      '"a'.repeat(size / 2),
      "9".repeat(size),
      `{${'"a":1,'.repeat(size / 6)}"a":1}`,
      `{"a":"${"\\\\".repeat(size / 2 - 10)}","a":1}`
    ]
    const started = performance.now()
    for (const text of hostile) parse(text)
    assert.isBelow(performance.now() - started, 5_000)
  })
})
