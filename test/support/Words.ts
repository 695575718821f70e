import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "../..")

/** A place with words that the style guide does not allow. */
export interface WordFinding {
  readonly file: string
  readonly line: number
  readonly rule: string
  readonly text: string
}

const columnsMax = 120

/** Phrases that a reader must read twice, in any case of letters. */
const phrases = [
  "anew",
  "whoever",
  // In quotes, it is the system user of that name.
  `(?<!["'])nobody(?!["'])`,
  "is told",
  "are told",
  "told of",
  "tells? of",
  "(?:for|of|to) who",
  "but for",
  "comes? to",
  "puts? right",
  "stands? in",
  "stands? still",
  "goes on",
  "at once",
  "the house",
  "hands full"
]
const phrase = new RegExp(String.raw`\b(?:${phrases.join("|")})\b`, "gi")

/** A sentence with a relative word as its subject. */
const sentence =
  /(?:^|[.:!?]["'`)]? |[*/#-] |["'`])((?:Whom?|Whose|Of|Those|Such|One) |What (?:[a-z']+ ){0,4}(?:is|are) )/g

/** The title of a test whose first word is neither the subject nor the verb of a full statement. */
const title =
  /\b(?:test|it|effect|live|prop|onPostgres|each\([^)]*\))\(\s*["'`]((?:is|are|of|that|which|whose|who|whom|what|those|such|one|and)\b[^"'`]{0,60})/gi

const isComment = (line: string) => /^\s*(?:\/\/|\/?\*|--|#)/.test(line)

// Removes code blocks, inline code and addresses, which are not prose.
const prose = (text: string) =>
  text
    .replaceAll(/^```[^]*?^```/gm, (code) => code.replaceAll(/[^\n]/g, ""))
    .replaceAll(/`[^`\n]*`|\]\([^)\n]*\)/g, (code) => "x".repeat(code.length))

/** The findings in one file. */
export const wordsOf = (file: string, content: string): ReadonlyArray<WordFinding> => {
  const text = file.endsWith(".md") ? prose(content) : content
  const at = (index: number, rule: string, found: string): WordFinding => ({
    file,
    line: text.slice(0, index).split("\n").length,
    rule,
    text: found.trim().replaceAll(/\s+/g, " ")
  })
  const lines = /\.(?:ts|sql|js)$/.test(file) ? text.split("\n") : []
  return [
    ...[...text.matchAll(phrase)].map((match) => at(match.index, "phrase", match[0])),
    ...[...text.matchAll(sentence)].map((match) => at(match.index, "start of a sentence", match[1] ?? "")),
    ...(file.includes(".test.")
      ? [...text.matchAll(title)].map((match) => at(match.index, "title of a test", match[1] ?? ""))
      : []),
    ...lines.flatMap((line, index) =>
      line.length > columnsMax && isComment(line)
        ? [{ file, line: index + 1, rule: `a comment over ${columnsMax} columns`, text: line.trim().slice(0, 60) }]
        : []
    )
  ]
}

const isRead = (file: string) =>
  /\.(?:ts|js|md|sql|json|php|py)$/.test(file) &&
  !/(?:^|\/)(?:package(?:-lock)?|openapi|tsconfig)\.json$|^CHANGELOG\.md$|(?:^|\/)[Ww]ords(?:\.test)?\.(?:ts|json)$|^test\/.*\.json$/.test(
    file
  )

/** The files with prose for people, under these folders. */
export const readFiles = (...folders: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync("git", ["ls-files", "-co", "--exclude-standard", "--", ...folders], { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter((file) => isRead(file) && Fs.existsSync(Path.join(root, file)))

/** The findings in all files under these folders. */
export const wordFindings = (...folders: ReadonlyArray<string>): ReadonlyArray<WordFinding> =>
  readFiles(...folders).flatMap((file) => wordsOf(file, Fs.readFileSync(Path.join(root, file), "utf8")))
