import { assert, describe, it } from "@effect/vitest"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { Spectral, type RulesetDefinition } from "@stoplight/spectral-core"
import { oas } from "@stoplight/spectral-rulesets"
import { errorCodes } from "../../schemas/ErrorCode.ts"
import { eventTypes } from "../../schemas/Event.ts"
import { exampleOf, type JsonSchema } from "../../src/api/Examples.ts"
import { openApi } from "../../src/api/OpenApi.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- read as a client would, from the text
type Json = any

const text = JSON.stringify(openApi)
const document: Json = JSON.parse(text)

const redocly = async (source: string) =>
  (
    await lintFromString({
      source,
      absoluteRef: "/openapi.json",
      config: await createConfig({ extends: ["recommended"] })
    })
  ).map(({ location, message, ruleId }) => `${ruleId}: ${message} at ${location[0]?.pointer}`)

const spectral = async (source: string) => {
  const linter = new Spectral()
  linter.setRuleset({ extends: [[oas, "recommended"]] } as RulesetDefinition)
  return (await linter.run(source)).map(({ code, message, path }) => `${code}: ${message} at ${path.join("/")}`)
}

const broken = (change: (document: Json) => void) => {
  const copy: Json = JSON.parse(text)
  change(copy)
  return JSON.stringify(copy)
}

describe("the OpenAPI document", () => {
  it("keeps the recommended rules of Redocly", async () => {
    assert.deepStrictEqual(await redocly(text), [])
    const license = await redocly(broken((copy) => delete copy.info.license))
    assert.match(license.join(), /^info-license/)
  })

  it("keeps the OpenAPI rules of Spectral, which check the examples too", async () => {
    assert.deepStrictEqual(await spectral(text), [])
    const example = await spectral(
      broken((copy) => {
        // A single path shows that the linter finds a wrong example. The whole document takes seconds.
        copy.paths = { "/v1/customers": copy.paths["/v1/customers"] }
        copy.webhooks = {}
        copy.paths["/v1/customers"].post.requestBody.content["application/json"].example.legal_name = 1
      })
    )
    assert.match(example.join(), /^oas3-valid-media-example: "legal_name" property type must be string/)
    // The linters only compute: on a busy machine, for minutes.
  }, 600_000)

  it("describes every operation, with its request and its responses", () => {
    const lacking: Array<string> = []
    for (const [path, methods] of Object.entries<Json>(document.paths)) {
      for (const [method, operation] of Object.entries<Json>(methods)) {
        const name = `${method.toUpperCase()} ${path}`
        if (operation.description === undefined)
          lacking.push(`${name} has no description: annotate OpenApi.Description`)
        for (const parameter of operation.parameters) {
          if (parameter.description === undefined) lacking.push(`${name}: ${parameter.name} has no description`)
        }
        const bodies = [operation.requestBody, ...Object.values<Json>(operation.responses)].map((body) => body?.content)
        for (const [type, media] of bodies.flatMap((content) => Object.entries<Json>(content ?? {}))) {
          // Bytes have no example.
          if (type !== "application/json" || media.example !== undefined || media.examples !== undefined) continue
          const schema: JsonSchema = media.schema
          exampleOf(schema, document.components.schemas, (part) =>
            lacking.push(`${name}: ${schema.$ref ?? "its body"} has no example at ${part}: annotate examples there`)
          )
        }
      }
    }
    assert.deepStrictEqual(lacking, [])
  })

  it("describes every schema and every group", () => {
    const silent = Object.entries<Json>(document.components.schemas)
      .filter(([name, { description }]) => description === undefined && !/Page$|^Catalog$/.test(name))
      .map(([name]) => name)
    assert.deepStrictEqual(silent, [])
    for (const { description, name } of document.tags) assert.isNotEmpty(description ?? "", name)
  })

  it("shows an example of every error", () => {
    for (const [code, { status, type }] of Object.entries(errorCodes)) {
      if (status === 405) continue
      const { value } = document.components.responses[`Error${status}`].content["application/json"].examples[code]
      assert.deepInclude(value.error, { code, type })
    }
  })

  it("has the webhooks of all 21 event types, each with its headers and an example", () => {
    assert.sameMembers(Object.keys(document.webhooks), [...eventTypes])
    assert.lengthOf(eventTypes, 21)
    for (const type of eventTypes) {
      const { description, parameters, requestBody, security } = document.webhooks[type].post
      assert.isNotEmpty(description)
      assert.deepStrictEqual(security, [])
      assert.includeMembers(
        parameters.map(({ $ref }: { readonly $ref: string }) => $ref.split("/").at(-1)),
        ["Svc-Event-Id", "Svc-Event-Type", "Svc-Signature", "Svc-Webhook-Id", "webhook-signature"]
      )
      const { example } = requestBody.content["application/json"]
      assert.strictEqual(example.type, type)
      const { object } = example.data
      assert.strictEqual(type.includes(".email.") ? object.document_type : object.object, type.split(".")[0])
    }
  })
})
