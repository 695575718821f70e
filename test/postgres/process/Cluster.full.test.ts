import { assert } from "@effect/vitest"
import { Array, Effect, Fiber, Schedule } from "effect"
import * as Net from "node:net"
import { insist, SeveralProcesses, settleAndReconcile, signedSoFar } from "../../support/processes/SeveralProcesses.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

/** Waits for this many more acknowledgements, and returns the time in milliseconds. */
const acknowledged = Effect.fnUntraced(function* (more: number) {
  const { journal } = yield* SeveralProcesses
  const [began, before] = [performance.now(), journal.size]
  yield* until(
    Effect.sync(() => journal.size),
    (size) => size >= before + more
  )
  return performance.now() - began
})

/** A connection without a request so far. Sends a request, and returns all data until the connection closes. */
const opened = Effect.fnUntraced(function* (url: string) {
  const { hostname, port } = new URL(url)
  const socket = yield* Effect.callback<Net.Socket>((resume) => {
    const made = Net.connect(Number(port), hostname, () => resume(Effect.succeed(made)))
  })
  let answer = ""
  socket.on("error", () => {})
  socket.setEncoding("utf8").on("data", (text: string) => (answer += text))
  return (text: string) =>
    Effect.callback<string>((resume) => {
      if (socket.closed) return resume(Effect.succeed(answer))
      socket.on("close", () => resume(Effect.succeed(answer)))
      socket.write(text)
    })
})

describeLive(SeveralProcesses.layer(2))("Two processes", (it) => {
  it.effect(
    "serve any request and replace each other: SIGTERM and kill -9 of one lose and duplicate nothing",
    function* () {
      const { processes } = yield* SeveralProcesses
      const [first, second] = processes as [(typeof processes)[0], (typeof processes)[0]]
      let next = 0
      let stopped = false
      // At a pace that leaves the machine capacity for other tests: the handovers take seconds.
      const issue = Effect.suspend(() => insist(`key ${next++}`)).pipe(
        Effect.repeat({ until: () => stopped, schedule: Schedule.spaced("500 millis") })
      )
      const work = yield* Effect.forkChild(
        Effect.all(
          Array.makeBy(16, () => issue),
          { concurrency: "unbounded" }
        )
      )
      yield* acknowledged(100)
      const connection = yield* opened(first.url)
      yield* first.signal("SIGTERM")
      const asked = performance.now()
      yield* until(first.ready, (status) => status === 0)
      // The stopping service closes an idle connection within a second. If a request comes before, it responds 503.
      assert.match(
        yield* connection("GET /health/ready HTTP/1.1\r\nHost: folio\r\n\r\n"),
        /^(HTTP\/1.1 503 [^]*\r\nRetry-After: 1\r\n|$)/i
      )
      assert.deepStrictEqual(yield* first.ended, { code: 0, signal: null })
      assert.isBelow(performance.now() - asked, 20_000)
      assert.isBelow(yield* acknowledged(16 + 1), 5_000, "the shards have been handed over")

      const before = yield* signedSoFar
      yield* first.start()
      yield* acknowledged(50)
      yield* second.signal("SIGKILL")
      yield* second.ended
      assert.isBelow(yield* acknowledged(16 + 1), 20_000, "the survivor takes over the accounts")
      stopped = true
      yield* Fiber.join(work)
      const { doubled, invoices } = yield* settleAndReconcile(before)
      assert.strictEqual(invoices, next)
      // At most the deliveries that the endpoint had in flight when its process was killed.
      assert.isAtMost(doubled, 8)
    }
  )
})
