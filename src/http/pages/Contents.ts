import { type Guide, guides, pages } from "./Guides.ts"
import { type Html, html } from "./Html.ts"
import type { Language, Words } from "./Language.ts"
import { resources } from "./reference/Resources.ts"

interface Entry {
  readonly path: string
  readonly title: Words
  readonly inside: ReadonlyArray<{ readonly anchor: string; readonly title: string }>
}

interface Chapter {
  readonly title: Words
  readonly entries: ReadonlyArray<Entry>
}

const same = (title: string): Words => ({ en: title, es: title })

const entryOf = ({ path, spanish, title }: Guide): Entry => ({
  path,
  title: { en: title, es: spanish?.title ?? title },
  inside: []
})

const chapterOf = (chapter: (typeof guides)[number]): Chapter => ({
  title: chapter.title,
  entries: chapter.pages.map(entryOf)
})

const chapters: ReadonlyArray<Chapter> = [
  { title: { en: "Start", es: "Comenzar" }, entries: pages.filter(({ path }) => path === "/docs").map(entryOf) },
  ...guides.slice(0, -1).map(chapterOf),
  {
    title: { en: "Reference", es: "Referencia" },
    entries: [
      { path: "/docs/reference", title: { en: "All operations", es: "Todas las operaciones" }, inside: [] },
      ...resources.map(({ name, operations, slug }) => ({
        path: `/docs/reference/${slug}`,
        title: same(name),
        inside: operations.map((operation) => ({
          anchor: operation.name,
          title: `${operation.method} ${operation.path.replace(/^\/v1/, "")}`
        }))
      })),
      { path: "/docs/reference/webhooks", title: same("Webhook reference"), inside: [] },
      { path: "/docs/errors", title: { en: "Errors", es: "Errores" }, inside: [] }
    ]
  },
  ...guides.slice(-1).map(chapterOf)
]

const entryShown = ({ inside, path, title }: Entry, current: string, root: string, language: Language): Html => {
  const address = root + path.slice(1)
  const isCurrent = path === current
  const link = isCurrent
    ? html`<a href="${address}" aria-current="page">${title[language]}</a>`
    : html`<a href="${address}">${title[language]}</a>`
  if (inside.length === 0) return html`<li>${link}</li>`
  const anchors = inside.map((one) => html`<li><a href="${address}#${one.anchor}">${one.title}</a></li>`)
  return html`<li>
    ${link}
    <ul class="${isCurrent ? "inside" : "inside away"}">
      ${anchors}
    </ul>
  </li>`
}

/** The list of all pages, with the operations of the current resource. */
export const contents = (current: string, root: string, language: Language): Html =>
  html`${chapters.map(
    ({ entries, title }) =>
      html`<h2>${title[language]}</h2>
        <ul>
          ${entries.map((entry) => entryShown(entry, current, root, language))}
        </ul>`
  )}`
