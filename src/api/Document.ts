import { type ErrorCode, errorCodes } from "../../schemas/ErrorCode.ts"
import { errorExample, errorExamples } from "./ErrorExamples.ts"
import { exampleOf, type JsonSchema, type Schemas } from "./Examples.ts"
import { deliveryHeaders, webhooks } from "./Webhooks.ts"

interface Media {
  readonly schema: JsonSchema
}

interface Response {
  readonly description: string
  readonly headers?: object
  readonly content?: Readonly<Record<string, Media>>
}

interface Operation {
  readonly security: ReadonlyArray<object>
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly schema: JsonSchema & { readonly description?: string }
  }>
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Response>>
}

interface Document {
  readonly info: object
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Schemas }
}

const codes = Object.keys(errorCodes) as ReadonlyArray<ErrorCode>
const baseUrl = "http://127.0.0.1:3000"

const isNote = (part: object) => Object.keys(part).every((name) => name === "description" || name === "examples")

/**
 * What a field says of itself beside its type comes as an `allOf` of annotations, and a union of one as an `anyOf`: in 3.1
 * both may stand beside anything.
 */
const flatten = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(flatten)
  if (typeof value !== "object" || value === null) return value
  const { allOf, anyOf, ...others } = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === "examples" ? member : flatten(member)])
  )
  const rest = Array.isArray(anyOf) ? (anyOf.length === 1 ? { ...others, ...anyOf[0] } : { ...others, anyOf }) : others
  if (!Array.isArray(allOf)) return rest
  const kept = allOf.filter((part: object) => !isNote(part) && !("$ref" in part && allOf.length > 1))
  const merged = Object.assign(rest, ...allOf.filter((part: object) => !kept.includes(part)))
  return kept.length === 0 ? merged : { ...merged, allOf: kept }
}

const listOf = (schema: JsonSchema | undefined) =>
  schema?.properties?.["object"]?.enum?.[0] === "list" && schema.properties["data"] !== undefined

const withExample = (media: Media, schemas: Schemas, path: string) => {
  const example = exampleOf(media.schema, schemas)
  if (example === undefined) return media
  const isList = listOf(schemas[media.schema.$ref?.split("/").at(-1) ?? ""])
  return { ...media, example: isList ? { ...(example as object), url: path } : example }
}

const contentOf = (content: Readonly<Record<string, Media>> | undefined, schemas: Schemas, path: string) =>
  content === undefined
    ? {}
    : {
        content: Object.fromEntries(
          Object.entries(content).map(([type, media]) => [type, withExample(media, schemas, path)])
        )
      }

/** The answers that a request of this kind cannot get. 405 is said of a method that is no operation. */
const impossible = (path: string, method: string, operation: Operation): ReadonlyArray<number> => [
  405,
  ...(operation.security.length === 0 ? [401, 403, 404, 429] : []),
  ...(path.includes("{") ? [] : [404]),
  ...(method === "get" ? [408, 409, 413, 415] : []),
  ...(method === "delete" ? [408, 413, 415] : [])
]

const ref = (section: string, name: string) => ({ $ref: `#/components/${section}/${name}` })

const header = (description: string, example: string) => ({ description, schema: { type: "string" }, example })

const headers = {
  RequestId: header("The id of the request: name it when you ask for help.", "req_01k9z3v8c2m4n6p8q0r2s4t6v8"),
  SvcVersion: header("The version that the answer is written in.", "2026-01-01"),
  Location: header("Where the object is.", "/v1/invoices/inv_01k9z3v8c2m4n6p8q0r2s4t6v8"),
  Cached: header("Whether the answer repeats that to an earlier request with the same Idempotency-Key.", "false"),
  RetryAfter: header("Seconds to wait before the next attempt.", "1")
}

const always = { "Request-Id": ref("headers", "RequestId"), "Svc-Version": ref("headers", "SvcVersion") }

const operationOf = (path: string, method: string, operation: Operation, schemas: Schemas) => {
  const isKeyed = operation.parameters.some(({ name }) => name === "idempotency-key")
  const never = impossible(path, method, operation)
  const responses = Object.entries(operation.responses)
    .filter(([status]) => !never.includes(Number(status)))
    .map(([status, response]) => [
      status,
      Number(status) >= 400
        ? ref("responses", `Error${status}`)
        : {
            ...response,
            headers: {
              ...response.headers,
              ...always,
              ...(isKeyed ? { "Svc-Idempotency-Cached": ref("headers", "Cached") } : {}),
              ...(status === "201" || status === "202" ? { Location: ref("headers", "Location") } : {})
            },
            ...contentOf(response.content, schemas, path)
          }
    ])
  return {
    ...operation,
    parameters: operation.parameters.map((parameter) => {
      const { description, ...schema } = parameter.schema
      const named = schema.$ref === undefined ? undefined : schemas[schema.$ref.split("/").at(-1) ?? ""]
      const said = description ?? (named as { readonly description?: string } | undefined)?.description
      return { ...parameter, ...(said === undefined ? {} : { description: said }), schema }
    }),
    ...(operation.requestBody === undefined
      ? {}
      : { requestBody: { ...operation.requestBody, ...contentOf(operation.requestBody.content, schemas, path) } }),
    responses: Object.fromEntries(responses)
  }
}

const errorResponse = (status: number) => {
  const ofStatus = codes.filter((code) => errorCodes[code].status === status)
  return {
    description: ofStatus.map((code) => `\`${code}\`: ${errorCodes[code].help}`).join("\n\n"),
    headers: {
      ...always,
      ...(status === 429 || status === 503 ? { "Retry-After": ref("headers", "RetryAfter") } : {})
    },
    content: {
      "application/json": {
        schema: ref("schemas", "Error"),
        examples: Object.fromEntries(
          ofStatus.map((code) => [code, { summary: errorExamples[code].request, value: errorExample(code, baseUrl) }])
        )
      }
    }
  }
}

/**
 * The document as it is derived from the schemas, made whole: examples of requests and answers, the errors once for all
 * operations, the headers of answers, and the webhooks. A route needs no more than its annotations.
 */
export const complete = (derived: Record<string, unknown>): Record<string, unknown> => {
  const document = flatten(derived) as Document
  const { schemas } = document.components
  const used = new Set<number>()
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => {
        const whole = operationOf(path, method, operation, schemas)
        for (const status of Object.keys(whole.responses)) if (Number(status) >= 400) used.add(Number(status))
        return [method, whole]
      })
    )
  ])
  const responses = [...used].toSorted((a, b) => a - b).map((status) => [`Error${status}`, errorResponse(status)])
  return {
    ...document,
    info: { ...document.info, contact: { name: "Folio" } },
    paths: Object.fromEntries(paths),
    webhooks: webhooks(schemas),
    components: {
      ...document.components,
      headers,
      parameters: deliveryHeaders,
      responses: Object.fromEntries(responses)
    }
  }
}
