import { assert } from "@effect/vitest"
import { Array, Effect, Fiber, Schedule } from "effect"
import * as Net from "node:net"
import { insist, SeveralProcesses, settleAndReconcile, signedSoFar } from "../../support/processes/SeveralProcesses.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

/** Waits until the client holds so many acknowledgements more; gives how long that took, in milliseconds. */
const acknowledged = Effect.fnUntraced(function* (more: number) {
  const { journal } = yield* SeveralProcesses
  const [began, before] = [performance.now(), journal.size]
  yield* until(
    Effect.sync(() => journal.size),
    (size) => size >= before + more,
    "30 seconds"
  )
  return performance.now() - began
})

/** A connection on which nothing has been said yet; says something, and gives all that comes until it is closed. */
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
    "take any request, and replace each other: SIGTERM of one and kill -9 of the other lose and double nothing",
    function* () {
      const { processes } = yield* SeveralProcesses
      const [first, second] = processes as [(typeof processes)[0], (typeof processes)[0]]
      let next = 0
      let stopped = false
      // At a pace that leaves the machine room for other tests: the handovers take seconds.
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
      // A connection that idles at the end is closed within a second; one that asks before that is told.
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
      assert.isBelow(yield* acknowledged(16 + 1), 20_000, "the survivor takes the accounts over")
      stopped = true
      yield* Fiber.join(work)
      const { doubled, invoices } = yield* settleAndReconcile(before)
      assert.strictEqual(invoices, next)
      // At most what the endpoint had in flight when its process was killed.
      assert.isAtMost(doubled, 8)
    }
  )
})
