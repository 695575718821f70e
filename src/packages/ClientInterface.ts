/*
 * Generates src/client/Interface.ts, the client's types, from openapi.json. No program needs the file to run: modules import it as
 * types alone. `npm run check`, `npm run build` and `npm run openapi` generate it:
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

/** The parts of an OpenAPI document that the types of the client are made of. */
interface Document {
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** The name of a type. `Error` is taken: every program has one of its own. */
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
  if (schema.format === "binary") return "Uint8Array"
  if (schema.type === "integer") return "number"
  if (schema.type !== undefined && ["string", "number", "boolean", "null"].includes(schema.type)) return schema.type
  throw new Error(`there is no type for ${JSON.stringify(schema)}`)
}

/** The type of a parameter: in an address everything is a text, so what it stands for is told by the texts that it may be. */
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

/** What an operation takes, with the names that Effect's `HttpApiClient` has for its parts. */
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

/** The objects of a list that comes in pages. */
const itemOf = ({ parameters = [] }: Operation, answer: Schema, { components: { schemas } }: Document) => {
  const isPaged = parameters.some(({ name }) => name === "starting_after")
  const page = answer.$ref === undefined ? answer : schemas[answer.$ref.slice(answer.$ref.lastIndexOf("/") + 1)]
  return isPaged ? page?.properties?.["data"]?.items : undefined
}

const answerOf = ({ responses }: Operation) => {
  const [, success = {}] = Object.entries(responses).find(([status]) => status < "300") ?? []
  return schemaOf(success) ?? {}
}

/** What a client does: an operation, or to read a list to its end. */
interface Call {
  readonly group: string
  readonly name: string
  readonly tag: string | undefined
  /** Its declaration. */
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
  // A list is read forwards: a page before another one makes no sense.
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
        "Gives the objects of all pages. A page is read when its first object is asked for."
      )
    }
  ]
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** What a client does by group: the operations that an API key opens, and those that are open to all. */
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
 * The objects and operations of the API as plain types. Generated from openapi.json by src/packages/ClientInterface.ts: not in git.
 */

`

const headers = `/** The headers that every operation takes. */
export interface VersionHeaders {
  /** The dated version of the interface; that of the client when left out. */
  readonly "svc-version"?: Version
}

/** The headers of an operation that changes something. */
export interface KeyHeaders extends VersionHeaders {
  /**
   * Names the operation, with at most 128 printable ASCII characters: however often it is sent, it is carried out once. The
   * client makes a key for each call that has none.
   */
  readonly "idempotency-key"?: string
}

`

/** Indents each line by the braces that are open before it. */
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

/** The text of src/client/Interface.ts. */
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
      "/** What each operation takes and answers, by group; of a list that is read to its end, what it gives. */\nexport interface Operations {\n",
      ...groups.map(([group, calls]) =>
        member(group, true, `${capitalized(group)}Operations`, descriptionOf(calls[0]?.tag))
      ),
      "}\n"
    ].join("")
  )
}

/** Generates the file, unless it is there with the same text. */
export const writeClientInterface = (): void => {
  const root = Path.join(import.meta.dirname, "../..")
  const file = Path.join(root, "src/client/Interface.ts")
  const text = clientInterface(JSON.parse(Fs.readFileSync(Path.join(root, "openapi.json"), "utf8")) as Document)
  if (Fs.existsSync(file) && Fs.readFileSync(file, "utf8") === text) return
  // Other programs may read the file meanwhile: it is whole at every moment.
  const own = `${file}.${process.pid}`
  Fs.writeFileSync(own, text)
  Fs.renameSync(own, file)
}

if (import.meta.main) writeClientInterface()
