import { guides } from "./Guides.ts"
import { type Html, html } from "./Html.ts"
import { resources } from "./reference/Resources.ts"

interface Entry {
  readonly path: string
  readonly title: string
  readonly inside: ReadonlyArray<{ readonly anchor: string; readonly title: string }>
}

interface Chapter {
  readonly title: string
  readonly entries: ReadonlyArray<Entry>
}

const chapters: ReadonlyArray<Chapter> = [
  { title: "Begin", entries: [{ path: "/docs", title: "Start here", inside: [] }] },
  ...guides
    .slice(0, -1)
    .map(({ pages, title }) => ({ title, entries: pages.map((page) => ({ ...page, inside: [] })) })),
  {
    title: "Reference",
    entries: [
      { path: "/docs/reference", title: "All operations", inside: [] },
      ...resources.map(({ name, operations, slug }) => ({
        path: `/docs/reference/${slug}`,
        title: name,
        inside: operations.map((operation) => ({
          anchor: operation.name,
          title: `${operation.method} ${operation.path.replace(/^\/v1/, "")}`
        }))
      })),
      { path: "/docs/reference/webhooks", title: "Webhooks that Folio sends", inside: [] },
      { path: "/docs/errors", title: "Errors", inside: [] }
    ]
  },
  ...guides.slice(-1).map(({ pages, title }) => ({ title, entries: pages.map((page) => ({ ...page, inside: [] })) }))
]

const entryShown = ({ inside, path, title }: Entry, current: string, root: string): Html => {
  const address = root + path.slice(1)
  const isCurrent = path === current
  const link = isCurrent
    ? html`<a href="${address}" aria-current="page">${title}</a>`
    : html`<a href="${address}">${title}</a>`
  if (inside.length === 0) return html`<li>${link}</li>`
  const anchors = inside.map((one) => html`<li><a href="${address}#${one.anchor}">${one.title}</a></li>`)
  return html`<li>
    ${link}
    <ul class="${isCurrent ? "inside" : "inside away"}">
      ${anchors}
    </ul>
  </li>`
}

/** The list of all pages, with the operations of the resource that is shown. */
export const contents = (current: string, root: string): Html =>
  html`${chapters.map(
    ({ entries, title }) =>
      html`<h2>${title}</h2>
        <ul>
          ${entries.map((entry) => entryShown(entry, current, root))}
        </ul>`
  )}`
