import { Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { ApiError } from "../../../schemas/ApiError.ts"
import { ErrorCode, errorCodes } from "../../../schemas/ErrorCode.ts"
import { errorExample } from "../../api/Errors.ts"
import { openApi } from "../../api/OpenApi.ts"
import { ServiceInfo } from "../../api/ServiceInfo.ts"
import * as Errors from "../request/Errors.ts"
import * as Pages from "./Pages.ts"
import * as Reference from "./Reference.ts"

const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const style =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem;color:#1c1c1c}" +
  "code{background:#f2f2f0;padding:.1em .3em;border-radius:4px}pre{background:#f2f2f0;padding:1em;overflow:auto;border-radius:4px}a{color:#0b5cad}dt{font-weight:600}dd{margin:0 0 .6rem}"

const page = (title: string, content: string) =>
  HttpServerResponse.text(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
      `<title>${title}</title><style>${style}</style></head><body>${content}</body></html>`,
    { contentType: "text/html; charset=utf-8" }
  )

const markup = (text: string) => escape(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>")

const retries = (code: ErrorCode) => {
  if (errorCodes[code].status >= 500 || code === "request_timeout") return "Yes, with the same Idempotency-Key."
  return code === "rate_limited" ? "Yes, after the seconds in `Retry-After`." : "Not as it is: it would fail again."
}

const errorPage = (code: ErrorCode, baseUrl: string) => {
  const { example, help, status, type } = errorCodes[code]
  return page(
    code,
    `<h1><code>${code}</code></h1><p>${markup(help)}</p>` +
      `<dl><dt>HTTP status</dt><dd>${status}</dd><dt>Type</dt><dd><code>${type}</code></dd>` +
      `<dt>Retry?</dt><dd>${markup(retries(code))}</dd></dl>` +
      `<h2>Example</h2><p>${escape(example.request)}:</p>` +
      `<pre>${escape(JSON.stringify(errorExample(code, baseUrl), null, 2))}</pre>` +
      `<p><a href="/docs/errors">All errors</a> · <a href="/docs">API reference</a></p>`
  )
}

const errorIndex = () =>
  page(
    "Errors",
    `<h1>Errors</h1><dl>${ErrorCode.literals
      .map(
        (code) =>
          `<dt><a href="/docs/errors/${code}"><code>${code}</code></a> (${errorCodes[code].status})</dt><dd>${markup(errorCodes[code].help)}</dd>`
      )
      .join("")}</dl>`
  )

// Stored as bytes, because encoding the text for each answer would take a millisecond.
const document = HttpServerResponse.uint8Array(Buffer.from(JSON.stringify(openApi)), {
  contentType: "application/json"
})

/** Serves the API reference, the OpenAPI document, the documentation pages and a page for each error code, without an API key. */
export const layer = Layer.mergeAll(
  Pages.layer,
  Reference.layer,
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      yield* router.add("GET", "/v1/openapi.json", Effect.succeed(document))
      yield* router.add("GET", "/docs/errors", Effect.sync(errorIndex))
      yield* router.add(
        "GET",
        "/docs/errors/:code",
        Effect.gen(function* () {
          const { params } = yield* HttpRouter.RouteContext
          const code = params["code"] ?? ""
          if (Schema.is(ErrorCode)(code)) {
            const { baseUrl } = yield* ServiceInfo
            return errorPage(code, baseUrl)
          }
          const message = `There is no error code ${JSON.stringify(code.slice(0, 64))}. All of them are at /docs/errors.`
          return yield* Errors.respond(new ApiError({ code: "resource_missing", message }))
        })
      )
    })
  )
)
