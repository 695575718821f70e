import { assert, describe, it } from "@effect/vitest"
import { Context } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { errorCodes } from "../../schemas/ErrorCode.ts"
import { catalogNames } from "../../schemas/Catalog.ts"
import { Api } from "../../src/api/Api.ts"
import { Handling } from "../../src/api/Conventions.ts"
import { openApi } from "../../src/api/OpenApi.ts"
import { openApiText } from "../support/OpenApiText.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- read as a client would, from the text
const document: any = JSON.parse(JSON.stringify(openApi))

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: ReadonlyArray<string>
  readonly security: ReadonlyArray<Record<string, ReadonlyArray<string>>>
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly in: string; readonly required: boolean }>
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Record<string, { readonly schema: { readonly $ref: string } }>
  }
  readonly responses: Record<
    string,
    { readonly content?: Record<string, { readonly schema: { readonly $ref: string } }> }
  >
}

const operations: ReadonlyArray<readonly [name: string, operation: Operation]> = Object.entries(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const
    )
)

const endpoints = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints).map(({ annotations, method, path }) => ({
    name: `${method} ${path.replaceAll(/:([a-z]+)/g, "{$1}")}`,
    key: Context.get(annotations, Handling).idempotencyKey
  }))
)

const refIn = (content: Record<string, { readonly schema: { readonly $ref: string } }> | undefined) =>
  content?.["application/json"]?.schema.$ref ?? ""

/** A response, which may be one that all operations share. */
const answer = (
  given: { readonly $ref?: string; readonly content?: Operation["responses"][string]["content"] } | undefined
) => (given?.$ref === undefined ? given : document.components.responses[given.$ref.split("/").at(-1) ?? ""])

const errorStatuses = [...new Set(Object.values(errorCodes).map(({ status }) => String(status)))].toSorted()

