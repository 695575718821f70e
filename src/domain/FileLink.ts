import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto"
import { Result } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { documentKinds, kindOf } from "./DocumentKinds.ts"

/** The files of a document. */
export type FileKind = "pdf" | "xml"

/** Where a file of a document is, by the document's id. */
export const filePath = (id: string, file: FileKind): string => `${documentKinds[kindOf(id)].path}/${id}/${file}`

/** The key of links, derived from the service's secret key: whoever learned the one would not have the other. */
export const linkKey = (secret: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(0), "folio file links v1", 32))

/** What opens a file without an API key. `expires` is in Unix seconds. */
export interface FileLink extends AccountMode {
  readonly path: string
  readonly expires: number
}

const modeOf = (livemode: boolean) => (livemode ? "live" : "test")

// No part can hold the end of a line, so no two links have the same text.
const signatureOf = (path: string, account: string, mode: string, expires: string, key: Uint8Array): string =>
  createHmac("sha256", key).update([path, account, mode, expires].join("\n")).digest("base64url")

/** Path and query of a link that is signed for this file of this account and mode, until it expires. */
export const signedPath = ({ account_id, expires, livemode, path }: FileLink, key: Uint8Array): string => {
  const mode = modeOf(livemode)
  const signature = signatureOf(path, account_id, mode, String(expires), key)
  return `${path}?account=${account_id}&mode=${mode}&expires=${expires}&signature=${signature}`
}

export type LinkFault = "forged" | "expired"

/** Whose file a link opens. `now` is in Unix seconds. A link that was changed is forged, whatever it says of its time. */
export const checkLink = (
  path: string,
  query: URLSearchParams,
  key: Uint8Array,
  now: number
): Result.Result<{ readonly account_id: string; readonly livemode: boolean }, LinkFault> => {
  const [account = "", mode = "", expires = "", signature = ""] = ["account", "mode", "expires", "signature"].map(
    (name) => query.get(name) ?? ""
  )
  const right = Buffer.from(signatureOf(path, account, mode, expires, key))
  const given = Buffer.from(signature)
  if (given.length !== right.length || !timingSafeEqual(given, right)) return Result.fail("forged")
  return now >= Number(expires)
    ? Result.fail("expired")
    : Result.succeed({ account_id: account, livemode: mode === "live" })
}
