import { ErrorCode, errorCodes } from "../../../schemas/ErrorCode.ts"
import { type Guide, guides } from "./Guides.ts"
import { attributes, type Html, html } from "./Html.ts"
import type { Language, Words } from "./Language.ts"
import { resources } from "./reference/Resources.ts"

interface Entry {
  readonly path: string
  readonly title: Words
  /** Whether the page has a Spanish translation. */
  readonly isTranslated: boolean
}

const english = (path: string, title: string): Entry => ({ path, title: { en: title, es: title }, isTranslated: false })

const entryOf = ({ path, spanish, title }: Guide): Entry => ({
  path,
  title: { en: title, es: spanish?.title ?? title },
  isTranslated: spanish !== undefined
})

const errorIndex: Entry = { path: "/docs/errors", title: { en: "Errors", es: "Errores" }, isTranslated: true }

const reference: ReadonlyArray<Entry> = [
  english("/docs/reference", "All operations"),
  ...resources.map(({ name, slug }) => english(`/docs/reference/${slug}`, name)),
  english("/docs/reference/webhooks", "Webhook reference"),
  errorIndex
]

const chapters = guides.map(({ hasReference, pages, title }) => ({
  title,
  entries: [...(hasReference ? reference : []), ...pages.map(entryOf)]
}))

const errorPages = ErrorCode.literals
  .toSorted((one, other) => errorCodes[one].status - errorCodes[other].status)
  .map((code): Entry => ({ path: `/docs/errors/${code}`, title: { en: code, es: code }, isTranslated: true }))

/** All pages. The menu omits the pages of error codes. */
const readingOrder = chapters
  .flatMap(({ entries }) => entries)
  .flatMap((entry) => (entry === errorIndex ? [entry, ...errorPages] : [entry]))

/** Whether the page has a Spanish translation. */
export const isTranslated = (path: string): boolean =>
  readingOrder.some((entry) => entry.path === path && entry.isTranslated)

/** A link to a page. Titles of pages without a translation are in English. */
const linkTo = (entry: Entry, root: string, language: Language, more: Readonly<Record<string, string | undefined>>) => {
  const lang = entry.isTranslated || language === "en" ? undefined : "en"
  const all = attributes({ href: root + entry.path.slice(1), lang, ...more })
  return html`<a ${all}>${entry.title[language]}</a>`
}

/** The list of all pages. `inside`: the headings of the current page, if they are in this list. */
export const contents = (current: string, root: string, language: Language, inside: Html | null): Html =>
  html`${chapters.map(
    ({ entries, title }) =>
      html`<h2>${title[language]}</h2>
        <ul>
          ${entries.map((entry) => {
            const isCurrent = entry.path === current
            const link = linkTo(entry, root, language, { "aria-current": isCurrent ? "page" : undefined })
            return html`<li>${link}${isCurrent ? inside : null}</li>`
          })}
        </ul>`
  )}`

const labels = {
  previous: { en: "Previous", es: "Anterior" },
  next: { en: "Next", es: "Siguiente" },
  pager: { en: "Previous and next page", es: "Página anterior y siguiente" }
} satisfies Readonly<Record<string, Words>>

/** Links to the previous and the next page. */
export const pager = (current: string, root: string, language: Language): Html => {
  const at = readingOrder.findIndex(({ path }) => path === current)
  if (at < 0) return html``
  const link = (entry: Entry | undefined, rel: "prev" | "next", label: Words) =>
    entry === undefined
      ? null
      : html`<p class="${rel}"><span>${label[language]}</span> ${linkTo(entry, root, language, { rel })}</p>`
  return html`<nav class="pager" aria-label="${labels.pager[language]}">
    ${link(readingOrder[at - 1], "prev", labels.previous)}${link(readingOrder[at + 1], "next", labels.next)}
  </nav>`
}
