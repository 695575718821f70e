import { createHmac, timingSafeEqual } from "node:crypto"

const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null)

/**
 * Whether the headers prove that a page of this service sent a form: `Sec-Fetch-Site`, which browsers send over https
 * and to their own machine, or `Origin`, which must match BASE_URL or `Host`. Rejects a form with neither header.
 *
 * Chromium sends `Origin: null` for a page with the policy `no-referrer`, so `null` alone proves nothing.
 */
export const isSentFromHere = (headers: Readonly<Record<string, string | undefined>>, baseUrl: string): boolean => {
  const { host, origin, "sec-fetch-site": site } = headers
  if (site !== undefined && site !== "same-origin") return false
  if (origin === undefined || origin === "null") return site !== undefined
  const from = hostOf(origin)
  return from !== null && (from === host || origin === new URL(baseUrl).origin)
}

/** Whether browsers send `Sec-Fetch-Site` to this address: over https, or over http to their own machine. */
const isTold = (baseUrl: string): boolean => {
  const { hostname, protocol } = new URL(baseUrl)
  return protocol === "https:" || /^(?:localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/u.test(hostname)
}

/**
 * The referrer policy of pages. Other sites never receive an address of the portal. Over plain http to another machine,
 * only `Origin` proves the source of a form, and browsers send `Origin` only with the policy `same-origin`.
 */
export const referrerPolicy = (baseUrl: string): "no-referrer" | "same-origin" =>
  isTold(baseUrl) ? "no-referrer" : "same-origin"

/** The CSRF token of a session's forms, derived from the cookie. Another site can neither read nor guess the cookie. */
export const csrfToken = (cookie: string): string =>
  createHmac("sha256", cookie).update("folio portal csrf").digest("base64url")

/** Compares two texts in constant time. */
export const isSame = (one: string, other: string): boolean => {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
