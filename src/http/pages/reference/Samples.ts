import { json, literal, php, python, type Syntax, typescript } from "./Literals.ts"
import { exampleId, type Operation } from "./Resources.ts"

export type Language = "curl" | "typescript" | "php" | "python"

export interface Sample {
  readonly language: Language
  readonly text: string
}

/** The names of the languages, in display order. */
export const languages: Readonly<Record<Language, string>> = {
  curl: "curl",
  typescript: "TypeScript",
  php: "PHP",
  python: "Python"
}

/** The setup lines of each language: the address, the key and the client. */
export const beginnings: Readonly<Record<Language, string>> = {
  curl: `export FOLIO_URL=http://127.0.0.1:3000
export FOLIO_API_KEY=$(cat data/test-key)`,
  typescript: `import { createClient } from "@folio-einvoicing/client"

const baseUrl = process.env["FOLIO_URL"] ?? ""
const apiKey = process.env["FOLIO_API_KEY"] ?? ""
const folio = createClient({ baseUrl, apiKey })`,
  php: `<?php
require 'folio/autoload.php';

$folio = new Folio\\Client(getenv('FOLIO_URL'), getenv('FOLIO_API_KEY'));`,
  python: `import os
from folio_invoices import Folio

folio = Folio(os.environ["FOLIO_URL"], os.environ["FOLIO_API_KEY"])`
}

/** The request in the samples of an operation. */
interface Request {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, number>>
  readonly body: unknown
  readonly key: string | undefined
  /** The name of the variable for the response. */
  readonly result: string
  readonly isList: boolean
  /** The file name for the response, if it is a file. */
  readonly file: string | undefined
  /** The media type of the body, if the body is a file. */
  readonly upload: string | undefined
}

const fill = (path: string, params: Readonly<Record<string, string>>) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? name)

const camel = (name: string) => name.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase())
const snake = (name: string) => name.replaceAll("-", "_").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const kebab = (name: string) => snake(name).replaceAll("_", "-")

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined

