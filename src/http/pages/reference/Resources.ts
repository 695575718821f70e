import { codesOf } from "../../../api/ErrorApi.ts"
import type { JsonSchema, Schemas } from "../../../api/Examples.ts"
import { openApi } from "../../../api/OpenApi.ts"
import type { ErrorCode } from "../../../../schemas/ErrorCode.ts"

/** The parts of a JSON Schema that the pages read. */
export interface FieldSchema extends JsonSchema {
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: FieldSchema
}

interface Media {
  readonly schema?: FieldSchema
  readonly example?: unknown
  /** The examples, one of each kind, instead of a single example. */
  readonly examples?: Readonly<Record<string, NamedExample>>
}

interface NamedExample {
  readonly summary: string
  readonly description: string
  readonly value: unknown
}

interface DocumentOperation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary?: string
  readonly description?: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly security: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<
    Record<string, { readonly description?: string; readonly content?: Readonly<Record<string, Media>> }>
  >
}

type Paths = Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>

interface Document {
  readonly paths: Paths
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly components: { readonly schemas: Schemas; readonly parameters: Readonly<Record<string, Parameter>> }
  readonly webhooks: Readonly<Record<string, { readonly post: DocumentOperation }>>
}

// `openApi` adds members that Effect's type does not have.
const document = openApi as unknown as Document

export const schemas: Readonly<Record<string, FieldSchema>> = document.components.schemas

export interface Answer {
  readonly status: string
  readonly description: string
  readonly mediaType: string
  readonly schema: FieldSchema | undefined
  readonly example: unknown
}

export interface Operation {
  /** The group and the name of `invoices.createInvoice`. */
  readonly group: string
  readonly name: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly scheme: string | undefined
  readonly body: (Media & { readonly mediaType: string }) | undefined
  readonly answers: ReadonlyArray<Answer>
  readonly errors: ReadonlyArray<{ readonly status: number; readonly codes: ReadonlyArray<ErrorCode> }>
  /** Whether POST is an alias of this PATCH. */
  readonly isAlsoPost: boolean
}

export interface Resource {
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly operations: ReadonlyArray<Operation>
}

const isOfDocuments = (path: string) => /\/(invoices|credit-notes|debit-notes)/.test(path)

/** The requests that can return a code. A code without an entry may occur in any operation with its status code. */
const subjects: ReadonlyArray<readonly [code: RegExp, isOf: (operation: DocumentOperation, path: string) => boolean]> =
  [
    [/^(invoice|credit)_/, (_, path) => isOfDocuments(path)],
    [/_mismatch$|^due_date/, ({ requestBody }, path) => requestBody !== undefined && isOfDocuments(path)],
    [/^resolution_/, (_, path) => path.startsWith("/v1/resolutions")],
    [/^customer_/, (_, path) => path.startsWith("/v1/customers")],
    [/^(endpoint|url)_|^unknown_event_type$/, (_, path) => path.startsWith("/v1/webhook-")],
    [/^email_/, (_, path) => path.endsWith("/email")],
    [/^link_/, (_, path) => /\/(pdf|xml)$/.test(path)],
    [/^portal_session_/, (_, path) => path.startsWith("/v1/portal-sessions")],
    [/api_key_|last_api_key/, (_, path) => path.startsWith("/v1/api-keys")],
    [/^idempotency_/, ({ parameters }) => parameters.some(({ name }) => name === "idempotency-key")],
    [/^invalid_cursor$/, ({ parameters }) => parameters.some(({ name }) => name === "starting_after")],
    [/^(malformed_json|invalid_check_digit|unknown_catalog_code)$/, ({ requestBody }) => requestBody !== undefined],
    [/^route_not_found$/, () => false]
  ]

const errorsOf = (operation: DocumentOperation, path: string) =>
  Object.keys(operation.responses)
    .map(Number)
    .filter((status) => status >= 400)
    .map((status) => ({
      status,
      codes: codesOf(status).filter((code) => {
        const subject = subjects.find(([codes]) => code !== "invalid_api_key" && codes.test(code))
        return subject === undefined || subject[1](operation, path)
      })
    }))
    .filter(({ codes }) => codes.length > 0)

const answersOf = ({ responses }: DocumentOperation): ReadonlyArray<Answer> =>
  Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .map(([status, { content = {}, description = "" }]) => {
      const [mediaType = "", media = {}] = Object.entries(content)[0] ?? []
      return { status, description, mediaType, schema: media.schema, example: media.example }
    })

/** The body of an operation, with its first example. */
const bodyOf = ({ requestBody }: DocumentOperation): Operation["body"] => {
  const [given] = Object.entries(requestBody?.content ?? {})
  if (given === undefined) return undefined
  const [mediaType, body] = given
  const [first] = Object.values(body.examples ?? {})
  return { ...body, mediaType, ...(first === undefined ? {} : { example: first.value }) }
}

const operationOf = (path: string, method: string, operation: DocumentOperation): Operation => {
  const [group = "", name = ""] = operation.operationId.split(".")
  return {
    group,
    name,
    method: method.toUpperCase(),
    path,
    summary: operation.summary ?? name,
    description: operation.description ?? "",
    parameters: operation.parameters,
    scheme: operation.security.flatMap((one) => Object.keys(one))[0],
    body: bodyOf(operation),
    answers: answersOf(operation),
    errors: errorsOf(operation, path),
    isAlsoPost: method === "patch" && document.paths[path]?.["post"] !== undefined
  }
}

/** Every operation of the API with its tag. Omits POST aliases of PATCH. */
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([method]) => method !== "post" || methods["patch"] === undefined)
    .map(([method, operation]) => ({ tag: operation.tags[0], operation: operationOf(path, method, operation) }))
)

const slugOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")

export const resources: ReadonlyArray<Resource> = document.tags.map(({ description = "", name }) => ({
  slug: slugOf(name),
  name,
  description,
  operations: operations.filter(({ tag }) => tag === name).map(({ operation }) => operation)
}))

export interface WebhookType {
  readonly type: string
  readonly description: string
  readonly example: unknown
}

export const webhookTypes: ReadonlyArray<WebhookType> = Object.entries(document.webhooks).map(([type, { post }]) => ({
  type,
  description: post.description ?? "",
  example: Object.values(post.requestBody?.content ?? {})[0]?.example
}))

export const webhookHeaders = Object.values(document.components.parameters).filter(
  (parameter) => parameter.in === "header"
)

/** The example id in a path, from the example of the path's object. */
export const exampleId = (operation: Operation, parameter: string): string => {
  const collection = operation.path.slice(0, operation.path.indexOf("/{"))
  const one = operations.find(
    ({ operation: { method, path } }) => method === "GET" && path === `${collection}/{${parameter}}`
  )
  const example = one?.operation.answers[0]?.example
  if (typeof example !== "object" || example === null) return "id"
  const id = "id" in example ? example.id : "name" in example ? example.name : undefined
  return typeof id === "string" ? id : "id"
}
