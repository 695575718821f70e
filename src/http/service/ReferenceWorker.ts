import { hash } from "node:crypto"
import { parentPort } from "node:worker_threads"
import { gzipSync } from "node:zlib"

// Packs the script of the API reference in a thread: loading and packing 3 MB takes 0.1 s, and the text is not needed afterwards.

export interface PackedScript {
  readonly bytes: Uint8Array
  readonly etag: string
}

// Effect exposes the script only inlined in its own page, so the script is imported from Effect's internal module.
const place = new URL("./internal/httpApiScalar.js", import.meta.resolve("effect/http-api/HttpApiScalar"))
const { javascript } = (await import(place.href)) as { readonly javascript: string }
const bytes = gzipSync(javascript)
const packed: PackedScript = { bytes, etag: `"${hash("sha256", bytes, "hex").slice(0, 32)}"` }
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
parentPort?.postMessage(packed)
