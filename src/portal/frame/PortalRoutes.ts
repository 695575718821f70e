import { Cause, Context, Effect, Option, Scope } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Errors from "../../http/request/ErrorResponses.ts"
import { languageOf } from "../../http/request/Accept.ts"
import { type Admitted, Guard } from "../session/Guard.ts"
import * as Form from "../forms/SentForm.ts"
import { type Page, whole } from "./PortalLayout.ts"
import { refusedPage, shutPage, type Why } from "./OtherPages.ts"
import { missing, ofError, Refusal, settled } from "./Refusal.ts"
import { inLanguage } from "./SpanishRefusals.ts"
import { make as makeVisit, type Visit } from "./Visit.ts"

/**
 * The result of a change: a redirect, or a page at the address of the change. The query of a redirect may name a
 * notice. `cookie` starts another session.
 */
export type Outcome = { readonly to: string; readonly notice?: string; readonly cookie?: string } | Page

/** A file, such as a PDF. */
export interface Download {
  readonly contentType: string
  readonly body: Uint8Array | string
  /** The file name for saving. Omitted if the browser shows the file. */
  readonly fileName?: string
  /** Whether a portal page embeds the file. Other sites may not embed it. */
  readonly isEmbedded?: boolean
}

type Headers = Readonly<Record<string, string>>

/** Responds with a page and the portal's headers. */
const shown = (visit: Visit, page: Page, headers: Headers) =>
  HttpServerResponse.text(whole(visit, page), {
    status: page.status ?? 200,
    contentType: "text/html; charset=utf-8",
    headers: { ...headers, Vary: "Accept-Language, Cookie", "Content-Language": visit.language }
  })

/** Responds to a visitor without a session: with a page that explains why. */
export const shut = (
  { headers: { "accept-language": language }, url }: HttpServerRequest.HttpServerRequest,
  why: Why,
  status: number,
  headers: Headers
) =>
  HttpServerResponse.text(shutPage(languageOf(language), url, why), {
    status,
    contentType: "text/html; charset=utf-8",
    headers: { ...headers, Vary: "Accept-Language, Cookie" }
  })

/** Adds a route. Its handler gets the services of the route's layer and of the request. */
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

/** Runs a handler with the session of the request's cookie. Shows errors as a page with the next step. */
const visited = <E, R>(
  answer: (
    visit: Visit,
    headers: Headers,
    admitted: Admitted
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) =>
  Effect.gen(function* () {
    const { admit, headers } = yield* Guard
    const request = yield* HttpServerRequest.HttpServerRequest
    const admitted = yield* admit(request)
    if (Option.isNone(admitted)) return shut(request, "shut", 401, headers)
    const visit = yield* makeVisit(admitted.value)
    return yield* answer(visit, headers, admitted.value).pipe(
      Effect.catchCause((cause) => {
        if (Errors.isHungUp(cause)) return Effect.failCause(cause as Cause.Cause<never>)
        const found = Option.getOrUndefined(Cause.findErrorOption(cause))
        const refusal = found instanceof Refusal ? found : ofError(Errors.fromCause(cause))
        const logged = refusal.status >= 500 ? Effect.logError("A page of the portal failed", cause) : Effect.void
        const all = refusal.status === 503 ? { ...headers, "Retry-After": "1" } : headers
        return Effect.as(logged, shown(visit, refusedPage(visit, inLanguage(visit.language, refusal)), all))
      })
    )
  })

const noPage = missing("The portal has no page at this address.")

const ofPlatforms = /^\/portal\/accounts(?:\/|$)/u
const ofBoth = /^\/portal(?:$|\/requests(?:\/|$)|\/setup\/(?:keys|sessions|audit-log)(?:\/|$))/u

/** Whether the session has the page: the pages of a platform and of an account differ. */
const hasPage = ({ isPlatform, path }: Visit) =>
  isPlatform ? ofPlatforms.test(path) || ofBoth.test(path) : !ofPlatforms.test(path)

/** Runs the handler of a page. An invalid id in the path fails like a missing object. */
const made = <A, E, R>(visit: Visit, build: () => A | Effect.Effect<A, E, R>): Effect.Effect<A, E | Refusal, R> =>
  // No dot: `..` would change the path of the API request.
  hasPage(visit) && Object.values(visit.ids).every((id) => /^[\w-]{1,100}$/.test(id ?? ""))
    ? Effect.suspend(() => settled(build()))
    : Effect.fail(noPage)

const answered = (visit: Visit, outcome: Outcome | Download, headers: Headers) => {
  if ("body" in outcome) return downloaded(outcome, headers)
  if (!("to" in outcome)) return shown(visit, outcome, headers)
  const address = visit.to(outcome.to, { notice: outcome.notice })
  const cookie = outcome.cookie === undefined ? {} : { "Set-Cookie": outcome.cookie }
  return HttpServerResponse.empty({ status: 303, headers: { ...headers, ...cookie, Location: address } })
}

/** Adds a page, a file or a redirect of the portal. `build` may fail with the API's error. */
export const page = <E = never, R = never>(
  path: HttpRouter.PathInput,
  build: (visit: Visit) => Outcome | Download | Effect.Effect<Outcome | Download, E, R>
) =>
  add(
    "GET",
    path,
    visited((visit, headers) =>
      Effect.map(
        made(visit, () => build(visit)),
        (outcome) => answered(visit, outcome, headers)
      )
    )
  )

/** The policy of an embedded file: it runs no scripts and loads nothing. */
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

/**
 * Adds the handler of a form. Only the session's own pages may send it. A `Download` responds to a form that requests a
 * file.
 */
export const change = <E = never, R = never>(
  path: HttpRouter.PathInput,
  run: (visit: Visit, form: Form.Form) => Outcome | Download | Effect.Effect<Outcome | Download, E, R>
) =>
  add(
    "POST",
    path,
    visited((visit, headers, admitted) =>
      Effect.gen(function* () {
        const { checkChange, count } = yield* Guard
        yield* count(admitted)
        const form = yield* Form.read
        yield* checkChange(yield* HttpServerRequest.HttpServerRequest, admitted, form.raw("csrf"))
        return answered(visit, yield* made(visit, () => run(visit, form)), headers)
      })
    )
  )

/** Responds to all other addresses below the portal. The pattern has `:page`, because `/*` would also match Home. */
export const rest = add(
  "GET",
  "/portal/:page/*",
  visited(() => Effect.fail(noPage))
)
