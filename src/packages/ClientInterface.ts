/*
 * Generates src/clients/typescript/Interface.ts, the client's types, from openapi.json. No program needs the file at
 * run time: modules import only types from it. `npm run check`, `npm run build` and `npm run openapi` generate it:
 *
 *   node src/packages/ClientInterface.ts
 */
import * as Fs from "node:fs"
import * as Path from "node:path"

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly pattern?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<string | boolean | number>
  readonly anyOf?: ReadonlyArray<Schema>
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | Schema
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: Schema
  readonly description?: string
}

interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly description: string
  readonly security: ReadonlyArray<object>
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

/** The parts of an OpenAPI document that the types of the client come from. */
interface Document {
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** The name of a type. `Error` is already a type of every program. */
const typeName = (ref: string) => {
  const name = ref.slice(ref.lastIndexOf("/") + 1)
  return name === "Error" ? "ErrorBody" : name
}

const widthMax = 110

const wrap = (paragraph: string) =>
  paragraph.split(" ").reduce<ReadonlyArray<string>>((lines, word) => {
    const last = lines.at(-1)
    return last !== undefined && last.length + word.length < widthMax
      ? [...lines.slice(0, -1), `${last} ${word}`]
      : [...lines, word]
  }, [])

const comment = (...paragraphs: ReadonlyArray<string | undefined>) => {
  const lines = paragraphs
    .filter((paragraph) => paragraph !== undefined)
    .flatMap((paragraph, index) => [...(index === 0 ? [] : [""]), ...wrap(paragraph.replaceAll("*/", "* /"))])
  if (lines.length === 0) return ""
  return lines.length === 1 ? `/** ${lines[0]} */\n` : `/**\n${lines.map((line) => ` * ${line}\n`).join("")} */\n`
}

const member = (name: string, isRequired: boolean, type: string, ...description: ReadonlyArray<string | undefined>) =>
  `${comment(...description)}readonly ${/^\w+$/u.test(name) ? name : JSON.stringify(name)}${isRequired ? "" : "?"}: ${type}\n`

const membersOf = ({ properties = {}, required = [] }: Schema): string =>
  Object.entries(properties)
    .map(([name, schema]) => member(name, required.includes(name), typeOf(schema), schema.description))
    .join("")

const typeOf = (schema: Schema): string => {
  if (schema.$ref !== undefined) return typeName(schema.$ref)
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(" | ")
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  if (schema.type === "array") return `ReadonlyArray<${typeOf(schema.items ?? {})}>`
  if (schema.properties !== undefined) return `{\n${membersOf(schema)}}`
  if (typeof schema.additionalProperties === "object") {
    return `{ readonly [name: string]: ${typeOf(schema.additionalProperties)} }`
  }
  if (schema.type === "object") return "{ readonly [name: string]: unknown }"
  if (schema.format === "binary") return "Uint8Array"
  if (schema.type === "integer") return "number"
  if (schema.type !== undefined && ["string", "number", "boolean", "null"].includes(schema.type)) return schema.type
  throw new Error(`there is no type for ${JSON.stringify(schema)}`)
}

/** The type of a parameter. All values in a URL are texts, so the allowed texts determine the type. */
const parameterType = (schema: Schema) => {
  if (schema.enum?.every((value) => value === "true" || value === "false") === true) return "boolean"
  const allows = (text: string) => new RegExp(schema.pattern ?? "", "u").test(text)
  const isNumber = schema.pattern !== undefined && allows("1") && allows("20") && !allows("A")
  return isNumber ? "number" : typeOf(schema)
}

const named = ([name, schema]: readonly [string, Schema]) =>
  `${comment(schema.description)}export ${
    schema.properties === undefined
      ? `type ${typeName(name)} = ${typeOf(schema)}`
      : `interface ${typeName(name)} {\n${membersOf(schema)}}`
  }\n\n`

const schemaOf = ({ content = {} }: Content) => Object.values(content)[0]?.schema

/** The type of an operation's request, with the member names of Effect's `HttpApiClient`. */
const requestOf = ({ parameters = [], requestBody }: Operation) => {
  const part = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const inline = (list: ReadonlyArray<Parameter>) =>
    `{\n${list.map(({ description, name, required, schema }) => member(name, required, parameterType(schema), description)).join("")}}`
  const [path, query] = [part("path"), part("query")]
  const isKeyed = part("header").some(({ name }) => name === "idempotency-key")
  const body = requestBody === undefined ? undefined : schemaOf(requestBody)
  const members = [
    path.length === 0 ? "" : member("params", true, inline(path)),
    query.length === 0 ? "" : member("query", false, inline(query)),
    body === undefined ? "" : member("payload", true, typeOf(body)),
    part("header").length === 0 ? "" : member("headers", false, isKeyed ? "KeyHeaders" : "VersionHeaders")
  ]
  return members.every((text) => text === "") ? "{}" : `{\n${members.join("")}}`
}

/** The type of the objects in a paged list; undefined for other operations. */
const itemOf = ({ parameters = [] }: Operation, answer: Schema, { components: { schemas } }: Document) => {
  const isPaged = parameters.some(({ name }) => name === "starting_after")
  const page = answer.$ref === undefined ? answer : schemas[answer.$ref.slice(answer.$ref.lastIndexOf("/") + 1)]
  return isPaged ? page?.properties?.["data"]?.items : undefined
}

const answerOf = ({ responses }: Operation) => {
  const [, success = {}] = Object.entries(responses).find(([status]) => status < "300") ?? []
  return schemaOf(success) ?? {}
}

/** A method of the client: an operation, or one that reads all pages of a list. */
interface Call {
  readonly group: string
  readonly name: string
  readonly tag: string | undefined
  /** The declaration. */
  readonly text: string
}

const callsOf = (operation: Operation, document: Document): ReadonlyArray<Call> => {
  const [group = "", name = ""] = operation.operationId.split(".")
  const of = { group, tag: operation.tags[0] }
  const answer = answerOf(operation)
  const item = itemOf(operation, answer, document)
  const declared = (request: Operation, key: string, type: Schema) =>
    `{\n${member("request", true, requestOf(request))}${member(key, true, typeOf(type))}}`
  const { description } = operation
  const summary = `${operation.summary}.`
  const call = { ...of, name, text: member(name, true, declared(operation, "answer", answer), summary, description) }
  if (item === undefined) return [call]
  const all = name.replace(/^list/u, "all")
  // The method reads forwards, so it has no `ending_before`.
  const parameters = operation.parameters?.filter((parameter) => parameter.name !== "ending_before") ?? []
  const whole = declared({ ...operation, parameters }, "item", item)
  return [
    call,
    {
      ...of,
      name: all,
      text: member(
        all,
        true,
        whole,
        summary,
        "Returns the objects of all pages. Reads each page when the program asks for its first object."
      )
    }
  ]
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** The methods by group: operations for an API key, and operations without authentication. */
const groupsOf = (document: Document) =>
  Map.groupBy(
    Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ security }) =>
        security.every((scheme) => Object.keys(scheme).every((name) => name !== "noticeSignature"))
      )
      .flatMap((operation) => callsOf(operation, document)),
    ({ group }) => group
  )

