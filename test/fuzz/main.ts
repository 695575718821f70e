import { Effect } from "effect"
import { option, runFinding, say } from "../support/processes/CommandLine.ts"
import { receiver } from "../support/receiver/Receiver.ts"
import { meteredService } from "../support/processes/MeteredService.ts"
import { fuzz } from "./Fuzz.ts"

/**
 * Sends requests to the shipped service: from the OpenAPI document, from noise and from known attacks. Exits with 1
 * after one of these findings:
 * - a 5xx response, a response of more than 1 MB, or no response
 * - an event-loop turn of more than 250 ms
 * - a wrong response to an attack
 *
 *   npm run fuzz -- [--count 20000] [--seed 1] [--from 0]
 *
 * To repeat one message: --seed <seed> --from <index> --count 1
 */
const seed = option("seed", String(Math.floor(Math.random() * 1e6)))

runFinding(
  Effect.gen(function* () {
    const hooks = yield* receiver
    const service = yield* meteredService({ webhookAllow: `127.0.0.1:${hooks.port}` })
    yield* service.start()
    const began = performance.now()
    const { findings, statuses } = yield* fuzz({
      url: service.url,
      apiKey: service.client().apiKey,
      hook: hooks.url("/hooks"),
      seed,
      longestTurn: service.longestTurn,
      from: Number(option("from", "0")),
      count: Number(option("count", "20000"))
    })
    for (const [status, count] of [...statuses].toSorted(([a], [b]) => a - b)) say(`${status || "closed"}\t${count}`)
    for (const finding of findings.slice(0, 20)) say(finding)
    const seconds = ((performance.now() - began) / 1_000).toFixed(0)
    say(`seed ${seed}, ${seconds} s: ${findings.length === 0 ? "nothing wrong" : `${findings.length} findings`}`)
    return findings
  }).pipe(Effect.scoped)
)
