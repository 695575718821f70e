import { Cause, Context, Effect, Option, Scope } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Errors from "../../http/request/Errors.ts"
import { languageOf } from "../../http/request/Accept.ts"
import { type Admitted, Guard } from "../session/Guard.ts"
import * as Form from "../forms/SentForm.ts"
import { type Page, whole } from "./Layout.ts"
import { refusedPage, shutPage } from "./OtherPages.ts"
import { missing, ofError, Refusal } from "./Refusal.ts"
import { inLanguage } from "./SpanishRefusals.ts"
import { CurrentVisit, make as makeVisit } from "./Visit.ts"

/** What a change leads to: another page, whose path and query may name a notice, or a page at the address of the change itself. */
export type Outcome = { readonly to: string; readonly notice?: string } | Page

/** A file that a page offers, such as a PDF. */
export interface Download {
  readonly contentType: string
  readonly body: Uint8Array | string
  /** The name under which a browser saves the file; left out for a file that is shown. */
  readonly fileName?: string
  /** Whether a page of the portal shows the file inside itself, as no other site may. */
  readonly isEmbedded?: boolean
}

/** Answers with a page in the headers of the portal. */
const shown = (page: Page, headers: Readonly<Record<string, string>>) =>
  Effect.map(CurrentVisit, (visit) =>
    HttpServerResponse.text(whole(visit, page), {
      status: page.status ?? 200,
      contentType: "text/html; charset=utf-8",
      headers: { ...headers, Vary: "Accept-Language, Cookie", "Content-Language": visit.language }
    })
  )

/** Adds a route whose handler has what the layer of the route is built with, beside what each request brings. */
export const add = <E, R>(
  method: "GET" | "POST",
  path: HttpRouter.PathInput,
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) =>
  HttpRouter.use((router) =>
    Effect.flatMap(Effect.context<Exclude<R, HttpRouter.Provided>>(), (context) =>
      router.add(method, path, Effect.provideContext(handler, Context.omit(Scope.Scope)(context) as typeof context))
    )
  )

/** Answers in the name of the session of the request's cookie. What fails is answered as a page that says what to do. */
const visited = <E, R>(
  answer: (
    admitted: Admitted,
    headers: Readonly<Record<string, string>>
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) =>
  Effect.gen(function* () {
    const { admit, headers } = yield* Guard
    const request = yield* HttpServerRequest.HttpServerRequest
    const admitted = yield* admit(request)
    if (Option.isNone(admitted)) {
      return HttpServerResponse.text(shutPage(languageOf(request.headers["accept-language"]), request.url), {
        status: 401,
        contentType: "text/html; charset=utf-8",
        headers: { ...headers, Vary: "Accept-Language, Cookie" }
      })
    }
    const visit = yield* makeVisit(admitted.value)
    return yield* answer(admitted.value, headers).pipe(
      Effect.catchCause((cause) => {
        if (Errors.isHungUp(cause)) return Effect.failCause(cause as Cause.Cause<never>)
        const found = Option.getOrUndefined(Cause.findErrorOption(cause))
        const refusal = found instanceof Refusal ? found : ofError(Errors.fromCause(cause))
        const logged = refusal.status >= 500 ? Effect.logError("A page of the portal failed", cause) : Effect.void
        const all = refusal.status === 503 ? { ...headers, "Retry-After": "1" } : headers
        return Effect.andThen(logged, shown(refusedPage(visit, inLanguage(visit.language, refusal)), all))
      }),
      Effect.provideService(CurrentVisit, visit)
    )
  })

const redirected = (
  { notice, to }: Extract<Outcome, { readonly to: string }>,
  headers: Readonly<Record<string, string>>
) =>
  Effect.map(CurrentVisit, (visit) => {
    const [target = "", query = ""] = to.split("?")
    const asked = Object.fromEntries(new URLSearchParams(query))
    return HttpServerResponse.empty({
      status: 303,
      headers: { ...headers, Location: visit.to(target, { ...asked, notice }) }
    })
  })

/** A page of the portal, or another page that the request leads to. `build` may fail with the API's refusal. */
export const page = <E, R>(path: HttpRouter.PathInput, build: Effect.Effect<Outcome, E, R>) =>
  add(
    "GET",
    path,
    visited((_, headers) =>
      Effect.flatMap(build, (outcome) => ("to" in outcome ? redirected(outcome, headers) : shown(outcome, headers)))
    )
  )

/** A file of the portal. */
export const file = <E, R>(path: HttpRouter.PathInput, read: Effect.Effect<Download, E, R>) =>
  add(
    "GET",
    path,
    visited((_, headers) => Effect.map(read, (download) => downloaded(download, headers)))
  )

/** The policy of a file that a page shows inside itself: such a file runs and loads nothing. */
const embedded = {
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'self'",
  "X-Frame-Options": "SAMEORIGIN"
}

const downloaded = (
  { body, contentType, fileName, isEmbedded = false }: Download,
  headers: Readonly<Record<string, string>>
) => {
  const all = {
    ...headers,
    ...(isEmbedded ? embedded : {}),
    ...(fileName === undefined ? {} : { "Content-Disposition": `attachment; filename="${fileName}"` })
  }
  return typeof body === "string"
    ? HttpServerResponse.text(body, { contentType, headers: all })
    : HttpServerResponse.uint8Array(body, { contentType, headers: all })
}

/** A change: what a form of the session's own pages sends. A `Download` answers a form that asks for a file. */
export const change = <E, R>(
  path: HttpRouter.PathInput,
  run: (form: Form.Form) => Effect.Effect<Outcome | Download, E, R>
) =>
  add(
    "POST",
    path,
    visited((admitted, headers) =>
      Effect.gen(function* () {
        const { checkChange, count } = yield* Guard
        yield* count(admitted)
        const form = yield* Form.read
        yield* checkChange(yield* HttpServerRequest.HttpServerRequest, admitted, form.raw("csrf"))
        const outcome = yield* run(form)
        if ("body" in outcome) return downloaded(outcome, headers)
        return yield* "to" in outcome ? redirected(outcome, headers) : shown(outcome, headers)
      })
    )
  )

const nothing = (what: string) => missing(`There is nothing at this address: ${what}.`)

/** An id in the path of the page: the parameter `id` unless another is named. What cannot be an id fails like an object that is missing. */
export const idOf = (name = "id"): Effect.Effect<string, Refusal, HttpRouter.RouteContext> =>
  Effect.flatMap(HttpRouter.params, (params) => {
    const id = params[name] ?? ""
    // No dot: `..` would lead the request to another path of the API.
    return /^[\w-]{1,100}$/.test(id) ? Effect.succeed(id) : Effect.fail(nothing("no id is written so"))
  })

/** Answers every address below the portal that no page has. The router takes `/*` for the path before it as well, and that is Home's. */
export const rest = add(
  "GET",
  "/portal/:page/*",
  visited(() => Effect.fail(nothing("the portal has no such page")))
)
