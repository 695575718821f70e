import { Record } from "effect"
import { errorCodes } from "../../schemas/ErrorCode.ts"
import { codesOf, errorExample } from "./ErrorApi.ts"
import { exampleOf, type JsonSchema, named, type Schemas } from "./Examples.ts"
import type { DocumentExamples } from "./examples/DocumentExample.ts"
import { invoiceExamples } from "./examples/InvoiceExamples.ts"
import { creditNoteExamples, debitNoteExamples } from "./examples/NoteExamples.ts"
import { deliveryHeaders, webhooks } from "./WebhooksDocument.ts"

type Named<A> = Record.ReadonlyRecord<string, A>

interface Media {
  readonly schema: JsonSchema
}

interface Response {
  readonly description: string
  readonly headers?: object
  readonly content?: Named<Media>
}

interface Operation {
  readonly security: ReadonlyArray<Named<ReadonlyArray<string>>>
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly in: string; readonly schema: JsonSchema }>
  readonly requestBody?: { readonly content: Named<Media> }
  readonly responses: Named<Response>
}

interface Document {
  readonly info: object
  readonly paths: Named<Named<Operation>>
  readonly components: { readonly schemas: Schemas; readonly securitySchemes: Named<object> }
}

/** The other way to send an API key. The middleware reads both; the schemas declare only one. */
const basicKey = {
  type: "http",
  scheme: "basic",
  description: "API key as the user name, with an empty password: `curl -u sk_test_…:`."
}

const baseUrl = "http://127.0.0.1:3000"

const isNote = (part: object) => Object.keys(part).every((name) => name === "description" || name === "examples")

/**
 * Merges an `allOf` entry with only annotations, and an `anyOf` with one member, into the parent schema. Effect emits
 * these for fields and for unions of one. OpenAPI 3.1 allows their keywords next to any other.
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
  return { ...media, example: listOf(named(media.schema, schemas)) ? { ...(example as object), url: path } : example }
}

/** The request examples of the operations that create documents: an example of each kind of document. */
const documentExamples: Named<DocumentExamples<unknown>> = {
  "/v1/invoices": invoiceExamples,
  "/v1/credit-notes": creditNoteExamples,
  "/v1/debit-notes": debitNoteExamples
}

const askedOf = (content: Named<Media>, schemas: Schemas, path: string) => {
  const some = documentExamples[path]
  if (some === undefined) return contentOf(content, schemas, path)
  const examples = Record.map(some, ({ request, text, title }) => ({
    summary: title,
    description: text,
    value: request
  }))
  return { content: Record.map(content, (media) => ({ ...media, examples })) }
}

const contentOf = (content: Named<Media> | undefined, schemas: Schemas, path: string) =>
  content === undefined ? {} : { content: Record.map(content, (media) => withExample(media, schemas, path)) }

/**
 * The error statuses that an operation cannot return. 405 is always one of them, because a request that gets 405 has a
 * method without an operation.
 */
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
  RequestId: header("Id of the request. Include it when you report a problem.", "req_01k9z3v8c2m4n6p8q0r2s4t6v8"),
  SvcVersion: header("API version of the response.", "2026-01-01"),
  Location: header("Path of the object that the request created.", "/v1/invoices/inv_01k9z3v8c2m4n6p8q0r2s4t6v8"),
  Cached: header(
    "`true` if the response is the stored response of an earlier request with the same Idempotency-Key.",
    "false"
  ),
  RetryAfter: header("Number of seconds to wait before the next attempt.", "1")
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
    security: operation.security.flatMap((way) => ("apiKey" in way ? [way, { basicKey: [] }] : [way])),
    parameters: operation.parameters.map((parameter) => {
      const { description, ...schema } = parameter.schema
      const said = description ?? named(schema, schemas)?.description
      // A query has the members of an object in the form `metadata[order]=1001`.
      const style = parameter.in === "query" && schema.type === "object" ? { style: "deepObject", explode: true } : {}
      return { ...parameter, ...style, ...(said === undefined ? {} : { description: said }), schema }
    }),
    ...(operation.requestBody === undefined
      ? {}
      : { requestBody: { ...operation.requestBody, ...askedOf(operation.requestBody.content, schemas, path) } }),
    responses: Object.fromEntries(responses)
  }
}

const errorResponse = (status: number) => {
  const ofStatus = codesOf(status)
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
          ofStatus.map((code) => [
            code,
            { summary: errorCodes[code].example.request, value: errorExample(code, baseUrl) }
          ])
        )
      }
    }
  }
}

/**
 * Completes the OpenAPI document derived from the schemas: adds examples of requests and responses, a shared definition
 * of each error, response headers, and the webhooks. A route needs only its annotations.
 */
export const complete = (derived: Named<unknown>): Named<unknown> => {
  const document = flatten(derived) as Document
  const { schemas } = document.components
  const paths = Record.map(document.paths, (methods, path) =>
    Record.map(methods, (operation, method) => operationOf(path, method, operation, schemas))
  )
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const used = new Set(operations.flatMap(({ responses }) => Object.keys(responses).map(Number)))
  const errors = [...used].filter((status) => status >= 400).toSorted((a, b) => a - b)
  return {
    ...document,
    info: { ...document.info, contact: { name: "Folio" } },
    paths,
    webhooks: webhooks(schemas),
    components: {
      ...document.components,
      securitySchemes: { ...document.components.securitySchemes, basicKey },
      headers,
      parameters: deliveryHeaders,
      responses: Object.fromEntries(errors.map((status) => [`Error${status}`, errorResponse(status)]))
    }
  }
}