describe("OpenAPI", () => {
  it("matches the committed openapi.json (after a change of the interface, run npm run openapi)", () => {
    const committed = Fs.readFileSync(Path.join(import.meta.dirname, "../../schemas/openapi.json"), "utf8")
    assert.strictEqual(committed, openApiText(openApi))
  })

  it("has every path and method", () => {
    assert.sameMembers(
      operations.map(([name]) => name),
      endpoints.map(({ name }) => name)
    )
    for (const name of [
      "GET /v1/account",
      "POST /v1/customers",
      "GET /v1/customers",
      "PATCH /v1/customers/{id}",
      "DELETE /v1/customers/{id}",
      "POST /v1/invoices",
      "POST /v1/invoices/validate",
      "GET /v1/invoices/{id}",
      "POST /v1/webhook-endpoints",
      "GET /v1/webhook-endpoints",
      "GET /v1/webhook-endpoints/{id}",
      "PATCH /v1/webhook-endpoints/{id}",
      "POST /v1/webhook-endpoints/{id}",
      "DELETE /v1/webhook-endpoints/{id}",
      "POST /v1/webhook-endpoints/{id}/rotate-secret",
      "POST /v1/resolutions",
      "GET /v1/resolutions",
      "GET /v1/resolutions/{id}",
      "PATCH /v1/resolutions/{id}",
      "GET /v1/events",
      "GET /v1/events/{id}",
      "GET /v1/events/{id}/deliveries",
      "GET /v1/webhook-endpoints/{id}/deliveries",
      "POST /v1/webhook-endpoints/{id}/recover",
      "POST /v1/webhook-endpoints/{id}/test",
      "GET /v1/webhook-deliveries/{id}",
      "POST /v1/webhook-deliveries/{id}/redeliver",
      "GET /v1/catalogs/{catalog}"
    ]) {
      assert.include(
        operations.map(([operation]) => operation),
        name
      )
    }
    const catalog = document.paths["/v1/catalogs/{catalog}"].get.parameters[0].description
    for (const name of catalogNames) assert.include(catalog, name)
  })

  it.each(operations)("%s describes its purpose, its responses and its authentication", (name, operation) => {
    assert.isNotEmpty(operation.summary)
    assert.lengthOf(operation.tags, 1)
    const isLogo = name.endsWith(" /v1/account/logo")
    const file = /\/(pdf|xml)$/.exec(name)?.[1]
    const scheme = name.endsWith("/email-notices") ? "noticeSignature" : "apiKey"
    const ways = scheme === "apiKey" ? [{ apiKey: [] }, { basicKey: [] }] : [{ [scheme]: [] }]
    const byKey = file === undefined ? ways : [...ways, {}]
    assert.deepStrictEqual(operation.security, /\/health\/|\/versions/.test(name) ? [] : byKey)

    const statuses = Object.keys(operation.responses)
    const [success, ...more] = statuses.filter((status) => status < "300")
    // PUT creates or replaces an object.
    assert.deepStrictEqual(more, name === "PUT /v1/customers/{id}" ? ["201"] : [])
    if (isLogo && name.startsWith("GET")) {
      assert.deepStrictEqual(Object.keys(operation.responses["200"]?.content ?? {}), ["image/png", "image/jpeg"])
    } else if (file === undefined) {
      assert.match(refIn(operation.responses[success ?? ""]?.content), /^#\/components\/schemas\/[A-Z][A-Za-z]+$/)
    } else {
      const { schema, ...rest } = operation.responses[success ?? ""]?.content?.[`application/${file}`] ?? {}
      assert.deepStrictEqual([schema, rest], [{ type: "string", format: "binary" }, {}])
    }
    const errors = statuses.filter((status) => status >= "400")
    assert.includeMembers(errorStatuses, errors)
    assert.includeMembers(errors, ["400", "414", "431", "500", "503"])
    if (name.includes("/v1/") && name !== "GET /v1/versions") assert.includeMembers(errors, ["401", "403", "429"])
    if (name.includes("{")) assert.include(errors, "404")
    if (/^(POST|PATCH)/.test(name)) assert.includeMembers(errors, ["408", "409", "413", "415"])
    for (const status of errors) {
      assert.strictEqual(refIn(answer(operation.responses[status]).content), "#/components/schemas/Error")
    }

    const inPath = [...name.matchAll(/\{([a-z]+)\}/g)].map(([, parameter]) => parameter)
    assert.deepStrictEqual(
      operation.parameters.filter((parameter) => parameter.in === "path").map((parameter) => parameter.name),
      inPath
    )
    assert.isTrue(operation.parameters.every((parameter) => parameter.in !== "path" || parameter.required))
    const { key } = endpoints.find((endpoint) => endpoint.name === name) ?? { key: "ignored" }
    assert.deepStrictEqual(
      operation.parameters.filter((parameter) => parameter.name === "idempotency-key").map(({ required }) => required),
      key === "ignored" ? [] : [key === "required"]
    )
    if (operation.requestBody !== undefined) {
      assert.isTrue(operation.requestBody.required)
      const types = Object.keys(operation.requestBody.content)
      assert.deepStrictEqual(types, isLogo ? ["image/png", "image/jpeg"] : ["application/json"])
      if (!isLogo) assert.match(refIn(operation.requestBody.content), /Request$|Update$/)
    }
  })

  it("lists no operation twice", () => {
    const ids = operations.map(([, { operationId }]) => operationId)
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("lists every error code at its status", () => {
    for (const [code, { status }] of Object.entries(errorCodes)) {
      // An unknown method is no operation, so no operation responds with this code.
      if (status === 405) continue
      assert.include(document.components.responses[`Error${status}`].description, code)
    }
  })

  it("names each schema once, by its plain name", () => {
    const names = Object.keys(document.components.schemas)
    assert.deepStrictEqual(
      names.filter((name) => !/^[A-Z][A-Za-z]+$/.test(name) || /Encoded|Opaque|Struct/.test(name)),
      []
    )
    assert.includeMembers(names, ["Account", "Customer", "Invoice", "InvoiceCreated", "WebhookEndpoint", "Error"])
  })

  it("names the schemes of the API key", () => {
    const { apiKey, basicKey } = document.components.securitySchemes
    const schemes = [apiKey, basicKey].map(({ scheme, type }) => [type, scheme])
    assert.deepStrictEqual(schemes, [
      ["http", "bearer"],
      ["http", "basic"]
    ])
  })

  it("uses one form of a date in all requests and responses", () => {
    const forms = JSON.stringify(document.components.schemas).match(/"pattern":"[^"]*1\[0-2\][^"]*"/g) ?? []
    assert.isAbove(forms.length, 10)
    assert.deepStrictEqual(
      [...new Set(forms)],
      [`"pattern":${JSON.stringify("^(19|20|21)\\d{2}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$")}`]
    )
  })

  it("states the rules that the server checks", () => {
    const { Decimal, Identification, InvoiceRequest, Metadata, WebhookEndpointRequest } = document.components.schemas
    assert.strictEqual(Decimal.pattern, "^(0|[1-9]\\d{0,14})\\.\\d{2}$")
    assert.strictEqual(Identification.properties.check_digit.pattern, "^\\d$")
    assert.strictEqual(InvoiceRequest.properties.lines.maxItems, 500)
    assert.strictEqual(InvoiceRequest.properties.currency.pattern, "^[A-Z]{3}$")
    assert.deepInclude(Metadata, { maxProperties: 50 })
    assert.deepInclude(Metadata.propertyNames, { minLength: 1, maxLength: 40 })
    assert.deepInclude(WebhookEndpointRequest.properties.max_in_flight, { type: "integer", minimum: 1, maximum: 64 })
    assert.lengthOf(document.components.schemas.EventType.enum, 21)
    const limit = document.paths["/v1/customers"].get.parameters.find(
      (parameter: { readonly name: string }) => parameter.name === "limit"
    )
    assert.isDefined(limit.schema.pattern)
  })
})
