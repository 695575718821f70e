import { html, words } from "./Html.ts"
import { alone, layout, rootFrom } from "./DocsLayout.ts"
import { type Guide, guides } from "./Guides.ts"
import type { Language } from "./Language.ts"
import { rendered } from "./Markdown.ts"
import { resources } from "./reference/Resources.ts"

/** A page in the reader's language, or in English without a translation. */
const translated = (guide: Guide, language: Language) =>
  language === "es" && guide.spanish !== undefined
    ? { ...guide.spanish, contentLanguage: language }
    : { ...guide, contentLanguage: "en" as const }

/** A Markdown page inside the layout. */
export const guidePage = (guide: Guide, language: Language): string => {
  const { path } = guide
  const { name, text, title } = translated(guide, language)
  const content = html`<article>${rendered(text, name, rootFrom(path), guide.text)}</article>`
  return layout({ path, title, content, language })
}

/** The first page of the documentation: the quickstart, then the guides and the resources. */
export const startPage = (start: Guide, language: Language): string => {
  const tasks = guides.find(({ title: { en } }) => en === "Guides")
  const { contentLanguage, title, ...page } = translated(start, language)
  const content = html`<article>${rendered(page.text, page.name, "", start.text)}</article>
    <h2 id="guides">${tasks?.title[contentLanguage] ?? ""}</h2>
    <ul class="cards">
      ${(tasks?.pages ?? []).map(
        (one) => html`<li><a href="${one.path.slice(1)}">${translated(one, contentLanguage).title}</a></li>`
      )}
    </ul>
    <h2 id="reference">${contentLanguage === "es" ? "Referencia (en inglés)" : "Reference"}</h2>
    <ul class="cards" lang="en">
      ${resources.map(
        ({ description, name, slug }) =>
          html`<li><a href="docs/reference/${slug}">${name}</a><span>${words(description)}</span></li>`
      )}
    </ul>`
  return layout({ path: "/docs", title, content, language })
}

/** The page at the root address of the service, for browsers. */
export const frontPage = (): string =>
  alone(
    "Folio",
    html`<h1>Folio</h1>
      <p class="lead">
        Folio issues electronic invoices. A shop or an ERP posts an invoice to the JSON API. Folio numbers it, signs it,
        submits it to the tax authority, and reports the outcome by a signed webhook.
      </p>
      <ul class="cards">
        <li>
          <a href="portal">Portal</a><span>Documents, deliveries and settings of an account. Opens with a link.</span>
        </li>
        <li><a href="docs">Quickstart</a><span>API key, first invoice, first webhook.</span></li>
        <li><a href="docs#guides">Guides</a><span>A page for each task.</span></li>
        <li><a href="docs/reference">Reference</a><span>Every operation, with samples in four languages.</span></li>
        <li><a href="v1/openapi.json">OpenAPI</a><span>API description for code generators.</span></li>
        <li><a href="docs/errors">Errors</a><span>Cause and fix of each error code.</span></li>
        <li><a href="health/ready">Health</a><span>Readiness of this service.</span></li>
      </ul>`
  )
