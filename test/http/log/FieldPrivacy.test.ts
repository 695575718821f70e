import { assert, describe, it } from "@effect/vitest"
import document from "../../../schemas/openapi.json" with { type: "json" }
import { privacyOf } from "../../../src/runtime/json/FieldPrivacy.ts"

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null

/** The names of all fields and query parameters, at any depth. */
const namesIn = (value: unknown, found = new Set<string>()): ReadonlySet<string> => {
  if (!isObject(value)) return found
  if (isObject(value["properties"])) Object.keys(value["properties"]).forEach((name) => found.add(name))
  if (value["in"] === "query") found.add(String(value["name"]))
  for (const [key, part] of Object.entries(value)) if (key !== "example" && key !== "examples") namesIn(part, found)
  return found
}

/** The schemas of all fields with this name, at any depth. */
const textsOf = (value: unknown, wanted: string, found: Array<Json> = []): ReadonlyArray<Json> => {
  if (!isObject(value)) return found
  if (isObject(value["properties"])) {
    const field = value["properties"][wanted]
    if (isObject(field)) found.push(field)
  }
  for (const part of Object.values(value)) textsOf(part, wanted, found)
  return found
}

// A text of a hundred characters or more, without a pattern, is free.
const isFree = ({ enum: values, maxLength, pattern, type }: Json) =>
  type === "string" && values === undefined && pattern === undefined && Number(maxLength ?? 0) >= 100

describe("The privacy of fields", () => {
  it("covers every field of the interface: a new field stays masked and hidden until it is classified", () => {
    const unclassified = [...namesIn(document)].filter((name) => privacyOf(name) === undefined)
    assert.deepStrictEqual(unclassified, [], "name them in src/runtime/json/FieldPrivacy.ts")
  })

  it("exposes no name, address, personal number or secret", () => {
    const closed = [
      [
        "legal_name",
        "email",
        "address",
        "city_code",
        "number",
        "check_digit",
        "to",
        "subject",
        "description",
        "reason"
      ],
      ["name", "metadata", "text", "message_id", "hint"]
    ].flat()
    for (const name of closed) assert.strictEqual(privacyOf(name), "personal", name)
    for (const name of ["key", "secret", "password", "pkcs12", "signature", "technical_key", "pdf_url", "xml_url"]) {
      assert.strictEqual(privacyOf(name), "secret", name)
    }
  })

  it("exposes no text that a client may word freely", () => {
    const free = [...namesIn(document)].filter((name) => textsOf(document, name).some(isFree))
    assert.deepStrictEqual(
      free.filter((name) => !["personal", "secret", "url"].includes(String(privacyOf(name)))),
      []
    )
  })
})
