import { type Privacy, privacyOf } from "./FieldPrivacy.ts"
import {
  hide,
  type Hidden,
  idForm,
  masked,
  type MaskLevel,
  maskText,
  secret,
  secretForm,
  unknown
} from "./RequestMask.ts"

/** The maximum bytes of a body that are kept. */
export const keptBytesMax = 16 * 1024

/**
 * The maximum of a body that is read, in characters, or in bytes before they are decoded, so that a body of any size
 * costs the same. It exceeds the kept maximum, because masking may shorten a text.
 */
export const readMax = 64 * 1024

// No number of the API is longer.
const literalMax = 32

/** The text of a string token, without its quotes and escapes. */
const plain = (token: string): string => (token.includes("\\") ? String(JSON.parse(token)) : token.slice(1, -1))

export interface MaskedBody {
  readonly text: string
  /** The id of the object that the whole body shows. */
  readonly id: string | undefined
}

interface MaskOptions {
  readonly level: MaskLevel
  /** Whether the body is an error or a verdict of Folio about the request; any other `message` is masked. */
  readonly hasMessages: boolean
  /** Records the omitted parts. */
  readonly hidden: Hidden
}

/**
 * Masks a JSON text, which is valid or the beginning of a valid text, and truncates it to `keptBytesMax`. The text is
 * read once from its beginning, and only as far as it is kept.
 */
export const maskJson = (json: string, options: MaskOptions): MaskedBody => {
  const masking = new Masking(json.length > readMax ? json.slice(0, readMax) : json, options)
  masking.run()
  if (json.length > readMax) options.hidden.isAll = true
  return { text: cut(masking.out), id: masking.id }
}

/** A single pass over a JSON text, which writes the masked text to `out`. */
class Masking {
  out = ""
  id: string | undefined
  private readonly cursor: JsonCursor
  private readonly options: MaskOptions

  constructor(text: string, options: MaskOptions) {
    this.cursor = new JsonCursor(text)
    this.options = options
  }

  run(): void {
    this.cursor.skipSpace()
    if (!this.cursor.isAtEnd) this.value("holder", 0, "")
    this.cursor.skipSpace()
    // The rest is unknown, and an error may quote it.
    if (!this.cursor.isAtEnd) this.options.hidden.isAll = true
  }

  private get isOver(): boolean {
    return this.cursor.isAtEnd || this.out.length >= keptBytesMax
  }

  /** Masks the value at this position. `inherited`: the rule for unknown names inside the value. */
  private value(privacy: Privacy | undefined, depth: number, name: string, inherited?: Privacy): void {
    if (this.isOver) return
    const { kind } = this.cursor
    if (kind === "string") return this.string(privacy, depth, name)
    if (kind !== "object" && kind !== "array") return this.literal(privacy)
    const { level } = this.options
    const isLeftOut = privacy === "secret" || (privacy === "personal" && level === "masked")
    if (isLeftOut) {
      this.skip()
      this.out += `"${privacy === "secret" ? secret : masked}"`
      return
    }
    const inner = privacy === "personal" ? "personal" : inherited
    if (kind === "object") this.object(inner, depth + 1)
    else this.array(privacy, inner, depth)
  }

  private string(privacy: Privacy | undefined, depth: number, name: string): void {
    const { hasMessages, hidden, level } = this.options
    const token = this.cursor.takeString()
    if (token === undefined) return
    const value = plain(token)
    if (depth === 1 && name === "id" && idForm.test(value)) this.id = value
    const applied = privacy === "message" && !hasMessages ? "personal" : privacy
    const shown = maskText(value, applied, level, hidden)
    if (shown === value) this.out += token
    else {
      hide(hidden, value)
      this.out += JSON.stringify(shown)
    }
  }

  private literal(privacy: Privacy | undefined): void {
    const { hidden, level } = this.options
    const literal = this.cursor.takeLiteral()
    const isOfFull = privacy === "personal" || privacy === "id"
    const isKept = /^(?:null|true|false)$/.test(literal) || (isOfFull && level === "full")
    if (isKept || privacy === "open") this.out += literal.slice(0, literalMax)
    else {
      hide(hidden, literal)
      this.out += `"${masked}"`
    }
  }

