import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { wantsHtml } from "../request/Accept.ts"
import { layout } from "./DocsLayout.ts"
import { html } from "./Html.ts"
import { type Language, ofReader, type Words } from "./Language.ts"
import { page } from "./Served.ts"

const labels = {
  title: { en: "Page not found", es: "Página no encontrada" },
  nothing: { en: "There is no page at", es: "No hay ninguna página en" },
  next: {
    en: "Search for it, or choose a page from the contents.",
    es: "Búsquela, o elija una página del contenido."
  }
} satisfies Readonly<Record<string, Words>>

const missingPage = (path: string, language: Language): string =>
  layout({
    path,
    title: labels.title[language],
    content: html`<h1>${labels.title[language]}</h1>
      <p class="lead">${labels.nothing[language]} <code>${path.slice(0, 200)}</code>. ${labels.next[language]}</p>`,
    language,
    isBilingual: true
  })

/** Replaces the error 404 of an unknown address below /docs by a page, if the client is a browser. */
export const forBrowsers = Effect.fnUntraced(function* (answer: HttpServerResponse.HttpServerResponse) {
  const { headers, method, url } = yield* HttpServerRequest.HttpServerRequest
  const [path = ""] = url.split("?")
  if (method !== "GET" || !path.startsWith("/docs/")) return answer
  if (!wantsHtml(headers["accept"] ?? "")) return answer
  const { language } = yield* ofReader
  return HttpServerResponse.text(missingPage(path, language), {
    status: 404,
    contentType: page.contentType,
    headers: { ...page.headers, "Content-Language": language, Vary: "Accept, Accept-Language, Cookie" }
  })
})
