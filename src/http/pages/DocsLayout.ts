import * as Assets from "./Assets.ts"
import { contents, isTranslated, pager } from "./Contents.ts"
import { type Section, sectionsOf } from "./Headings.ts"
import { type Html, html } from "./Html.ts"
import { type Language, parameter, type Words } from "./Language.ts"

/** The path of the search index. */
export const searchIndexPath = (language: Language) => `docs/search.${language}.json`

/** The relative path from a page to the root of the service. Relative, because a proxy may serve Folio below a path. */
export const rootFrom = (path: string) => "../".repeat(path.split("/").length - 2)

interface Page {
  /** The path of the page, such as `/docs/errors`. */
  readonly path: string
  readonly title: string
  readonly content: Html
  /** The language of the reader and of the layout. */
  readonly language: Language
  /** Whether the content is in the reader's language, although the list of pages doesn't contain the page. */
  readonly isBilingual?: boolean
  /** Whether the page uses the full width, for samples next to the text. */
  readonly isWide?: boolean
}

const labels = {
  about: { en: "Documentation", es: "Documentación" },
  contents: { en: "Contents", es: "Contenido" },
  onPage: { en: "On this page", es: "En esta página" },
  untranslated: { en: "", es: "Esta página solo está disponible en inglés." },
  skip: { en: "Skip to content", es: "Ir al contenido" },
  search: { en: "Search", es: "Buscar" },
  nothing: { en: "No page contains all these words.", es: "Ninguna página contiene todas estas palabras." },
  copy: { en: "Copy", es: "Copiar" },
  copied: { en: "Copied", es: "Copiado" }
} satisfies Readonly<Record<string, Words>>

const languageNames: Readonly<Record<Language, string>> = { en: "English", es: "Español" }

const switchTo = (language: Language): Html =>
  html`<a class="language" href="?${parameter}=${language}" lang="${language}" hreflang="${language}" rel="nofollow"
    >${languageNames[language]}</a
  >`

/** The addresses of a translated page in each language, for search engines. */
const alternates = html`<link rel="alternate" hreflang="en" href="?${parameter}=en" />
  <link rel="alternate" hreflang="es" href="?${parameter}=es" />`

/** Links to the headings of a page. */
const headingLinks = (headings: ReadonlyArray<Section>, language: Language): Html =>
  html`<ul class="inside" lang="${language}">
    ${headings.map(
      ({ anchor = "", depth, heading }) => html`<li class="depth-${depth}"><a href="#${anchor}">${heading}</a></li>`
    )}
  </ul>`

const head = (title: string, root: string) =>
  html`<meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}</title>
    <link rel="icon" href="${root}${Assets.icon.address}" />
    <link rel="stylesheet" href="${root}${Assets.style.address}" />
    <script src="${root}${Assets.script.address}" defer></script>`

/**
 * A documentation page: its content between the list of all pages and the list of its own headings. On a wide page, the
 * samples are next to the text, so the headings are in the list of pages.
 */
export const layout = ({ content, isBilingual = false, isWide = false, language, path, title }: Page): string => {
  const root = rootFrom(path)
  const label = (name: keyof typeof labels) => labels[name][language]
  const hasTranslation = isTranslated(path)
  const contentLanguage = hasTranslation || isBilingual ? language : "en"
  const headings = sectionsOf(content.markup).filter(({ depth }) => depth === 2 || depth === 3)
  const onPage = headings.length < 2 ? null : headingLinks(headings, contentLanguage)
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        ${head(`${title} · Folio`, root)}${hasTranslation ? alternates : null}
      </head>
      <body data-copy="${label("copy")}" data-copied="${label("copied")}">
        <a class="skip" href="#main">${label("skip")}</a>
        <header>
          <a class="brand" href="${root === "" ? "docs" : `${root}docs`}">Folio</a
          ><span class="about">${label("about")}</span
          ><a href="${root}portal">Portal</a>${switchTo(language === "en" ? "es" : "en")}<a
            class="to-contents"
            href="#contents"
            >${label("contents")}</a
          >
        </header>
        <div class="${isWide ? "page wide-page" : "page narrow-page"}">
          <nav
            id="contents"
            class="menu"
            aria-label="${label("contents")}"
            tabindex="-1"
            data-index="${root}${searchIndexPath(language)}"
            data-root="${root}"
            data-search="${label("search")}"
            data-nothing="${label("nothing")}"
          >
            ${contents(path, root, language, isWide ? onPage : null)}
          </nav>
          <div class="column">
            <main id="main" lang="${contentLanguage}" tabindex="-1">
              ${language === contentLanguage ? null : html`<p class="note" lang="es">${label("untranslated")}</p>`}
              ${
                onPage === null
                  ? null
                  : html`<details class="on-page">
                      <summary lang="${language}">${label("onPage")}</summary>
                      ${onPage}
                    </details>`
              }
              ${content}
            </main>
            ${pager(path, root, language)}
          </div>
          ${
            onPage === null || isWide
              ? null
              : html`<nav class="menu on-page" aria-label="${label("onPage")}">
                  <h2>${label("onPage")}</h2>
                  ${onPage}
                </nav>`
          }
        </div>
      </body>
    </html> `.markup
}

/** A page without the list of pages, for the root address of the service. */
export const alone = (title: string, content: Html): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        ${head(title, "")}
      </head>
      <body class="alone">
        <main id="main">${content}</main>
      </body>
    </html> `.markup
