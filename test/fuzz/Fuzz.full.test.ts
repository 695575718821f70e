import { assert, describe, layer } from "@effect/vitest"
import { Array, Context, Effect, Layer } from "effect"
import { receiver, type Receiver } from "../support/receiver/Receiver.ts"
import * as TestApp from "../support/apps/TestApp.ts"
import { fuzz } from "./Fuzz.ts"
import { message } from "./Messages.ts"

class Hooks extends Context.Service<Hooks, Receiver>()("test/Hooks") {
  static readonly layer = Layer.unwrap(
    Effect.map(receiver, (hooks) =>
      Layer.merge(Layer.succeed(Hooks, hooks), TestApp.layer({ allow: `127.0.0.1:${hooks.port}` }))
    )
  )
}

const count = 1_500

describe("The fuzzer's messages", () => {
  layer(Hooks.layer, { excludeTestServices: true })((it) => {
    it.effect("get a response, and never 5xx", () =>
      Effect.gen(function* () {
        const { apiKey, url } = yield* TestApp.TestApp
        const hooks = yield* Hooks
        const { findings, statuses } = yield* fuzz({ url, apiKey, hook: hooks.url("/"), seed: "7", from: 0, count })
        assert.deepStrictEqual(findings, [])
        // The messages reached many layers and many routes.
        for (const status of [200, 201, 202, 400, 401, 404, 405, 409, 414, 415, 431]) {
          assert.isAbove(statuses.get(status) ?? 0, 0, `${status}`)
        }
        assert.isBelow(statuses.get(0) ?? 0, count / 20)
      })
    )

    it.effect("depend only on their seed", () =>
      Effect.sync(() => {
        const known = {
          apiKey: "k",
          customer: "c",
          payer: "q",
          deleted: "d",
          invoice: "i",
          prepaid: "p",
          endpoint: "e",
          hook: "http://127.0.0.1:1/"
        }
        const messages = (seed: string) =>
          Array.makeBy(100, (index) => message(seed, index, known).bytes.toString("base64"))
        assert.deepStrictEqual(messages("1"), messages("1"))
        assert.notDeepEqual(messages("1"), messages("2"))
        assert.isAbove(new Set(messages("1")).size, 90)
      })
    )
  })
})
