import { Duration, Effect, Exit } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import { openApi } from "../../api/OpenApi.ts"
import { holds, takesGzip } from "../request/Accept.ts"
import type { PackedScript } from "./ReferenceWorker.ts"

const cacheSeconds = 86_400

// The addresses in the page are relative, so that they also work behind a proxy that serves Folio below a path.
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>${openApi.info.title}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
  </head>
  <body>
    <div id="api-reference-container"></div>
    <script src="docs/reference.js"></script>
    <script>
      fetch("v1/openapi.json").then((answer) => answer.json()).then((content) =>
        window.Scalar.createApiReference(document.getElementById("api-reference-container"), {
          _integration: "html", withDefaultFonts: false, content
        })
      )
    </script>
  </body>
</html>`

const pack = Effect.callback<PackedScript>((resume) => {
  const worker = new Worker(new URL(`./ReferenceWorker${extname(import.meta.filename)}`, import.meta.url), {
    execArgv: [],
    env: {}
  })
  const fail = (cause: unknown) => resume(Effect.die(new Error(`The script of the reference was not packed: ${cause}`)))
  worker.once("message", (packed: PackedScript) => resume(Effect.succeed(packed)))
  worker.once("error", fail)
  worker.once("exit", fail)
  return Effect.promise(() => worker.terminate())
})

const notAcceptable = HttpServerResponse.text(
  "This script is sent as gzip only. Ask for it with Accept-Encoding: gzip, or without that header.\n",
  { status: 406, headers: { Vary: "Accept-Encoding" } }
)

/**
 * Serves the API reference: a small page, and the script that renders the page. The script has 3 MB, and no answer may exceed 1 MB,
 * so the script is compressed at the first request and sent only as gzip. Every browser accepts gzip, and a request without
 * `Accept-Encoding` accepts any coding (RFC 9110, 12.5.3); only a request that excludes gzip is refused, with 406.
 */
export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    // A failed compression is not cached, so the next request starts a new thread.
    const packed = yield* Effect.cachedWithTTL(pack, (exit) =>
      Exit.isSuccess(exit) ? Duration.infinity : Duration.zero
    )
    const script = Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      if (!takesGzip(headers["accept-encoding"])) return notAcceptable
      const { bytes, etag } = yield* packed
      const cache = { ETag: etag, "Cache-Control": `public, max-age=${cacheSeconds}`, Vary: "Accept-Encoding" }
      return holds(headers["if-none-match"], etag)
        ? HttpServerResponse.empty({ status: 304, headers: cache })
        : HttpServerResponse.uint8Array(bytes, {
            contentType: "text/javascript; charset=utf-8",
            headers: { ...cache, "Content-Encoding": "gzip" }
          })
    })
    yield* router.add("GET", "/docs", HttpServerResponse.text(page, { contentType: "text/html; charset=utf-8" }))
    yield* router.add("GET", "/docs/reference.js", script)
  })
)
