import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import type { Words } from "./Language.ts"

const folder = fileURLToPath(new URL("../docs/", import.meta.url))

/** A translated page, with a `name` such as `es/guides/webhooks`. */
interface Translation {
  readonly name: string
  readonly title: string
  readonly text: string
}

export interface Guide {
  /** The path of the file in src/http/docs, without `.md`: `guides/webhooks`. */
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

/** Every page of src/http/docs. */
export const pages: ReadonlyArray<Guide> = Fs.globSync("{*,guides/*,running/*}.md", { cwd: folder })
  .toSorted()
  .map(read)

const order: ReadonlyArray<readonly [title: Words, names: ReadonlyArray<string>]> = [
  [
    { en: "Guides", es: "Guías" },
    [
      ...[
        "first-invoice",
        "invoice-contents",
        "webhooks",
        "idempotency",
        "notes",
        "sandbox",
        "portal",
        "going-live"
      ].map((name) => `guides/${name}`),
      "composing"
    ]
  ],
  [
    { en: "Operate the service", es: "Operar el servicio" },
    [
      "operating",
      ...[
        "machines",
        "processes",
        "behind-a-proxy",
        "upgrading",
        "backup",
        "alerts",
        "monitoring",
        "authority",
        "request-log"
      ].map((name) => `running/${name}`)
    ]
  ],
  [{ en: "Clients", es: "Clientes" }, ["api", "php", "python"]],
  [{ en: "Extend Folio", es: "Ampliar Folio" }, ["testing-own", "ports"]]
]

const named = (names: ReadonlyArray<string>) => names.flatMap((name) => pages.filter((page) => page.name === name))

const placed = new Set([start, ...order.flatMap(([, names]) => names)])

/** The pages by chapter, in reading order. The last chapter holds all pages without another chapter. */
export const guides: ReadonlyArray<{ readonly title: Words; readonly pages: ReadonlyArray<Guide> }> = [
  ...order.map(([title, names]) => ({ title, pages: named(names) })),
  {
    title: { en: "Folio internals", es: "Funcionamiento interno" },
    pages: pages.filter(({ name }) => !placed.has(name))
  }
]
