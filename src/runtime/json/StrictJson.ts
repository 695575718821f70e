import { Result } from "effect"

const depthMax = 32
const membersMax = 1_000
// More objects than in a document of 500 lines with ten taxes each.
const objectsMax = 8_000
const reservedNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/**
 * Reads one JSON value from bytes. Rejects input that two JSON readers may understand differently: a byte order mark,
 * repeated or reserved member names, depth beyond 32, lone surrogates, numbers beyond a double. Also rejects an object
 * of more than 1000 members and a body of more than 8000 objects, which are expensive to read and which no request
 * needs. Fails with a message that includes the fix.
 */
export const parseStrict = (bytes: Uint8Array): Result.Result<unknown, string> => {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return Result.fail("The body is not valid UTF-8: encode it as UTF-8.")
  }
  if (text.charCodeAt(0) === 0xfeff) {
    return Result.fail("The body starts with a byte order mark: send the JSON without it.")
  }
  // The scan runs before JSON.parse, because it stops at the 33rd level. JSON.parse would follow a hundred thousand
  // levels.
  const scanned = scan(text)
  if (typeof scanned === "string") return Result.fail(scanned)
  let value: unknown
  try {
    value = JSON.parse(text)
    if (scanned.hasEscapedName) value = objectsOf(JSON.parse(withoutObjects(text)))
  } catch (error) {
    return Result.fail(`The body is not valid JSON, correct it: ${(error as SyntaxError).message}`)
  }
  const seen: Seen = { members: 0, fault: null, hasEscapes: text.includes("\\u") }
  inspect(value, seen)
  // JSON.parse keeps only the last member with a name. A value with fewer members than its text has a repeated name.
  if (seen.members < scanned.members) {
    return Result.fail(`The body repeats the member name ${shown(repeatedName(text))} within one object: send it once.`)
  }
  return seen.fault === null ? Result.succeed(value) : Result.fail(seen.fault)
}

const quote = 0x22
const colon = 0x3a
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

const tooDeep = `The body nests deeper than ${depthMax} levels: send it flatter.`
const tooWide = `The body has more than ${membersMax} members in one object: send fewer.`
const tooMany = `The body has more than ${objectsMax} objects: send fewer.`

interface Scanned {
  /** The number of members of all objects: the colons outside strings. */
  readonly members: number
  /** Whether the name of a member is written with an escape. */
  readonly hasEscapedName: boolean
}

/**
 * The counts of a JSON text, or the error message for too deep nesting, too many members in one object or too many
 * objects. Scans the text once; JSON.parse checks the grammar afterwards.
 */
const scan = (text: string): Scanned | string => {
  const ofLevel = new Uint32Array(depthMax + 1)
  let members = 0
  let objects = 0
  let depth = 0
  let string = 0
  let escape = text.indexOf("\\")
  let hasEscapedName = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) {
      string = index
      index = endOfString(text, index)
    } else if (code === colon) {
      members++
      if (escape !== -1 && escape < string) escape = text.indexOf("\\", string)
      if (escape !== -1 && escape < index) hasEscapedName = true
      if (++ofLevel[depth]! > membersMax) return tooWide
    } else if (code === closeBrace || code === closeBracket) depth--
    else if (code === openBrace || code === openBracket) {
      if (++depth > depthMax) return tooDeep
      if (code === openBrace && ++objects > objectsMax) return tooMany
      ofLevel[depth] = 0
    }
  }
  return { members, hasEscapedName }
}

const stringsAndBraces = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|\{(\s*\})?|\}/g

/**
 * A valid JSON text with an array instead of each object: an empty object, then the names and values in turn.
 * JSON.parse of Node 24.21 confuses a name with an escape with another name of an earlier object, from any request:
 * `"a\u00f1o"` with `"a\\u"`, and `"\n"` with `"\\"`. It reads values right.
 */
const withoutObjects = (text: string): string =>
  text.replace(stringsAndBraces, (token: string, colonAfter: string | undefined, end: string | undefined) => {
    if (token === "}") return "]"
    if (token.startsWith("{")) return end === undefined ? "[{}," : "[{}]"
    return colonAfter === undefined ? token : `${token.slice(0, -colonAfter.length)},`
  })

/** The value, with its objects, of a text that `withoutObjects` has written. */
const objectsOf = (value: unknown): unknown => {
  if (!Array.isArray(value)) return value
  const [first] = value
  if (typeof first !== "object" || first === null || Array.isArray(first)) return value.map(objectsOf)
  const members: Array<readonly [name: string, value: unknown]> = []
  for (let at = 1; at < value.length; at += 2) members.push([value[at], objectsOf(value[at + 1])])
  return Object.fromEntries(members)
}

/** The index of the quote that closes the string opened at `start`. */
const endOfString = (text: string, start: number): number => {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

const isEscaped = (text: string, index: number): boolean => {
  let backslashes = 0
  while (text[index - 1 - backslashes] === "\\") backslashes++
  return backslashes % 2 === 1
}

interface Seen {
  members: number
  fault: string | null
  /** Whether the text has Unicode escapes. Without an escape, valid UTF-8 cannot hold a lone surrogate. */
  readonly hasEscapes: boolean
}

/**
 * Counts the members of a value and records its first fault in `seen`. The scan has limited the recursion to 32 levels.
 */
const inspect = (value: unknown, seen: Seen): void => {
  if (typeof value === "string") {
    if (seen.hasEscapes && !value.isWellFormed()) seen.fault ??= loneSurrogate
  } else if (typeof value === "number") {
    if (!Number.isFinite(value)) seen.fault ??= numberTooLarge
  } else if (Array.isArray(value)) {
    for (const item of value) inspect(item, seen)
  } else if (typeof value === "object" && value !== null) {
    for (const name of Object.keys(value)) {
      seen.members++
      if (reservedNames.has(name)) seen.fault ??= `The body uses the reserved member name "${name}": choose another.`
      inspect(name, seen)
      inspect((value as Record<string, unknown>)[name], seen)
    }
  }
}

const loneSurrogate =
  "The body holds half of a surrogate pair (an escape from \\ud800 to \\udfff): write both halves, or the character."
const numberTooLarge = "The body holds a number beyond the range of a double: send a smaller one, or a string."

const stringsAndBrackets = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]/g

/** The first member name that occurs twice in one object of a valid JSON text. */
const repeatedName = (text: string): string => {
  const enclosing: Array<Set<string>> = []
  for (const [token, colonAfter] of text.matchAll(stringsAndBrackets)) {
    if (token === "{" || token === "[") enclosing.push(new Set())
    else if (token === "}" || token === "]") enclosing.pop()
    else if (colonAfter !== undefined) {
      const name: string = JSON.parse(token.slice(0, -colonAfter.length))
      if (enclosing.at(-1)?.has(name)) return name
      enclosing.at(-1)?.add(name)
    }
  }
  return ""
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 64))
