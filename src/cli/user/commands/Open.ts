import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { urlOf } from "../../../clients/typescript/Addresses.ts"
import { Api } from "../ApiRequests.ts"
import { Connection } from "../Connection.ts"
import { find, invoices, kindOf, nameOf, pathOf } from "../documents/Kinds.ts"
import { Failed } from "../Failures.ts"
import { objectOf } from "../Objects.ts"
import { Output } from "../Output.ts"
import * as Flags from "../Flags.ts"
import { spawn } from "node:child_process"

/** Writes a file into a new directory. Only the user can read both. */
const kept = (name: string, bytes: Uint8Array) =>
  Effect.try({
    try: () => {
      const file = Path.join(Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-")), name)
      Fs.writeFileSync(file, bytes, { mode: 0o600 })
      return file
    },
    catch: (cause) => new Failed({ message: `The PDF cannot be written: ${String(cause)}` })
  })

/** Downloads the PDF of a document into a file. */
const fileOf = Effect.fnUntraced(function* (text: string) {
  const api = yield* Api
  const kind = kindOf(text) ?? invoices
  const document = yield* find(kind, text)
  const { bytes } = yield* api.send({ method: "GET", path: pathOf(kind, document.id, "/pdf") })
  return yield* kept(`${nameOf(document).replaceAll(/[^\w-]/g, "_")}.pdf`, bytes)
})

export const open = Command.make(
  "open",
  {
    what: Flags.argument("what", "A document (FE12, inv_…, cn_…, dn_…), another id, or an error code")
  },
  Effect.fnUntraced(function* ({ what }) {
    const output = yield* Output
    const { url } = yield* Connection
    const kind = kindOf(what)
    const object = kind === undefined ? objectOf(what) : undefined
    if (object !== undefined) {
      const { page, path } = object
      // A browser has no API key, so it cannot show the object.
      const address = String(urlOf(url, `${path}/{id}`, { params: { id: what } }))
      return yield* output.one({ url: address }, ({ dim }) => [
        address,
        dim(`Show it: folio api GET ${path}/${what}`),
        ...(page !== undefined ? [dim(`In the portal: folio portal ${what}`)] : [])
      ])
    }
    const isError = kind === undefined && /^[a-z]+(_[a-z]+)+$/.test(what)
    const target = isError
      ? String(urlOf(url, "/docs/errors/{code}", { params: { code: what } }))
      : yield* output.during("fetching the PDF")(fileOf(what))
    // In a pipe, print the path or the URL and open no window.
    const isOpen = !output.isJson && (yield* opened(target))
    yield* output.one(isError ? { url: target } : { file: target }, ({ dim }) => [
      target,
      ...(isOpen ? [] : [dim("No display was found, so open it yourself.")])
    ])
  })
).pipe(
  Flags.described(
    "Open the PDF of a document, or the page of an error code",
    "folio open FE12",
    "folio open idempotency_conflict"
  )
)

/** The program that opens a file or a URL; undefined without a display. */
const opener = (): readonly [string, ...ReadonlyArray<string>] | undefined => {
  if (process.platform === "darwin") return ["open"]
  if (process.platform === "win32") return ["explorer"]
  const hasDisplay = process.env["DISPLAY"] !== undefined || process.env["WAYLAND_DISPLAY"] !== undefined
  return hasDisplay ? ["xdg-open"] : undefined
}

/** Opens a file or a URL. Gives false if no program can open it. */
const opened = (target: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const [program, ...words] = opener() ?? []
    if (program === undefined) return resume(Effect.succeed(false))
    const child = spawn(program, [...words, target], { detached: true, stdio: "ignore" })
    child.once("error", () => resume(Effect.succeed(false)))
    child.once("spawn", () => {
      child.unref()
      resume(Effect.succeed(true))
    })
  })
