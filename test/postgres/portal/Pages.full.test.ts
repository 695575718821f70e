import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { ApiKeyId } from "../../../schemas/Id.ts"
import { createPlatform } from "../../../src/accounts/store/Operations.ts"
import { newAccount } from "../../http/platforms/Platform.ts"
import { makeClient } from "../../support/apps/Client.ts"
import { TestApp } from "../../support/apps/TestApp.ts"
import {
  executablePath,
  overflow,
  showAs,
  type View,
  views,
  violations,
  withAxe
} from "../../support/browser/Chromium.ts"
import { browsing, serviceUrl } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"
import { hostile, hostileAccount, hostileName, layer } from "./HostileAccount.ts"

/** The kind of a page: its path with a placeholder for each id. */
const kindOf = (path: string) => path.replaceAll(/\b[a-z]{2,4}_[0-9a-z]{26}(_\d+)?/g, ":id")

/** Paths of files, which are no pages. */
const isFile = (path: string) => /\/(pdf|xml|qr\.svg|bytes|picture|answer|export)(\.\w+)?$/.test(path)

/** Every portal address that the page links to, as path and query. */
const linksOf = (page: Page) =>
  Effect.promise(() =>
    page.evaluate<ReadonlyArray<string>>(
      `[...document.querySelectorAll("a[href]")].map((one) => one.href).filter((href) => href.startsWith(location.origin + "/portal"))
        .map((href) => href.slice(location.origin.length).split("#")[0])`
    )
  )

/** Follows links from Home until it has seen each kind of page, with at most `most` addresses per kind. */
const crawled = Effect.fnUntraced(function* (
  go: (path: string) => Effect.Effect<{ status(): number } | null>,
  page: Page,
  look: (path: string, status: number | undefined) => Effect.Effect<void>,
  most: number
) {
  const seen = new Map<string, number>()
  const known = new Set<string>(["/portal"])
  for (const address of known) {
    const [path = ""] = address.split("?")
    const kind = kindOf(path)
    if (isFile(path) || (seen.get(kind) ?? 0) >= most) continue
    seen.set(kind, (seen.get(kind) ?? 0) + 1)
    yield* look(address, (yield* go(address))?.status())
    for (const link of yield* linksOf(page)) known.add(link)
  }
  return seen
})

/** The kinds of pages that a crawl must reach: people cannot find a page without a link to it. */
const kinds = [
  "/portal",
  "/portal/bench",
  "/portal/customers",
  "/portal/customers/:id",
  "/portal/customers/:id/change",
  "/portal/customers/new",
  "/portal/documents",
  "/portal/documents/:id",
  "/portal/endpoints",
  "/portal/endpoints/:id",
  "/portal/endpoints/:id/delete",
  "/portal/endpoints/:id/edit",
  "/portal/endpoints/:id/rotate",
  "/portal/endpoints/new",
  "/portal/events",
  "/portal/events/:id",
  "/portal/requests",
  "/portal/requests/:id",
  "/portal/setup",
  "/portal/setup/certificate",
  "/portal/setup/issuer",
  "/portal/setup/keys",
  "/portal/setup/keys/:id",
  "/portal/setup/logo",
  "/portal/setup/ranges",
  "/portal/setup/ranges/:id",
  "/portal/setup/ranges/new",
  "/portal/setup/sessions"
]

/** The kinds of pages of a platform's session. */
const kindsOfPlatform = [
  "/portal",
  "/portal/accounts/:id",
  "/portal/accounts/new",
  "/portal/requests",
  "/portal/requests/:id",
  "/portal/setup/audit-log",
  "/portal/setup/keys",
  "/portal/setup/keys/:id",
  "/portal/setup/sessions"
]

/** A platform with accounts, whose texts are hostile. */
const hostilePlatform = Effect.gen(function* () {
  const { account_id, api_key_id, key } = yield* createPlatform(hostileName, { accounts_max: null, return_hosts: [] })
  const client = makeClient(yield* serviceUrl, key)
  for (const name of ["Ferretería", hostileName, `${hostileName} 2`]) {
    const made = yield* client.post(
      "/v1/accounts",
      { ...newAccount(), name, legal_name: name },
      { key: `account ${name.length}` }
    )
    assert.strictEqual(made.status, 201, made.text)
    yield* client.post(`/v1/accounts/${made.json.id}/suspend`, { reason: hostile })
  }
  return { account: { account_id, livemode: false }, apiKeyId: api_key_id }
})

const apiKeyOf = Effect.gen(function* () {
  const { accountId, client } = yield* TestApp
  const keys = yield* client.get("/v1/api-keys")
  return { account: { account_id: accountId, livemode: false }, apiKeyId: ApiKeyId.make(keys.json.data.at(-1).id) }
})

describeLive(layer)("Every page of the portal (in Chromium; skipped without it)", (it) => {
  it.effect.skipIf(executablePath === undefined)(
    "shows hostile text of fields and receivers as text, accessibly, in both languages, light and dark, wide and narrow",
    function* () {
      const { client } = yield* TestApp
      yield* hostileAccount(client)
      const [ofAccount, ofPlatform] = [yield* apiKeyOf, yield* hostilePlatform]
      const [all, some] = [views, [views[0], views[3]]]
      for (const [asker, wanted, locale, most, shown] of [
        [ofAccount, kinds, "en-GB", 3, all],
        [ofAccount, kinds, "es-CO", 1, some],
        [ofPlatform, kindsOfPlatform, "en-GB", 3, all],
        [ofPlatform, kindsOfPlatform, "es-CO", 1, some]
      ] as const) {
        const { faults, go, page } = yield* browsing({ ...asker, browser: { locale } })
        page.on("dialog", (dialog) => faults.push(`a dialog: ${dialog.message()}`))
        const looked = new Set<string>()
        const look = Effect.fnUntraced(function* (path: string, status: number | undefined) {
          if (status !== 200) faults.push(`${path} responds ${status}`)
          const marked = yield* Effect.promise(() =>
            page.evaluate<number>(
              `document.querySelectorAll(".hostile").length + (document.title.includes("hacked") ? 1 : 0)`
            )
          )
          assert.strictEqual(marked, 0, `${path} shows a hostile text as markup`)
          const kind = kindOf(path.split("?")[0] ?? "")
          if (looked.has(kind)) return
          looked.add(kind)
          yield* withAxe(page)
          for (const view of shown) {
            const { colorScheme, width } = view as View
            const where = `${path}, ${width}, ${colorScheme}, ${locale}`
            yield* showAs(page, { colorScheme, width })
            const over = yield* overflow(page)
            if (over > 0) faults.push(`${where} is ${over} pixels wider than its window`)
            const found = yield* violations(page, { onlyColours: colorScheme === "dark" })
            faults.push(...found.map((fault) => `${where}: ${fault}`))
          }
        })
        const seen = yield* crawled(go, page, look, most)
        assert.deepStrictEqual(
          wanted.filter((kind) => !seen.has(kind)),
          [],
          "no page links to it"
        )
        assert.deepStrictEqual(faults, [])
      }
    }
  )
})
