import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from "node:crypto"
import { Result } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { documentKinds, kindOf } from "../../../schemas/DocumentKinds.ts"

/** The kinds of file that a document has. */
export type FileKind = "pdf" | "xml"

/** The API path of a file of a document. */
export const filePath = (id: string, file: FileKind): string => `${documentKinds[kindOf(id)].path}/${id}/${file}`

/**
 * The key that signs links: 32 bytes from Folio's secret key by HKDF, so that a leaked link key does not reveal the
 * secret key.
 */
// The key object is made once, because making it takes five times as long as a signature.
export const linkKey = (secret: Uint8Array): KeyObject =>
  createSecretKey(new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(0), "folio file links v1", 32)))

/** The signed content of a link that opens a file without an API key. `expires` is in Unix seconds. */
export interface FileLink extends AccountMode {
  readonly path: string
  readonly expires: number
}

const modeOf = (livemode: boolean) => (livemode ? "live" : "test")

// No part can hold a line feed, so no two links have the same signed text.
const signatureOf = (path: string, account: string, mode: string, expires: string, key: KeyObject): string =>
  createHmac("sha256", key).update([path, account, mode, expires].join("\n")).digest("base64url")

/** The path and query of a signed link, which opens this file of this account and mode until `expires`. */
export const signedPath = ({ account_id, expires, livemode, path }: FileLink, key: KeyObject): string => {
  const mode = modeOf(livemode)
  const signature = signatureOf(path, account_id, mode, String(expires), key)
  return `${path}?account=${account_id}&mode=${mode}&expires=${expires}&signature=${signature}`
}

// Parameters that mail programs, advertisers and social networks add to the links that they show.
const tracking =
  /^(utm_\w+|_gl|_hsenc|_hsmi|dclid|fbclid|gbraid|gclid|gclsrc|igshid|li_fat_id|mc_cid|mc_eid|mkt_tok|msclkid|ttclid|twclid|wbraid|yclid)$/

/** Whether a query parameter only tracks the visitor. A signed link with this parameter opens the same file. */
export const isTracking = (parameter: string): boolean => tracking.test(parameter)

export type LinkFault = "forged" | "expired"

/**
 * The account and mode of a link's file. `now` is in Unix seconds. Fails with `forged` if no key made the signature,
 * whatever the expiry in the link, and with `expired` if `expires` has been reached.
 */
export const checkLink = (
  path: string,
  query: URLSearchParams,
  keys: ReadonlyArray<KeyObject>,
  now: number
): Result.Result<{ readonly account_id: string; readonly livemode: boolean }, LinkFault> => {
  const [account = "", mode = "", expires = "", signature = ""] = ["account", "mode", "expires", "signature"].map(
    (name) => query.get(name) ?? ""
  )
  const given = Buffer.from(signature)
  const isSignedBy = (key: KeyObject) => {
    const right = Buffer.from(signatureOf(path, account, mode, expires, key))
    return given.length === right.length && timingSafeEqual(given, right)
  }
  if (!keys.some(isSignedBy)) return Result.fail("forged")
  return now >= Number(expires)
    ? Result.fail("expired")
    : Result.succeed({ account_id: account, livemode: mode === "live" })
}
