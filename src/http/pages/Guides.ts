import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("../docs/", import.meta.url))

export interface Guide {
  /** The path of the file in src/http/docs, without `.md`: `guides/webhooks`. */
  readonly name: string
  /** The path of the page in the service. */
  readonly path: string
  readonly title: string
  readonly text: string
}

/** The page of a newcomer, which stands at /docs itself. */
const start = "start"

const read = (file: string): Guide => {
  const name = file.replace(/\.md$/, "").replaceAll(Path.sep, "/")
  const text = Fs.readFileSync(Path.join(folder, file), "utf8")
  return {
    name,
    path: name === start ? "/docs" : `/docs/${name}`,
    title: (/^# (.*)$/m.exec(text)?.[1] ?? name).replaceAll("`", ""),
    text
  }
}

/** Every page of src/http/docs. */
export const pages: ReadonlyArray<Guide> = Fs.globSync("{*,guides/*,running/*}.md", { cwd: folder })
  .toSorted()
  .map(read)

const order: ReadonlyArray<readonly [title: string, names: ReadonlyArray<string>]> = [
  [
    "Guides",
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
    "Running the service",
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
  ["With your language", ["api", "php", "python"]],
  ["A service of your own", ["testing-own", "ports"]]
]

const named = (names: ReadonlyArray<string>) => names.flatMap((name) => pages.filter((page) => page.name === name))

const placed = new Set([start, ...order.flatMap(([, names]) => names)])

/** The pages by chapter, in the order to read them in. The last chapter has every page that no other chapter names. */
export const guides: ReadonlyArray<{ readonly title: string; readonly pages: ReadonlyArray<Guide> }> = [
  ...order.map(([title, names]) => ({ title, pages: named(names) })),
  { title: "How Folio is made", pages: pages.filter(({ name }) => !placed.has(name)) }
]
