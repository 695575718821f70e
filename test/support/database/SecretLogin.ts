import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import { freshDatabase, query } from "./Postgres.ts"

/** A unique word to search for. */
export const canary = (what: string) => `canary${what}${randomBytes(8).toString("hex")}`

/** A login with the rights of the databases' owner, and with a secret password that must never be shown. */
export const secretLogin = Effect.gen(function* () {
  const server = inject("postgres")
  const url = new URL(yield* freshDatabase)
  const admin = url.href
  const password = `${canary("password")}+/@:%`
  const name = `folio_${randomBytes(4).toString("hex")}`
  yield* Effect.acquireRelease(
    query(server.admin, `create role ${name} login password '${password}' in role ${url.username}`),
    () => Effect.ignore(query(server.admin, `drop role if exists ${name}`))
  )
  url.username = name
  url.password = encodeURIComponent(password)
  return { url: url.href, admin, password }
})
