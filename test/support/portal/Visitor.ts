import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { HttpServer } from "effect/http"
import type { BrowserContextOptions } from "playwright-core"
import type { AccountMode } from "../../../schemas/Account.ts"
import { type ApiKeyId, PortalSessionId } from "../../../schemas/Id.ts"
import { Capability } from "../../../schemas/PortalSession.ts"
import { makePortalToken } from "../../../src/accounts/rules/PortalTokens.ts"
import { PortalSessions } from "../../../src/accounts/store/PortalSessions.ts"
import { apiKeyIds, otherAccount, testMode } from "../apps/Accounts.ts"
import { opened } from "../browser/Chromium.ts"

interface Options {
  readonly account?: AccountMode
  readonly apiKeyId?: ApiKeyId
  /** All capabilities if omitted. */
  readonly capabilities?: ReadonlyArray<Capability>
}

/** In the live mode of the account, and in the test mode of the other account. */
export const asLive = { account: { ...testMode, livemode: true }, apiKeyId: apiKeyIds.live }
export const asOther = { account: { account_id: otherAccount, livemode: false }, apiKeyId: apiKeyIds.otherAccount }

let count = 0
const next = () => {
  count += 1
  return count
}

/** The cookie of a browser that has just entered. */
export const entered = Effect.fnUntraced(function* ({
  account = testMode,
  apiKeyId = apiKeyIds.test,
  capabilities = Capability.literals
}: Options = {}) {
  const sessions = yield* PortalSessions
  const number = next()
  const bytes = new Uint8Array(32)
  new DataView(bytes.buffer).setUint32(0, number)
  const token = makePortalToken(bytes)
  const id = PortalSessionId.make(`ps_${String(number).padStart(26, "0")}`)
  yield* sessions.insert({ ...account, id, api_key_id: apiKeyId, capabilities, token, expires_in: 3600 })
  const { cookie } = Result.getOrThrow(yield* sessions.enter(token))
  return { id, cookie: `folio_portal=${cookie}` }
})

/** The URL of the service, without a slash at the end. */
export const serviceUrl = Effect.map(HttpServer.HttpServer, ({ address }) => HttpServer.formatAddress(address))

/** A response of the portal. */
export interface Shown {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/**
 * The fields of the form at `action` (the end of its URL), as a browser would send them without input. Fails if the
 * page has no such form.
 */
export const formOf = (page: string, action: string): Record<string, string> => {
  const found = [...page.matchAll(/<form\b[^>]*action="([^"]*)"[^>]*>([^]*?)<\/form>/g)].find(([, address = ""]) =>
    address.endsWith(action)
  )
  assert.isDefined(found, `the page has a form for ${action}`)
  const hidden = [...(found?.[2] ?? "").matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  return Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value]))
}

/** The change that a page reports, by the name of its notice. */
export const noticeOf = (page: string): string | undefined => /data-notice="([^"]*)"/.exec(page)?.[1]

/** A person with a session, who opens pages and sends their forms like a browser without JavaScript. */
export const visitor = Effect.fnUntraced(function* (options: Options & { readonly language?: string } = {}) {
  const url = yield* serviceUrl
  const { cookie, id } = yield* entered(options)
  const fetched = (path: string, init: RequestInit = {}) =>
    Effect.promise(async (): Promise<Shown> => {
      const answer = await fetch(url + path, {
        redirect: "manual",
        ...init,
        headers: { cookie, "accept-language": options.language ?? "en", ...init.headers }
      })
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    })
  /** Sends the fields of the form, and follows to the page after it. */
  const post = Effect.fnUntraced(function* (path: string, body: URLSearchParams | FormData) {
    const answer = yield* fetched(path, {
      method: "POST",
      body,
      headers: { origin: url, "sec-fetch-site": "same-origin" }
    })
    if (answer.status !== 303) return answer
    const target = new URL(answer.headers.get("location") ?? "", url + path)
    return yield* fetched(target.pathname + target.search)
  })
  return {
    id,
    cookie,
    url,
    fetched,
    see: (path: string) => fetched(path),
    post,
    /** Opens the page at `from`, and sends its form for `action` with these fields. */
    submit: Effect.fnUntraced(function* (from: string, action: string, fields: Readonly<Record<string, string>> = {}) {
      const page = yield* fetched(from)
      return yield* post(action, new URLSearchParams({ ...formOf(page.text, action), ...fields }))
    })
  }
})

/** A browser with a session; `go` opens its page. */
export const browsing = Effect.fnUntraced(function* (
  options: Options & { readonly browser?: BrowserContextOptions } = {}
) {
  const url = yield* serviceUrl
  const { cookie } = yield* entered(options)
  const own = yield* opened(url, options.browser ?? {})
  const [name = "", value = ""] = cookie.split("=")
  yield* Effect.promise(() => own.context.addCookies([{ name, value, url, httpOnly: true, sameSite: "Lax" }]))
  return own
})
