import { hash } from "node:crypto"
import * as Fs from "node:fs"

const read = (file: string) => Fs.readFileSync(new URL(file, import.meta.url), "utf8")

const asset = (name: string, text: string, contentType: string) => ({
  text,
  contentType,
  path: `docs/${name}`,
  /** The version in the address changes with the content, so that browsers may keep the file for good. */
  address: `docs/${name}?v=${hash("sha256", text, "hex").slice(0, 12)}`
})

export const style = asset("style.css", read("./style.css"), "text/css; charset=utf-8")
export const script = asset("script.js", read("./script.js"), "text/javascript; charset=utf-8")
export const icon = asset("icon.svg", read("./icon.svg"), "image/svg+xml")
