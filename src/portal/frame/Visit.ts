import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { ApiError } from "../../../schemas/ApiError.ts"
import type { PortalSession } from "../../accounts/store/PortalSessions.ts"
import type { Capability } from "../../../schemas/PortalSession.ts"
import { languageOf } from "../../http/request/Accept.ts"
import { LocalApi, type LocalAnswer, type LocalRequest } from "../../http/LocalApi.ts"
import { parameter } from "../../http/pages/Language.ts"
import { pathOf, queryOf } from "../../http/request/Exchange.ts"
import type { Admitted } from "../session/Guard.ts"
import { ownReads } from "../session/OwnReads.ts"
import type { Form } from "../forms/SentForm.ts"
import { ofError, type Refusal, refusalOf } from "./Refusal.ts"
import { inLanguage } from "./SpanishRefusals.ts"

/** Returns the text in the reader's language. */
export type Translate = (en: string, es: string) => string

/** The parameters of a query. Undefined and empty values are omitted. */
type Query = Readonly<Record<string, string | undefined>>

/** The request for a page, and the page's access to the account: through the API, with the rights of the session. */
export interface Visit {
  readonly session: PortalSession
  readonly csrf: string
  readonly language: "en" | "es"
  readonly t: Translate
  readonly may: (capability: Capability) => boolean
  /** Whether the session is of a platform itself, not of an account. */
  readonly isPlatform: boolean
  /** The path of the page inside the service. */
  readonly path: string
  /** The ids in the path, by their names in the route. */
  readonly ids: Readonly<Record<string, string | undefined>>
  /** The id in the path of an object's page; empty for the other pages. */
  readonly id: string
  readonly query: URLSearchParams
  /**
   * The relative address of a path of the service. Relative, because a proxy may serve Folio below a path. Opens the
   * documentation in the reader's language.
   */
  readonly to: (path: string, query?: Query) => string
  /** The response to a GET request. */
  readonly get: <A>(path: string, query?: Query) => Effect.Effect<A, Refusal>
  /**
   * The response to a change. Undefined if the body is empty. `form`: its idempotency key (`onceField`) makes the
   * change happen once.
   */
  readonly send: <A>(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
    form?: Pick<Form, "raw">
  ) => Effect.Effect<A, Refusal>
  /** Sends a file as the body. */
  readonly upload: <A>(
    method: "POST" | "PUT",
    path: string,
    file: { readonly bytes: Uint8Array<ArrayBuffer>; readonly contentType: string }
  ) => Effect.Effect<A, Refusal>
  /** Reads from the stores, not through the API (`ownReads`). */
  readonly read: <A>(read: (account: AccountMode) => Effect.Effect<A, ApiError>) => Effect.Effect<A, Refusal>
  /** The response to a GET request as bytes, such as a PDF. */
  readonly file: (path: string, query?: Query) => Effect.Effect<LocalAnswer, Refusal>
}

const withQuery = (path: string, query: Query = {}) => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value] as [string, string]]
  )
  return given.length === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams(given)}`
}

const inLanguageOf = (language: "en" | "es", path: string, query?: Query): Query | undefined =>
  path.startsWith("/docs") ? { ...query, [parameter]: language } : query

const rootFrom = (path: string) => "../".repeat(path.split("/").length - 2) || "./"

const json = <A>({ body }: LocalAnswer) =>
  (body.length === 0 ? undefined : JSON.parse(new TextDecoder().decode(body))) as A
// Omits a forged key that no header can hold. The API then checks whether the request needs a key.
const asKey = (key: string | undefined): Record<string, string> =>
  key !== undefined && /^[\u0020-\u007e]+$/.test(key) ? { "idempotency-key": key } : {}

/** Makes the visit for the current request and its session. */
export const make = Effect.fnUntraced(function* ({ csrf, session }: Admitted) {
  const api = yield* LocalApi
  const read = yield* ownReads
  const request = yield* HttpServerRequest.HttpServerRequest
  const ids = yield* HttpRouter.params
  const path = pathOf(request.url)
  const root = rootFrom(path)
  const language = languageOf(request.headers["accept-language"])
  const address = request.remoteAddress

  const call = Effect.fnUntraced(function* (asked: Omit<LocalRequest, "address">) {
    const answer = yield* api.call({ ...asked, session, address })
    if (answer.status < 400) return answer
    return yield* inLanguage(language, refusalOf(answer.status, answer.body))
  })
  const visit: Visit = {
    session,
    csrf,
    language,
    t: (en, es) => (language === "es" ? es : en),
    may: (capability) => session.capabilities.includes(capability),
    isPlatform: session.principal.platform !== undefined,
    path,
    ids,
    id: ids["id"] ?? "",
    query: new URLSearchParams(queryOf(request.url)),
    to: (target, query) => root + withQuery(target, inLanguageOf(language, target, query)).slice(1),
    get: <A>(target: string, query?: Query) =>
      Effect.map(call({ method: "GET", url: withQuery(target, query) }), json<A>),
    send: <A>(method: LocalRequest["method"], url: string, body?: unknown, form?: Pick<Form, "raw">) =>
      Effect.map(
        call({
          method,
          url,
          headers: {
            ...asKey(form?.raw("once")),
            ...(body === undefined ? {} : { "content-type": "application/json" })
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        }),
        json<A>
      ),
    upload: <A>(method: "POST" | "PUT", url: string, { bytes, contentType }: Parameters<Visit["upload"]>[2]) =>
      Effect.map(call({ method, url, headers: { "content-type": contentType }, body: bytes }), json<A>),
    read: (find) => Effect.mapError(read(session, find), ofError),
    file: (target, query) => call({ method: "GET", url: withQuery(target, query) })
  }
  return visit
})
