// A string at the end of a truncated text has no closing quotes.
const token = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/gs

const closing: Readonly<Record<string, string>> = { "{": "}", "[": "]" }

/** The deepest indentation. Keeps a deeply nested text from growing too long. */
const depthMax = 20

/** JSON with one line per value. Changes only the white space between values. Accepts truncated JSON. */
export const indented = (json: string): string => {
  const tokens = json.match(token) ?? []
  const lines: Array<string> = []
  let depth = 0
  let line = ""
  const next = () => {
    lines.push(line)
    line = "  ".repeat(Math.min(depth, depthMax))
  }
  for (let at = 0; at < tokens.length; at++) {
    const one = tokens[at] ?? ""
    const close = closing[one]
    if (close !== undefined && tokens[at + 1] === close) {
      line += one + close
      at++
    } else if (close !== undefined) {
      line += one
      depth++
      next()
    } else if (one === "}" || one === "]") {
      depth = Math.max(0, depth - 1)
      next()
      line += one
    } else if (one === ",") {
      line += one
      next()
    } else {
      line += one === ":" ? ": " : one
    }
  }
  return [...lines, line].join("\n")
}
