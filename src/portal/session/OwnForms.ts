import { createHmac, timingSafeEqual } from "node:crypto"

const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null)

/**
 * Whether a browser says that a form was sent from a page of the service itself: by `Sec-Fetch-Site`, which a browser tells to https and
 * to its own machine, or by `Origin`, which must then be that of BASE_URL or of `Host`. A browser that says nothing is not believed.
 *
 * Chromium sends `Origin: null` with the forms of a page whose policy is `no-referrer`, so that `null` alone says nothing either.
 */
export const isSentFromHere = (headers: Readonly<Record<string, string | undefined>>, baseUrl: string): boolean => {
  const { host, origin, "sec-fetch-site": site } = headers
  if (site !== undefined && site !== "same-origin") return false
  if (origin === undefined || origin === "null") return site !== undefined
  const from = hostOf(origin)
  return from !== null && (from === host || origin === new URL(baseUrl).origin)
}

/** Whether browsers tell `Sec-Fetch-Site` to this address: https, and http on the browser's own machine. */
const isTold = (baseUrl: string): boolean => {
  const { hostname, protocol } = new URL(baseUrl)
  return protocol === "https:" || /^(?:localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/u.test(hostname)
}

/**
 * The referrer policy of pages: no address of the portal is ever told to another site. Over plain http on another machine only `Origin` says
 * where a form comes from, and a browser sends an `Origin` only with a policy that names it.
 */
export const referrerPolicy = (baseUrl: string): "no-referrer" | "same-origin" =>
  isTold(baseUrl) ? "no-referrer" : "same-origin"

/** The token that the forms of a session carry. It is derived from the cookie, which another site can neither read nor guess. */
export const csrfToken = (cookie: string): string =>
  createHmac("sha256", cookie).update("folio portal csrf").digest("base64url")

/** Compares in a time that does not depend on the texts. */
export const isSame = (one: string, other: string): boolean => {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
