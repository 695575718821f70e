import * as Assets from "./Assets.ts"
import { type Html, html } from "./Html.ts"
import { contents } from "./Contents.ts"

/**
 * The relative path from a page to the root of the service, `../` for each step. Addresses in pages are relative, so that pages also
 * work behind a proxy that serves Folio below a path.
 */
export const rootFrom = (path: string) => "../".repeat(path.split("/").length - 2)

interface Page {
  /** The path of the page, as `/docs/errors`. */
  readonly path: string
  readonly title: string
  readonly content: Html
  /** Whether samples stand beside the text, so that the page needs the whole width. */
  readonly isWide?: boolean
}

const head = (title: string, root: string) =>
  html`<meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}</title>
    <link rel="icon" href="${root}${Assets.icon.address}" />
    <link rel="stylesheet" href="${root}${Assets.style.address}" />
    <script src="${root}${Assets.script.address}" defer></script>`

/** A page of the documentation: its content, with the contents of all pages beside it. */
export const layout = ({ content, isWide = false, path, title }: Page): string => {
  const root = rootFrom(path)
  return html`<!doctype html>
    <html lang="en">
      <head>
        ${head(`${title} · Folio`, root)}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          <a class="brand" href="${root === "" ? "docs" : `${root}docs`}">Folio</a
          ><span class="about">Documentation</span><a class="to-contents" href="#contents">Contents</a>
        </header>
        <div class="page">
          <nav id="contents" aria-label="Contents" tabindex="-1">${contents(path, root)}</nav>
          <main id="main" class="${isWide ? "wide-page" : "narrow-page"}" tabindex="-1">${content}</main>
        </div>
      </body>
    </html> `.markup
}

/** A page that stands alone: what the service is, for somebody who opens its address in a browser. */
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
