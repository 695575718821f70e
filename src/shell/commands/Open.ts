import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { urlOf } from "../../client/Addresses.ts"
import { Api } from "../Api.ts"
import { Connection } from "../Connection.ts"
import { find, invoices, kindOf, nameOf } from "../documents/Kinds.ts"
import { Failed } from "../Failures.ts"
import { opened } from "../Opener.ts"
import { Output } from "../Output.ts"

/** Where the API has the objects that are no documents. */
const paths: Readonly<Record<string, string>> = {
  evt: "/v1/events",
  req: "/v1/requests",
  cust: "/v1/customers",
  we: "/v1/webhook-endpoints",
  whd: "/v1/webhook-deliveries",
  res: "/v1/resolutions",
  key: "/v1/api-keys",
  ps: "/v1/portal-sessions"
}

/** The objects of which the portal has a page. */
const hasPage = new Set(["evt", "req", "cust", "we"])

/** A file in a new directory, both for its owner alone. */
const kept = (name: string, bytes: Uint8Array) =>
  Effect.try({
    try: () => {
      const file = Path.join(Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-")), name)
      Fs.writeFileSync(file, bytes, { mode: 0o600 })
      return file
    },
    catch: (cause) => new Failed({ message: `The PDF cannot be kept: ${String(cause)}` })
  })

/** The PDF of a document as a file. */
const fileOf = Effect.fnUntraced(function* (text: string) {
  const api = yield* Api
  const kind = kindOf(text) ?? invoices
  const document = yield* find(kind, text)
  const { bytes } = yield* api.send({ method: "GET", path: `${kind.path}/${encodeURIComponent(document.id)}/pdf` })
  return yield* kept(`${nameOf(document).replaceAll(/[^\w-]/g, "_")}.pdf`, bytes)
})

export const open = Command.make(
  "open",
  {
    what: Argument.String("what").pipe(
      Argument.withDescription("A document (FE12, inv_…, cn_…, dn_…), another id, or an error's code")
    )
  },
  Effect.fnUntraced(function* ({ what }) {
    const output = yield* Output
    const { url } = yield* Connection
    const prefix = /^([a-z]+)_[0-9a-z]{26}/.exec(what)?.[1] ?? ""
    const path = paths[prefix]
    if (path !== undefined) {
      // A browser has no API key, so that it could not show the object.
      const address = String(urlOf(url, `${path}/{id}`, { params: { id: what } }))
      return yield* output.one({ url: address }, ({ dim }) => [
        address,
        dim(`Show it: folio api GET ${path}/${what}`),
        ...(hasPage.has(prefix) ? [dim(`In the portal: folio portal ${what}`)] : [])
      ])
    }
    const isError = kindOf(what) === undefined && /^[a-z]+(_[a-z]+)+$/.test(what)
    const target = isError
      ? String(urlOf(url, "/docs/errors/{code}", { params: { code: what } }))
      : yield* output.during("fetching the PDF")(fileOf(what))
    // A program gets the path or the address, and no window opens.
    const isOpen = !output.isJson && (yield* opened(target))
    yield* output.one(isError ? { url: target } : { file: target }, ({ dim }) => [
      target,
      ...(isOpen ? [] : [dim("There is no display to open it on.")])
    ])
  })
).pipe(
  Command.withDescription("Open the PDF of a document, or the page of an error"),
  Command.withExamples([{ command: "folio open FE12" }, { command: "folio open idempotency_conflict" }])
)
