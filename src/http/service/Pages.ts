import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as Fs from "node:fs"

const folder = new URL("../docs/", import.meta.url)

/** Serves each page of src/http/docs at /docs/<name>, as it stands in the repository, for users, operators and developers. */
export const layer = HttpRouter.use((router) =>
  Effect.forEach(
    Fs.readdirSync(folder),
    (file) => {
      const text = Fs.readFileSync(new URL(file, folder), "utf8")
      const page = HttpServerResponse.text(text, { contentType: "text/plain; charset=utf-8" })
      return router.add("GET", `/docs/${file.replace(/\.md$/, "")}`, Effect.succeed(page))
    },
    { discard: true }
  )
)
