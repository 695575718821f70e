import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { ServiceInfo } from "../../../src/runtime/ServiceInfo.ts"
import { plainText, served } from "../../../src/http/pages/Served.ts"
import { it } from "../../support/Tests.ts"

it.effect("Concurrent first requests for a slow text write it once", function* () {
  let written = 0
  const write = (baseUrl: string) =>
    Effect.andThen(
      Effect.yieldNow,
      Effect.sync(() => `${baseUrl} ${++written}`)
    )
  const request = HttpServerRequest.fromWeb(new Request("http://folio.test/docs/search.en.json"))
  const answer = served(write, plainText).pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, request),
    Effect.provideService(ServiceInfo, { baseUrl: "http://folio.test", version: "1" })
  )
  const answers = yield* Effect.replicateEffect(answer, 5, { concurrency: "unbounded" })
  assert.deepStrictEqual([new Set(answers.map(({ headers }) => headers["etag"])).size, written], [1, 1])
})
