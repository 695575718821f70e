// A string that the end of the text cuts has no closing quotes.
const token = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/gs

const closing: Readonly<Record<string, string>> = { "{": "}", "[": "]" }

/** Deeper levels are not moved further to the right, so that a deep text does not become a long one. */
const depthMax = 20

/**
 * JSON with a line for each value, for reading. Only the space between values changes: names, texts and numbers stay as they were
 * written. The text may end in the middle.
 */
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