const head = `/*
 * The objects and operations of the API as plain types. src/packages/ClientInterface.ts generates this file from
 * openapi.json. It is not in git.
 */

`

const headers = `/** Headers of every operation. */
export interface VersionHeaders {
  /** Dated version of the API; the client's version if omitted. */
  readonly "svc-version"?: Version
  /** Account that a platform's key acts for; the client's account if omitted. */
  readonly "svc-account"?: string
}

/** Headers of an operation that changes data. */
export interface KeyHeaders extends VersionHeaders {
  /**
   * Name of the operation, with at most 128 printable ASCII characters. The service carries out the operation once,
   * however often you send it. The client creates a key for each call without one.
   */
  readonly "idempotency-key"?: string
}

`

/** Indents each line by the number of open braces before it. */
const indented = (source: string) => {
  let depth = 0
  return source.replaceAll(/^.+$/gmu, (line) => {
    const isComment = /^(\/\*| \*)/u.test(line)
    if (!isComment && line.startsWith("}")) depth--
    const text = `${"  ".repeat(depth)}${line}`
    if (!isComment && line.endsWith("{")) depth++
    return text
  })
}

/** The text of src/clients/typescript/Interface.ts. */
const clientInterface = (document: Document): string => {
  const groups = [...groupsOf(document)]
  const descriptions = new Map(document.tags.map(({ description, name }) => [name, description]))
  const descriptionOf = (tag: string | undefined) => descriptions.get(tag ?? "")
  return indented(
    [
      head,
      ...Object.entries(document.components.schemas).map(named),
      headers,
      ...groups.map(
        ([group, calls]) =>
          `${comment(descriptionOf(calls[0]?.tag))}export interface ${capitalized(group)}Operations {\n${calls
            .map(({ text }) => text)
            .join("")}}\n\n`
      ),
      "/** Request and response of each operation, by group. A method that reads all pages has the type of an item instead. */\nexport interface Operations {\n",
      ...groups.map(([group, calls]) =>
        member(group, true, `${capitalized(group)}Operations`, descriptionOf(calls[0]?.tag))
      ),
      "}\n"
    ].join("")
  )
}

/** Generates the file, unless it already has the same text. */
export const writeClientInterface = (): void => {
  const root = Path.join(import.meta.dirname, "../..")
  const file = Path.join(root, "src/clients/typescript/Interface.ts")
  const text = clientInterface(JSON.parse(Fs.readFileSync(Path.join(root, "schemas/openapi.json"), "utf8")) as Document)
  if (Fs.existsSync(file) && Fs.readFileSync(file, "utf8") === text) return
  // Other programs can read the file at any time, so they must never see a part of it.
  const own = `${file}.${process.pid}`
  Fs.writeFileSync(own, text)
  Fs.renameSync(own, file)
}

if (import.meta.main) writeClientInterface()
