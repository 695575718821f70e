import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Capability } from "../../../schemas/PortalSession.ts"
import { apiKeyIds, keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { addCustomer, addInvoice } from "../../support/apps/PostgresRows.ts"
import { bearer, get, post, send } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { blocked } from "../../support/database/Owners.ts"
import { open } from "../../support/portal/Entering.ts"
import { auditLog, pass, whileLocked } from "../../support/portal/Tables.ts"
import { formOf, visitor } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"

const opened = (url: string) => open(new URL(url).pathname)

const end = (id: string) => send({ method: "DELETE", path: `/v1/portal-sessions/${id}` })

const shown = (id: string) => Effect.map(get(`/v1/portal-sessions/${id}`), ({ json }) => json)

describeLive(app)("portal sessions and their reads", (it) => {
  describe("sessions of the portal", () => {
    it.effect("get an address that only the response of their creation shows", function* () {
      const made = yield* post("/v1/portal-sessions", { expires_in: 600, capabilities: ["view", "documents"] })
      const { id, url, url_expires_at, ...rest } = made.json
      assert.strictEqual(made.status, 201)
      assert.strictEqual(made.headers.location, `/v1/portal-sessions/${id}`)
      assert.match(id, /^ps_[0-9a-z]{26}$/u)
      assert.match(url, /^http:\/\/folio\.test\/portal\/enter\/[\w-]{43}$/u)
      const session = {
        object: "portal_session",
        livemode: false,
        api_key_id: apiKeyIds.test,
        capabilities: ["view", "documents"],
        status: "waiting",
        created_at: rest.created_at,
        expires_at: rest.expires_at,
        return_url: null,
        used_at: null,
        ended_at: null
      }
      assert.deepStrictEqual(rest, session)
      assert.strictEqual(Date.parse(rest.expires_at) - Date.parse(rest.created_at), 600_000)
      assert.strictEqual(Date.parse(url_expires_at) - Date.parse(rest.created_at), 60_000)
      assert.deepStrictEqual(yield* shown(id), { id, ...session })
      const list = yield* get("/v1/portal-sessions")
      assert.deepStrictEqual(list.json.data, [{ id, ...session }])
      assert.deepInclude((yield* auditLog).at(-1), {
        actor: apiKeyIds.test,
        action: "portal_session.created",
        object_id: id
      })
    })

    it.effect("have the capability view for an hour by default", function* () {
      const { json } = yield* post("/v1/portal-sessions", {})
      assert.deepStrictEqual(json.capabilities, ["view"])
      assert.strictEqual(Date.parse(json.expires_at) - Date.parse(json.created_at), 3_600_000)
    })

    it.effect("exist once for each key, whose replay returns the same response", function* () {
      const key = { "idempotency-key": "one session" }
      const [first, again] = [yield* post("/v1/portal-sessions", {}, key), yield* post("/v1/portal-sessions", {}, key)]
      assert.strictEqual(again.text, first.text)
      assert.strictEqual(again.headers["svc-idempotency-cached"], "true")
    })

    it.effect("show whether they wait, are active, have expired or were ended", function* () {
      const [used, late, ended, keyless] = [
        yield* post("/v1/portal-sessions", { expires_in: 120 }),
        yield* post("/v1/portal-sessions", {}),
        yield* post("/v1/portal-sessions", {}),
        yield* post("/v1/portal-sessions", {}, bearer(keys.secondTest))
      ].map(({ json }) => json)
      yield* opened(used.url)
      yield* opened(keyless.url)
      const active = yield* shown(used.id)
      assert.deepInclude(active, { status: "active", ended_at: null })
      assert.isNotNull(active.used_at)
      const removed = yield* end(ended.id)
      assert.deepStrictEqual(removed.json, { id: ended.id, object: "portal_session", deleted: true })
      const first = yield* shown(ended.id)
      assert.strictEqual(first.status, "ended")
      yield* end(ended.id)
      assert.deepStrictEqual(yield* shown(ended.id), first)
      yield* pass(30)
      yield* send({ method: "DELETE", path: `/v1/api-keys/${apiKeyIds.secondTest}` })
      const { created_at, ended_at, status } = yield* shown(keyless.id)
      assert.strictEqual(status, "ended")
      assert.isAtLeast(Date.parse(ended_at) - Date.parse(created_at), 30_000)
      assert.isBelow(Date.parse(ended_at) - Date.parse(created_at), 90_000)
      yield* pass(30)
      assert.deepInclude(yield* shown(late.id), { status: "expired", used_at: null, ended_at: null })
      assert.strictEqual((yield* shown(used.id)).status, "active")
      yield* pass(60)
      assert.deepInclude(yield* shown(used.id), { status: "expired", ended_at: null })
      // An end after the expiry changes nothing.
      yield* end(used.id)
      assert.strictEqual((yield* shown(used.id)).status, "expired")
    })

    it.effect("appear newest first, page by page, in their mode", function* () {
      const live = yield* post("/v1/portal-sessions", {}, bearer(keys.live))
      assert.isTrue(live.json.livemode)
      const { json } = yield* get("/v1/portal-sessions?limit=100")
      const ids = json.data.map(({ id }: { id: string }) => id)
      assert.deepStrictEqual(ids, ids.toSorted().toReversed())
      assert.notInclude(ids, live.json.id)
      const page = yield* get(`/v1/portal-sessions?limit=2&starting_after=${ids[1]}`)
      assert.deepStrictEqual(
        page.json.data.map(({ id }: { id: string }) => id),
        ids.slice(2, 4)
      )
      const others = yield* get("/v1/portal-sessions", bearer(keys.live))
      assert.lengthOf(others.json.data, 1)
    })
  })

  describe("a session without the capability view", () => {
    it.effect("reads no page and no file", function* () {
      const invoice = yield* addInvoice(yield* addCustomer())
      const able = yield* visitor()
      const blind = yield* visitor({ capabilities: Capability.literals.filter((one) => one !== "view") })
      const document = `/portal/documents/${invoice.id}`
      for (const path of [
        "/portal",
        "/portal/documents",
        `/portal/documents?q=${invoice.full_number}`,
        "/portal/documents?status=draft",
        "/portal/documents/export.csv",
        `/portal/documents/export.csv?id=${invoice.id}`,
        "/portal/documents/export.zip",
        document,
        `${document}/pdf`,
        `${document}/xml`,
        `${document}/qr.svg`,
        "/portal/customers",
        "/portal/events",
        "/portal/endpoints",
        "/portal/requests",
        "/portal/setup",
        "/portal/setup/keys",
        "/portal/setup/sessions",
        "/portal/bench"
      ]) {
        assert.include([200, 303], (yield* able.see(path)).status, path)
        const refused = yield* blind.see(path)
        assert.strictEqual(refused.status, 403, path)
        assert.match(refused.headers.get("content-type") ?? "", /^text\/html/, path)
        for (const secret of ["Cliente de Prueba S.A.S.", invoice.id, invoice.full_number])
          assert.notInclude(refused.text, secret, path)
      }
    })

    it.effect("learns nothing of the endpoints from the signature debugger", function* () {
      const blind = yield* visitor({ capabilities: ["deliver", "setup"] })
      const { csrf = "" } = formOf((yield* blind.see("/portal/nowhere/at-all")).text, "/portal/leave")
      const body = new URLSearchParams({ csrf, body: "{}", headers: "Svc-Signature: t=1,v1=00", secret: "", at: "" })
      assert.strictEqual((yield* blind.post("/portal/bench/signature", body)).status, 403)
    })
  })

  describe("exported files", () => {
    it.effect("get one turn at a time per account, while others wait or get an error", function* () {
      const person = yield* visitor()
      const files = Array.from(
        { length: 14 },
        (_, index) => `/portal/documents/export.${index % 2 === 0 ? "csv" : "zip"}`
      )
      // A single export runs, and eight wait.
      const turns = 9
      let refused = 0
      const count = ({ status }: { readonly status: number }) =>
        Effect.sync(() => {
          if (status === 429) refused += 1
        })
      const exports = yield* whileLocked(
        "invoices",
        Effect.gen(function* () {
          const all = yield* Effect.forkChild(
            Effect.forEach(files, (file) => Effect.tap(person.see(file), count), { concurrency: "unbounded" })
          )
          const reads = blocked("payable_amount")
          yield* until(reads, (pids) => pids.length > 0 && refused === files.length - turns)
          assert.lengthOf(yield* reads, 1)
          return all
        })
      )
      const seen = yield* Fiber.join(exports)
      assert.deepStrictEqual(new Set(seen.map(({ status }) => status)), new Set([200, 429]))
      assert.strictEqual(seen.filter(({ status }) => status === 200).length, turns)
    })
  })
})
