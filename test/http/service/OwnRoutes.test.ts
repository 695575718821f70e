import { assert, describe } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as Layers from "../../../src/service/Layers.ts"
import * as Routes from "../../../src/http/HttpRoutes.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { Limits } from "../../../src/runtime/Limits.ts"
import { DocumentFiles, type DocumentOfAccount } from "../../../src/invoices/DocumentFiles.ts"
import { RateLimit } from "../../../src/http/limits/RateLimit.ts"
import { issue } from "../../support/apps/Correcting.ts"
import { serving } from "../../support/apps/MemoryApp.ts"
import { fetchBytes, get, send } from "../../support/apps/Requests.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { patiently } from "../../support/apps/Until.ts"
import { it as alone, itOn } from "../../support/Tests.ts"

const refusal = new ApiError({ code: "resource_missing", message: "There is no such parrot." })

const own = Layer.mergeAll(
  HttpRouter.add("GET", "/own/parrots/:name", ({ url }) =>
    url.endsWith("/polly") ? Effect.succeed(HttpServerResponse.text("Polly")) : Effect.fail(refusal)
  ),
  HttpRouter.add("POST", "/own/parrots", Effect.die("a bug of the team's")),
  HttpRouter.use((router) => router.prefixed("/own/cages").add("DELETE", "/:name", HttpServerResponse.empty())),
  HttpRouter.add("GET", "/own/files/*", HttpServerResponse.text("a file"))
)

const it = itOn(serving(Layer.mergeAll(Layers.routes, own), Layer.empty))

const allowOf = (method: string, path: string) =>
  Effect.map(send({ method, path }), ({ headers, json, status }) => [status, json?.error.code, headers["allow"]])

describe("a team's own route", () => {
  it.effect("works in parallel with Folio's routes, in the same envelope", function* () {
    const answer = yield* get("/own/parrots/polly")
    assert.deepStrictEqual([answer.status, answer.text], [200, "Polly"])
    assert.match(String(answer.headers["request-id"]), /^req_/)
    assert.strictEqual(answer.headers["cache-control"], "no-store")
    assert.strictEqual((yield* get("/v1/account")).status, 200)
    const { text } = yield* get("/metrics")
    assert.include(text, `route="/own/parrots/:name",status="2xx"`)
  })

  it.effect("fails as Folio's routes do, and reveals nothing of its bugs", function* () {
    const missing = yield* get("/own/parrots/rio")
    assert.deepStrictEqual([missing.status, missing.json.error.code], [404, "resource_missing"])
    assert.strictEqual(missing.json.error.message, refusal.message)
    assert.strictEqual(missing.json.error.request_id, missing.headers["request-id"])
    const broken = yield* send({ method: "POST", path: "/own/parrots" })
    assert.deepStrictEqual([broken.status, broken.json.error.type], [500, "api_error"])
    assert.notInclude(broken.text, "bug")
  })

  it.effect("allows its own methods only", function* () {
    for (const [path, allow] of [
      ["/own/parrots/polly", "GET, HEAD"],
      ["/own/parrots", "POST"],
      ["/own/cages/1", "DELETE"],
      ["/own/files/a/b", "GET, HEAD"],
      ["/v1/account", "GET, HEAD, PATCH, POST"]
    ] as const) {
      assert.deepStrictEqual(yield* allowOf("PUT", path), [405, "method_not_allowed", allow], path)
    }
    for (const path of [
      "/own/parrots/polly/",
      "/own/Parrots",
      "/own",
      "/own/cages",
      "//own/parrots",
      "/own/parrots;x"
    ]) {
      assert.deepStrictEqual(yield* allowOf("PUT", path), [404, "route_not_found", undefined], path)
    }
  })

  alone.effect("gets its response from a service that stops, before the service ends", function* () {
    const begun = yield* Deferred.make<void>()
    const goOn = yield* Deferred.make<void>()
    const slow = HttpRouter.add(
      "GET",
      "/own/slow",
      Deferred.succeed(begun, undefined).pipe(
        Effect.andThen(Deferred.await(goOn)),
        Effect.as(HttpServerResponse.text("done"))
      )
    )
    const scope = yield* Scope.make()
    const service = yield* Layer.buildWithScope(serving(Layer.mergeAll(Layers.routes, slow), Layer.empty), scope)
    const request = yield* Effect.forkChild(Effect.provide(get("/own/slow"), service))
    yield* patiently(Deferred.await(begun))
    const waiting = yield* Effect.forkChild(Effect.provide(get("/v1/events?wait=20"), service))
    const { count, until: untilTables } = Context.get(service, MemoryTables)
    yield* untilTables(() => count("Events.after") > 0)
    const end = yield* Effect.forkDetach(Scope.close(scope, Exit.void))
    // Folio's own waiting requests learn of the stop, so that they do not delay the end.
    assert.strictEqual((yield* patiently(Fiber.join(waiting))).status, 200)
    assert.isUndefined(end.pollUnsafe(), "it waits for the request that has arrived")
    yield* Deferred.succeed(goOn, undefined)
    assert.strictEqual((yield* patiently(Fiber.join(request))).text, "done")
    assert.isTrue(Exit.isSuccess(yield* patiently(Fiber.await(end))))
  })

  const few = serving(
    Layer.provide(own, Routes.limitedByAddress),
    Limits.layerChanged({ rate: { perSecond: 1, burst: 2 } })
  )
  itOn(few).effect("can be limited by address", function* () {
    const answers = yield* Effect.replicateEffect(get("/own/parrots/polly"), 3)
    assert.deepStrictEqual(
      answers.map(({ status }) => status),
      [200, 200, 429]
    )
  })
})

describe("a team's own port", () => {
  const archive = new Map<string, Uint8Array>()
  const archiving = Layer.effect(
    DocumentFiles,
    Effect.map(DocumentFiles, (ours) => ({
      ...ours,
      xml: (name: DocumentOfAccount, asker: string) =>
        Effect.map(ours.xml(name, asker), (file) => {
          const kept = archive.get(name.id)
          const keep = Effect.tap(file.bytes, (bytes) => Effect.sync(() => archive.set(name.id, bytes)))
          return { ...file, bytes: kept === undefined ? keep : Effect.succeed(kept) }
        })
    }))
  )

  itOn(serving(Layer.provide(Layers.routes, archiving), Layer.empty)).effect(
    "wraps Folio's: an archive of files",
    function* () {
      const { id } = yield* issue
      const first = yield* fetchBytes({ path: `/v1/invoices/${id}/xml` })
      assert.deepStrictEqual(archive.get(id), new Uint8Array(first.bytes))
      archive.set(id, Buffer.from("<kept/>"))
      assert.strictEqual((yield* get(`/v1/invoices/${id}/xml`)).text, "<kept/>")
    }
  )

  const closed = new ApiError({ code: "rate_limited", message: "Not today.", headers: { "Retry-After": "60" } })
  const strict = Layer.succeed(RateLimit, {
    ofKey: () => Effect.fail(closed),
    ofAddress: Effect.void,
    isAddressSpent: Effect.succeed(false),
    ofLink: () => Effect.void
  })
  itOn(serving(Layer.provide(Layers.routes, strict), Layer.empty)).effect(
    "replaces Folio's: a rate limiter",
    function* () {
      const { headers, json, status } = yield* get("/v1/account")
      assert.deepStrictEqual([status, json.error.message, headers["retry-after"]], [429, "Not today.", "60"])
      assert.strictEqual((yield* get("/health/live")).status, 200)
    }
  )
})
