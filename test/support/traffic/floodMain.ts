import { Effect } from "effect"
import type { Flooded, FloodOrders } from "./Flood.ts"
import { openLoad, type Sent } from "./OpenLoad.ts"

const summaryOf = ({ text, ...sent }: Sent) => ({
  ...sent,
  why: sent.status === 202 ? "" : sent.status === 0 ? text : String(JSON.parse(text).error.code)
})

process.once("message", ({ connections, payers, rate, seconds, url }: FloodOrders) => {
  const flood = Effect.gen(function* () {
    const load = yield* openLoad(url, payers, rate, { connections, keepsAlive: true })
    yield* Effect.sleep(seconds * 1_000)
    const sent = yield* load.stop
    return { began: load.began, sent: sent.map(summaryOf) } satisfies Flooded
  })
  void Effect.runPromise(Effect.scoped(flood)).then((flooded) => process.send?.(flooded))
})
