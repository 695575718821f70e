import { hash } from "node:crypto"
import * as Fs from "node:fs"

const read = (file: string) => Fs.readFileSync(new URL(file, import.meta.url), "utf8")

/** A file that pages load. */
export interface Asset {
  readonly text: string
  readonly contentType: string
  readonly path: string
  /** The version in the address changes with the content, so browsers may cache the file forever. */
  readonly address: string
}

/** Makes an asset that the service serves at `path`, without a leading slash. */
export const asset = (path: string, text: string, contentType: string): Asset => ({
  text,
  contentType,
  path,
  address: `${path}?v=${hash("sha256", text, "hex").slice(0, 12)}`
})

export const style = asset("docs/style.css", read("./style.css"), "text/css; charset=utf-8")
export const script = asset("docs/script.js", read("./script.js"), "text/javascript; charset=utf-8")
export const icon = asset("docs/icon.svg", read("./icon.svg"), "image/svg+xml")
