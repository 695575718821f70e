import { hash } from "node:crypto"
import { parentPort } from "node:worker_threads"
import { gzipSync } from "node:zlib"

/*
 * Packs the script that draws the API reference, in a thread of its own: to load, encode and compress its 3 MB takes a tenth of
 * a second, and once it is packed nobody needs the text.
 */

export interface PackedScript {
  readonly bytes: Uint8Array
  readonly etag: string
}

// Effect gives it away only within its own page, with all of it in one answer.
const place = new URL("./internal/httpApiScalar.js", import.meta.resolve("effect/http-api/HttpApiScalar"))
const { javascript } = (await import(place.href)) as { readonly javascript: string }
const bytes = gzipSync(javascript)
const packed: PackedScript = { bytes, etag: `"${hash("sha256", bytes, "hex").slice(0, 32)}"` }
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
parentPort?.postMessage(packed)