  /**
   * `inherited`: the rule for every name but a secret's, for an object such as `metadata`, whose names the client
   * chooses.
   */
  private object(inherited: Privacy | undefined, depth: number): void {
    const { cursor } = this
    cursor.skipSign()
    this.out += "{"
    let isFirst = true
    let hasUnknown = false
    for (cursor.skipSpace(); !this.isOver && cursor.kind !== "close"; cursor.skipSpace()) {
      if (cursor.kind === "separator") {
        cursor.skipSign()
        cursor.skipSpace()
      }
      const token = cursor.takeString()
      cursor.skipSpace()
      if (token === undefined || cursor.isAtEnd) return
      cursor.skipSign()
      cursor.skipSpace()
      const name = plain(token)
      const own = privacyOf(name)
      const privacy = own === "secret" ? own : (inherited ?? own)
      const separator = isFirst ? "" : ","
      if (privacy === undefined || secretForm.test(name)) {
        hide(this.options.hidden, name)
        this.skip()
        if (!hasUnknown) this.out += `${separator}"${unknown}":"${masked}"`
        hasUnknown = true
      } else {
        this.out += `${separator}${token}:`
        this.value(privacy, depth, name)
      }
      isFirst = false
    }
    if (this.isOver) return
    cursor.skipSign()
    this.out += "}"
  }

  private array(privacy: Privacy | undefined, inherited: Privacy | undefined, depth: number): void {
    const { cursor } = this
    cursor.skipSign()
    this.out += "["
    for (cursor.skipSpace(); !this.isOver && cursor.kind !== "close"; cursor.skipSpace()) {
      if (cursor.kind === "separator") {
        cursor.skipSign()
        this.out += ","
        cursor.skipSpace()
      }
      this.value(privacy, depth, "", inherited)
    }
    if (this.isOver) return
    cursor.skipSign()
    this.out += "]"
  }

  /** Skips the value at this position, and records its strings, names and literals. */
  private skip(): void {
    const { cursor } = this
    const { hidden } = this.options
    let depth = 0
    do {
      cursor.skipSpace()
      const { kind } = cursor
      if (kind === "string") {
        const token = cursor.takeString()
        if (token !== undefined && !hidden.isAll) hide(hidden, plain(token))
      } else if (kind === "literal") hide(hidden, cursor.takeLiteral())
      else {
        if (kind !== "separator") depth += kind === "close" ? -1 : 1
        cursor.skipSign()
      }
    } while (depth > 0 && !cursor.isAtEnd)
  }
}

/** The first `keptBytesMax` bytes of a text, in whole characters. */
const cut = (text: string): string => {
  const bytes = Buffer.from(text)
  if (bytes.length <= keptBytesMax) return text
  let end = keptBytesMax
  // A byte that continues a character has 10 as its first two bits.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString("utf8", 0, end)
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * A position in a JSON text, which is valid or the beginning of a valid text. Each `take` moves the position after the
 * returned token.
 */
class JsonCursor {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  /** The kind of token at this position, by its first character. */
  get kind(): "string" | "object" | "array" | "close" | "separator" | "literal" {
    const char = this.text.charCodeAt(this.at)
    if (char === quote) return "string"
    if (char === openBrace) return "object"
    if (char === openBracket) return "array"
    if (char === closeBrace || char === closeBracket) return "close"
    return char === comma || char === colon ? "separator" : "literal"
  }

  skipSpace(): void {
    while (this.at < this.text.length && this.text.charCodeAt(this.at) <= 0x20) this.at++
  }

  /** Moves after one brace, bracket, comma or colon. */
  skipSign(): void {
    this.at++
  }

  /** The string at this position with its quotes; undefined if the text ends within the string. */
  takeString(): string | undefined {
    const begin = this.at
    let close = this.text.indexOf('"', begin + 1)
    for (; close !== -1; close = this.text.indexOf('"', close + 1)) {
      let slash = close - 1
      while (this.text.charCodeAt(slash) === backslash) slash--
      // A quote after an odd number of backslashes belongs to the string.
      if ((close - slash) % 2 === 1) break
    }
    this.at = close === -1 ? this.text.length : close + 1
    return close === -1 ? undefined : this.text.slice(begin, this.at)
  }

  /** The number, `true`, `false` or `null` at this position, up to the end of the text. */
  takeLiteral(): string {
    const begin = this.at
    for (; this.at < this.text.length; this.at++) {
      const char = this.text.charCodeAt(this.at)
      if (char === comma || char === closeBrace || char === closeBracket || char <= 0x20) break
    }
    return this.text.slice(begin, this.at)
  }
}