/** "/v1/invoices/{id}/pdf" → "invoice.pdf", "/v1/account/logo" with an image/png → "logo.png" */
const fileOf = (path: string, mediaType: string): string => {
  const name =
    path
      .replace(/s\/\{id\}\//, ".")
      .split("/")
      .at(-1) ?? ""
  return name.includes(".") ? name : `${name}.${mediaType.split("/")[1]}`
}

const requestOf = (operation: Operation): Request => {
  const { answers, body, method, name, parameters, path } = operation
  const has = (header: string, isRequired: boolean) =>
    parameters.some((one) => one.name === header && (!isRequired || one.required === true))
  const inPath = parameters.filter((one) => one.in === "path")
  const answer = answers[0]
  const isList = has("starting_after", false)
  const items = memberOf(answer?.example, "data")
  const object = memberOf(isList && Array.isArray(items) ? items[0] : answer?.example, "object")
  return {
    operation,
    params: Object.fromEntries(
      inPath.map((one) => [one.name, String(one.schema.examples?.[0] ?? exampleId(operation, one.name))])
    ),
    query: isList ? { limit: 10 } : {},
    body: body?.example,
    key: has("idempotency-key", true) ? `${kebab(name)}-1` : undefined,
    result: typeof object === "string" && object !== "list" ? object : isList ? "one" : "answer",
    isList: isList && method === "GET",
    file: answer?.mediaType.startsWith("application/json") === false ? fileOf(path, answer.mediaType) : undefined,
    upload: body === undefined || body.mediaType === "application/json" ? undefined : body.mediaType
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The mail provider signs its notices instead of sending an API key, so Folio's clients have no method for them. */
const signedCurl = ({ body, operation }: Request) => `BODY=${quoted(literal(body, json))}
T=$(date +%s)
SIGNATURE=$(printf '%s.%s' "$T" "$BODY" | openssl dgst -sha256 -hmac "$MAIL_NOTICE_SECRET" | sed 's/.*= //')
curl "$FOLIO_URL${operation.path}" \\
  -H "Svc-Signature: t=$T,v1=$SIGNATURE" \\
  -H "Content-Type: application/json" \\
  -d "$BODY"`

const curl = (request: Request): string => {
  const { body, file, key, operation, params, query, upload } = request
  if (operation.scheme !== undefined && operation.scheme !== "apiKey") return signedCurl(request)
  const asked = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
  ).toString()
  const { method } = operation
  const isSaid = method === (body === undefined ? "GET" : "POST")
  return [
    `curl ${isSaid ? "" : `-X ${method} `}"$FOLIO_URL${fill(operation.path, params)}${asked === "" ? "" : `?${asked}`}"`,
    ...(operation.scheme === undefined ? [] : ['-H "Authorization: Bearer $FOLIO_API_KEY"']),
    ...(key === undefined ? [] : [`-H "Idempotency-Key: ${key}"`]),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${quoted(literal(body, json))}`]),
    ...(upload === undefined
      ? []
      : [`-H "Content-Type: ${upload}"`, `--data-binary @${fileOf(operation.path, upload)}`]),
    ...(file === undefined ? [] : [`-o ${file}`])
  ].join(" \\\n  ")
}

const typescriptOf = ({ body, file, key, operation, params, query, result }: Request): string => {
  const parts = {
    params: Object.keys(params).length > 0 ? params : undefined,
    query: Object.keys(query).length > 0 ? query : undefined,
    headers: key === undefined ? undefined : { "idempotency-key": key },
    payload: body
  }
  const given = Object.values(parts).some((part) => part !== undefined) ? literal(parts, typescript) : ""
  const name =
    file === undefined
      ? operation.parameters.some((one) => one.name === "starting_after")
        ? "page"
        : camel(result)
      : "file"
  return `const ${name} = await folio.${operation.group}.${operation.name}(${given})`
}

/** Operations whose method name in the PHP and Python clients differs from their path. */
const namedOtherwise: Readonly<Record<string, readonly [resource: string, method: string]>> = {
  "POST /v1/account/certificate": ["account", "uploadCertificate"],
  "POST /v1/account/enablement": ["account", "startEnablement"],
  "DELETE /v1/account/logo": ["account", "deleteLogo"],
  "PUT /v1/account/software": ["account", "putSoftware"],
  "DELETE /v1/account/software": ["account", "deleteSoftware"],
  "PUT /v1/customers/{id}": ["customers", "replace"],
  "POST /v1/accounts/{id}/api-keys": ["accounts", "createApiKey"],
  "DELETE /v1/api-keys/{id}": ["api-keys", "revoke"],
  "DELETE /v1/portal-sessions/{id}": ["portal-sessions", "end"],
  "POST /v1/resolutions/import": ["resolutions", "importGranted"],
  "POST /v1/test-helpers/authority": ["test-helpers", "setAuthority"]
}

/** Operations whose method in these clients takes one member of the body instead of the body. */
const takesMember: Readonly<Record<string, string>> = {
  "POST /v1/test-helpers/authority": "mode",
  "POST /v1/test-helpers/advance": "seconds"
}

const verbs: Readonly<Record<string, string>> = { POST: "create", PATCH: "update", DELETE: "delete", GET: "retrieve" }

/** The resource and the method of an operation in the PHP and Python clients, derived from its path. */
const methodOf = ({ isList, operation: { method, path } }: Request): readonly [resource: string, method: string] => {
  const [, , resource = "", ...rest] = path.split("/")
  const last = rest.findLast((part) => !part.startsWith("{"))
  if (last === "email") return [resource, "sendEmail"]
  if (last !== undefined) return [resource, camel(last)]
  if (isList) return [resource, "list"]
  return [resource, rest.length === 0 && resource === "account" && method === "POST" ? "update" : (verbs[method] ?? "")]
}

interface Program {
  readonly syntax: Syntax
  readonly call: (resource: string, method: string, args: ReadonlyArray<string>) => string
  /** Sends any request: for operations without a method, and for bodies that the method does not accept. */
  readonly any: (method: string, path: string, body: string | undefined) => string
  readonly versions: string
  readonly keyed: (key: string) => string
  readonly loop: (one: string, list: string) => string
  readonly save: (file: string, bytes: string) => string
  readonly assign: (name: string, value: string) => string
}

const phpProgram: Program = {
  syntax: php,
  call: (resource, method, args) => `$folio->${camel(resource)}->${method}(${args.join(", ")})`,
  any: (method, path, body) => `$folio->request('${method}', '${path}'${body === undefined ? "" : `, body: ${body}`})`,
  versions: "$folio->versions()",
  keyed: (key) => `'${key}'`,
  loop: (one, list) => `foreach (${list} as $${camel(one)}) {\n    print_r($${camel(one)});\n}`,
  save: (file, bytes) => `file_put_contents('${file}', ${bytes});`,
  assign: (name, value) => `$${camel(name)} = ${value};`
}

const pythonProgram: Program = {
  syntax: python,
  call: (resource, method, args) => `folio.${snake(resource)}.${snake(method)}(${args.join(", ")})`,
  any: (method, path, body) => `folio.request("${method}", "${path}"${body === undefined ? "" : `, body=${body}`})`,
  versions: "folio.versions()",
  keyed: (key) => `idempotency_key="${key}"`,
  loop: (one, list) => `for ${snake(one)} in ${list}:\n    print(${snake(one)})`,
  save: (file, bytes) => `with open("${file}", "wb") as file:\n    file.write(${bytes})`,
  assign: (name, value) => `${snake(name)} = ${value}`
}

const programOf = (request: Request, program: Program): string => {
  const { body, file, isList, key, operation, params, query, result } = request
  const route = `${operation.method} ${operation.path}`
  const { syntax } = program
  if (operation.path === "/v1/versions") return program.assign("versions", program.versions)
  const member = takesMember[route]
  const given = member === undefined ? body : memberOf(body, member)
  const isTaken = member === undefined || (given !== undefined && Object.keys(body ?? {}).length === 1)
  if (operation.scheme === undefined || !isTaken) {
    const sent = body === undefined ? undefined : literal(body, syntax)
    return program.assign(result, program.any(operation.method, operation.path, sent))
  }
  const [resource, method] = namedOtherwise[route] ?? methodOf(request)
  const call = program.call(resource, method, [
    ...Object.values(params).map(syntax.text),
    ...(isList ? [literal(query, syntax)] : []),
    ...(given === undefined ? [] : [literal(given, syntax)]),
    ...(key === undefined ? [] : [program.keyed(key)])
  ])
  if (file !== undefined) return program.save(file, call)
  return isList ? program.loop(result, call) : program.assign(result, call)
}

/** The samples of an operation, one per language that can send it. */
export const samplesOf = (operation: Operation): ReadonlyArray<Sample> => {
  const request = requestOf(operation)
  const first: Sample = { language: "curl", text: curl(request) }
  // Each language reads the uploaded file in its own way.
  if (request.upload !== undefined || (operation.scheme !== undefined && operation.scheme !== "apiKey")) return [first]
  return [
    first,
    { language: "typescript", text: typescriptOf(request) },
    { language: "php", text: programOf(request, phpProgram) },
    { language: "python", text: programOf(request, pythonProgram) }
  ]
}
