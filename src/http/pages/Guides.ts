import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import type { Words } from "./Language.ts"

const folder = fileURLToPath(new URL("../../docs/", import.meta.url))

/** A translated page, with a `name` such as `es/guides/webhooks`. */
interface Translation {
  readonly name: string
  readonly title: string
  readonly text: string
}

export interface Guide {
  /** The path of the file in src/docs, without `.md`: `guides/webhooks`. */
  readonly name: string
  /** The path of the page in the service. */
  readonly path: string
  readonly title: string
  readonly text: string
  /** The Spanish translation. Undefined if there is none. */
  readonly spanish: Translation | undefined
}

/** The quickstart, at /docs. */
const start = "start"

const titled = (file: string) => {
  const text = Fs.readFileSync(Path.join(folder, file), "utf8")
  return { title: (/^# (.*)$/m.exec(text)?.[1] ?? file).replaceAll("`", ""), text }
}

const read = (file: string): Guide => {
  const name = file.replace(/\.md$/, "").replaceAll(Path.sep, "/")
  const inSpanish = `es/${name}.md`
  return {
    name,
    path: name === start ? "/docs" : `/docs/${name}`,
    ...titled(file),
    spanish: Fs.existsSync(Path.join(folder, inSpanish)) ? { name: `es/${name}`, ...titled(inSpanish) } : undefined
  }
}

/** Every page of src/docs. */
export const pages: ReadonlyArray<Guide> = Fs.globSync("{*,guides/*,running/*}.md", { cwd: folder })
  .toSorted()
  .map(read)

/** A part of the menu. */
interface Chapter {
  readonly title: Words
  readonly pages: ReadonlyArray<Guide>
  /** Whether the pages of operations and errors are in this chapter, before its other pages. */
  readonly hasReference: boolean
}

const named = (within: string, names: ReadonlyArray<string>): ReadonlyArray<Guide> =>
  names.flatMap((name) => pages.filter((page) => page.name === within + name))

const chapter = (title: Words, ...own: ReadonlyArray<Guide>): Chapter => ({ title, pages: own, hasReference: false })

/** The chapters of the menu, in reading order. Every page is in one chapter. */
export const guides: ReadonlyArray<Chapter> = [
  chapter({ en: "Start", es: "Comenzar" }, ...named("", [start])),
  chapter(
    { en: "Guides", es: "Guías" },
    ...named("guides/", [
      "first-invoice",
      "invoice-contents",
      "webhooks",
      "idempotency",
      "notes",
      "sandbox",
      "portal",
      "going-live",
      "issue-for-many-companies"
    ])
  ),
  chapter({ en: "Clients", es: "Clientes" }, ...named("", ["typescript", "php", "python", "shell", "api"])),
  {
    ...chapter({ en: "Reference", es: "Referencia" }, ...named("", ["glossary"])),
    hasReference: true
  },
  chapter(
    { en: "Operate the service", es: "Operar el servicio" },
    ...named("", ["operating"]),
    ...named("running/", [
      "machines",
      "processes",
      "behind-a-proxy",
      "upgrading",
      "backup",
      "encryption-key",
      "alerts",
      "monitoring",
      "authority",
      "request-log",
      "audit-log"
    ])
  ),
  chapter(
    { en: "Extend Folio", es: "Ampliar Folio" },
    ...named("", ["composing", "testing-own", "ports", "extending"])
  ),
  chapter(
    { en: "Folio internals", es: "Folio por dentro" },
    ...named("", ["architecture", "decisions", "costs", "testing"])
  )
]

/** Former addresses of pages, with their present addresses. When you rename a page, add a line. */
const moved: Readonly<Record<string, string>> = {
  "/docs/start": "/docs"
}

/** Former and present addresses. If a page of src/docs has moved, includes its text files. */
export const redirects: ReadonlyArray<readonly [from: string, to: string]> = Object.entries(moved).flatMap(
  ([from, to]) => {
    const page = pages.find(({ path }) => path === to)
    const name = from.slice("/docs/".length)
    if (page === undefined || page.name === name) return [[from, to]]
    const spanish =
      page.spanish === undefined ? [] : [[`/docs/es/${name}.md`, `/docs/${page.spanish.name}.md`] as const]
    return [[from, to], [`${from}.md`, `/docs/${page.name}.md`], ...spanish]
  }
)
