import * as Assets from "./Assets.ts"
import { type Html, html } from "./Html.ts"
import { contents } from "./Contents.ts"
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
  /** The language of the content. English without a translation. */
  readonly contentLanguage?: Language
  /** Whether the page uses the full width, for samples next to the text. */
  readonly isWide?: boolean
}

const labels = {
  about: { en: "Documentation", es: "Documentación" },
  contents: { en: "Contents", es: "Contenido" },
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

const head = (title: string, root: string) =>
  html`<meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}</title>
    <link rel="icon" href="${root}${Assets.icon.address}" />
    <link rel="stylesheet" href="${root}${Assets.style.address}" />
    <script src="${root}${Assets.script.address}" defer></script>`

/** A documentation page: its content, next to the list of all pages. */
export const layout = ({ content, contentLanguage = "en", isWide = false, language, path, title }: Page): string => {
  const root = rootFrom(path)
  const label = (name: keyof typeof labels) => labels[name][language]
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        ${head(`${title} · Folio`, root)}
      </head>
      <body data-copy="${label("copy")}" data-copied="${label("copied")}">
        <a class="skip" href="#main">${label("skip")}</a>
        <header>
          <a class="brand" href="${root === "" ? "docs" : `${root}docs`}">Folio</a
          ><span class="about">${label("about")}</span>${switchTo(language === "en" ? "es" : "en")}<a
            class="to-contents"
            href="#contents"
            >${label("contents")}</a
          >
        </header>
        <div class="page">
          <nav
            id="contents"
            aria-label="${label("contents")}"
            tabindex="-1"
            data-index="${root}${searchIndexPath(language)}"
            data-root="${root}"
            data-search="${label("search")}"
            data-nothing="${label("nothing")}"
          >
            ${contents(path, root, language)}
          </nav>
          <main id="main" class="${isWide ? "wide-page" : "narrow-page"}" lang="${contentLanguage}" tabindex="-1">
            ${content}
          </main>
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
