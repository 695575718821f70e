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
export class JsonCursor {
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
