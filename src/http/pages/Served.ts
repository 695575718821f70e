import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { ServiceInfo } from "../../runtime/ServiceInfo.ts"
import { holds, takesGzip } from "../request/Accept.ts"
import { escape } from "./Html.ts"
import * as Languages from "./Language.ts"
import type { Language } from "./Language.ts"

interface Packed {
  readonly plain: Uint8Array
  readonly gzip: Uint8Array
  readonly etag: string
}

const pack = (text: string): Packed => {
  const plain = Buffer.from(text)
  return { plain, gzip: gzipSync(plain), etag: `"${hash("sha256", plain, "hex").slice(0, 32)}"` }
}

interface Kind {
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Pages may load only this service's stylesheet, script, icon and search index. Other sites may not frame them. */
const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export const page: Kind = {
  contentType: "text/html; charset=utf-8",
  headers: { "Content-Security-Policy": policy, "Referrer-Policy": "no-referrer" }
}

export const plainText: Kind = { contentType: "text/plain; charset=utf-8" }

// The address of a service without settings, in the commands of the pages and of `README.md`.
const usual = "http://127.0.0.1:3000"

/** Replaces the address in a page's commands by the address of this service. */
export const withAddress =
  (write: (language: Language) => string) =>
  (baseUrl: string, language: Language): string =>
    write(language).replaceAll(usual, escape(baseUrl))

const respond = ({ etag, gzip, plain }: Packed, { contentType, headers = {} }: Kind) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers: asked }) => {
    // A weak ETag, because the compressed and the plain bytes share it.
    const all = { "Cache-Control": "no-cache", Vary: "Accept-Encoding", ...headers, ETag: `W/${etag}` }
    if (holds(asked["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers: all })
    return takesGzip(asked["accept-encoding"])
      ? HttpServerResponse.uint8Array(gzip, { contentType, headers: { ...all, "Content-Encoding": "gzip" } })
      : HttpServerResponse.uint8Array(plain, { contentType, headers: all })
  })

/**
 * Responds with a text that is constant while the service runs. `write` gets the base URL of the service. Writes and
 * compresses the text at its first request, which takes some milliseconds, and caches it.
 */
export const served = (write: (baseUrl: string) => string | Effect.Effect<string>, kind: Kind) => {
  const packed = Effect.gen(function* () {
    const { baseUrl } = yield* ServiceInfo
    const text = write(baseUrl)
    return pack(typeof text === "string" ? text : yield* text)
  })
  // Concurrent first requests share the work.
  const kept = Effect.runSync(Effect.cached(packed))
  return Effect.flatMap(kept, (one) => respond(one, kind))
}

/** Responds with a page in the reader's language, and stores the language after a switch. */
export const servedPage = (write: (baseUrl: string, language: Language) => string) => {
  const kept: { [language in Language]?: Packed } = {}
  return Effect.gen(function* () {
    const { cookie, language } = yield* Languages.ofReader
    const { baseUrl } = yield* ServiceInfo
    return yield* respond((kept[language] ??= pack(write(baseUrl, language))), {
      ...page,
      headers: {
        ...page.headers,
        "Content-Language": language,
        Vary: "Accept-Encoding, Accept-Language, Cookie",
        ...(cookie === undefined ? {} : { "Set-Cookie": cookie })
      }
    })
  })
}
