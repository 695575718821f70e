import { Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ApiError } from "../../../schemas/ApiError.ts"
import { ErrorCode } from "../../../schemas/ErrorCode.ts"
import { openApi } from "../../api/OpenApi.ts"
import * as Assets from "../pages/Assets.ts"
import { errorIndex, errorPage } from "../pages/ErrorPages.ts"
import { pages, redirects } from "../pages/Guides.ts"
import { frontPage, guidePage, startPage } from "../pages/Landing.ts"
import { rootFrom, searchIndexPath } from "../pages/DocsLayout.ts"
import type { Language } from "../pages/Language.ts"
import { searchIndex } from "../pages/SearchIndex.ts"
import { referencePage, resourcePage } from "../pages/reference/ResourcePage.ts"
import { resources } from "../pages/reference/Resources.ts"
import { page, plainText, served, servedPage, withAddress } from "../pages/Served.ts"
import { webhooksPage } from "../pages/reference/WebhooksPage.ts"
import { wantsHtml } from "../request/Accept.ts"
import * as Errors from "../request/ErrorResponses.ts"

const yearSeconds = 31_536_000

/** Serves files that pages load. */
export const layerAssets = (assets: ReadonlyArray<Assets.Asset>) =>
  HttpRouter.use((router) =>
    Effect.forEach(
      assets,
      ({ address, contentType, path, text }) => {
        const kept = { contentType, headers: { "Cache-Control": `public, max-age=${yearSeconds}, immutable` } }
        const [forGood, forNow] = [served(() => text, kept), served(() => text, { contentType })]
        return router.add(
          "GET",
          `/${path}`,
          // During an upgrade, a process may get a request for the file of another release: no cache may keep the
          // response.
          Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => (url === `/${address}` ? forGood : forNow))
        )
      },
      { discard: true }
    )
  )

/** Each page of src/docs: as HTML, and with `.md` at the end of the address as the text of the file. */
const guides = HttpRouter.use((router) =>
  Effect.forEach(
    pages,
    (guide) => {
      const { name, path, spanish, text } = guide
      const write = (language: Language) => (path === "/docs" ? startPage(guide, language) : guidePage(guide, language))
      const files = [
        { file: `/docs/${name}.md` as const, content: text },
        ...(spanish === undefined ? [] : [{ file: `/docs/es/${name}.md` as const, content: spanish.text }])
      ]
      return Effect.andThen(
        router.add("GET", path as HttpRouter.PathInput, servedPage(withAddress(write))),
        Effect.forEach(files, ({ content, file }) =>
          router.add(
            "GET",
            file,
            served(() => content, plainText)
          )
        )
      )
    },
    { discard: true }
  )
)

const reference = HttpRouter.use((router) =>
  Effect.gen(function* () {
    for (const resource of resources) {
      yield* router.add(
        "GET",
        `/docs/reference/${resource.slug}`,
        servedPage(withAddress((language) => resourcePage(resource, language)))
      )
    }
    yield* router.add("GET", "/docs/reference", servedPage(withAddress(referencePage)))
    yield* router.add("GET", "/docs/reference/webhooks", servedPage(withAddress(webhooksPage)))
    yield* router.add(
      "GET",
      "/v1/openapi.json",
      served(() => `${JSON.stringify(openApi)}\n`, { contentType: "application/json" })
    )
  })
)

const errors = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const answers = new Map<ErrorCode, ReturnType<typeof servedPage>>()
    yield* router.add(
      "GET",
      "/docs/errors",
      servedPage((_, language) => errorIndex(language))
    )
    yield* router.add(
      "GET",
      "/docs/errors/:code",
      Effect.gen(function* () {
        const { params } = yield* HttpRouter.RouteContext
        const code = params["code"] ?? ""
        if (Schema.is(ErrorCode)(code)) {
          const answer = answers.get(code) ?? servedPage((baseUrl, language) => errorPage(code, baseUrl, language))
          answers.set(code, answer)
          return yield* answer
        }
        const message = `There is no error code ${JSON.stringify(code.slice(0, 64))}. All of them are at /docs/errors.`
        return yield* Errors.respond(new ApiError({ code: "resource_missing", message }))
      })
    )
  })
)

const languages: ReadonlyArray<Language> = ["en", "es"]

/** The files that the search of the pages loads when a reader begins to type. */
const search = HttpRouter.use((router) =>
  Effect.forEach(
    languages,
    (language) =>
      router.add(
        "GET",
        `/${searchIndexPath(language)}` as HttpRouter.PathInput,
        served((baseUrl) => searchIndex(baseUrl, language), { contentType: "application/json" })
      ),
    { discard: true }
  )
)

/** Redirects former addresses. The new address is relative, because a proxy may serve Folio below a path. */
const former = HttpRouter.use((router) =>
  Effect.forEach(
    redirects,
    ([from, to]) =>
      router.add(
        "GET",
        from as HttpRouter.PathInput,
        Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => {
          // A client may percent-encode letters of the path, so its length is unknown.
          const query = url.includes("?") ? url.slice(url.indexOf("?")) : ""
          return HttpServerResponse.redirect(rootFrom(from) + to.slice(1) + query, { status: 308 })
        })
      ),
    { discard: true }
  )
)

const nothingHere = new ApiError({
  code: "route_not_found",
  message: "There is nothing at /. The paths are listed at /docs."
})

/**
 * The front page: for a browser, a page with links to all others; for any other client, the error for an unknown path.
 */
const front = HttpRouter.use((router) => {
  const shown = served(frontPage, { ...page, headers: { ...page.headers, Vary: "Accept, Accept-Encoding" } })
  return router.add(
    "GET",
    "/",
    Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      if (wantsHtml(headers["accept"] ?? "")) return yield* shown
      return HttpServerResponse.setHeader(yield* Errors.respond(nothingHere), "Vary", "Accept, Accept-Encoding")
    })
  )
})

/** Serves the reference, the guides, a page for each error code and the OpenAPI document, without an API key. */
export const layer = Layer.mergeAll(
  layerAssets([Assets.style, Assets.script, Assets.icon]),
  guides,
  reference,
  errors,
  search,
  former,
  front
)
