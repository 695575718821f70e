import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { httpReceiver, rawReceiver } from "./Receiver.ts"
import { answering, sendingTo } from "./sendingTo.ts"
import { it } from "../../support/Tests.ts"

describe("the limits of a delivery", () => {
  it.effect("record the first 4 KiB, without NUL, invalid UTF-8 or halves of characters", function* () {
    const { post } = yield* sendingTo(
      httpReceiver((_request, response) =>
        response.end(Buffer.concat([Buffer.from([0x61, 0, 0xff]), Buffer.from("€".repeat(3000))]))
      )
    )
    const { body } = yield* post()
    // 4096 bytes: 3 of the head, 1364 characters of 3 bytes, and the first byte of another character
    assert.strictEqual(body, `a\ufffd${"€".repeat(1364)}`)
  })

  it.effect("read at most 64 KiB of a 10 MB response, keep its status and drop the connection", function* () {
    const { post, receiver, internet } = yield* sendingTo(
      httpReceiver((_request, response) => response.end(Buffer.alloc(10 * 1024 * 1024, "x")))
    )
    const response = yield* post()
    assert.deepStrictEqual([response.status, response.body.length, response.error], [200, 4096, null])
    yield* receiver.closed(1)
    assert.isAtMost(internet.sockets[0]!.bytesRead, 192 * 1024)
    assert.isNull((yield* post()).error)
    assert.strictEqual(receiver.connections(), 2)
  })

  it.effect("read a response of exactly 64 KiB and keep the connection", function* () {
    const { post, receiver } = yield* sendingTo(
      httpReceiver((_request, response) => response.end(Buffer.alloc(64 * 1024, "x")))
    )
    assert.isNull((yield* post()).error)
    assert.isNull((yield* post()).error)
    assert.strictEqual(receiver.connections(), 1)
  })

  it.effect("reject more than 16 KiB of headers", function* () {
    const { post, receiver } = yield* sendingTo(
      answering(`HTTP/1.1 200 OK\r\n${`X: ${"x".repeat(1000)}\r\n`.repeat(20)}\r\n`)
    )
    const response = yield* post()
    assert.strictEqual(response.error?.code, "too_large")
    yield* receiver.closed(1)
  })

  it.effect("keep the first 4 KiB of the headers, each header whole", function* () {
    const { post } = yield* sendingTo(
      answering(
        `HTTP/1.1 200 OK\r\n${Array.from({ length: 12 }, (_, n) => `X-${n}: ${"x".repeat(1000)}\r\n`).join("")}Content-Length: 0\r\n\r\n`
      )
    )
    const { error, headers } = yield* post()
    assert.isNull(error)
    assert.deepStrictEqual(Object.keys(headers), ["x-0", "x-1", "x-2", "x-3"])
    for (const value of Object.values(headers)) assert.strictEqual(value, "x".repeat(1000))
  })

  it.effect("end a slow response after 15 s in total", function* () {
    const dripping = yield* Deferred.make<void>()
    const { post, receiver } = yield* sendingTo(
      rawReceiver((socket) => {
        socket.once("data", () => {
          socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
          const drip = setInterval(() => socket.write("."), 1)
          socket.once("close", () => clearInterval(drip))
          Deferred.doneUnsafe(dripping, Effect.void)
        })
      })
    )
    const sending = yield* Effect.forkChild(post())
    yield* Deferred.await(dripping)
    yield* TestClock.adjust("14999 millis")
    assert.isUndefined(sending.pollUnsafe())
    yield* TestClock.adjust("1 millis")
    const response = yield* Fiber.join(sending)
    assert.deepStrictEqual([response.error?.code, response.durationMs], ["timeout", 15_000])
    yield* receiver.closed(1)
  })

  it.effect("end a delivery to a receiver that never responds", function* () {
    const asked = yield* Deferred.make<void>()
    const { post, receiver } = yield* sendingTo(httpReceiver(() => Deferred.doneUnsafe(asked, Effect.void)))
    const sending = yield* Effect.forkChild(post())
    yield* Deferred.await(asked)
    yield* TestClock.adjust("15 seconds")
    const response = yield* Fiber.join(sending)
    assert.deepStrictEqual([response.error?.code, response.status, response.remoteIp], ["timeout", null, "127.0.0.1"])
    yield* receiver.closed(1)
  })

  it.effect("close the connection when the sending fiber is interrupted", function* () {
    const asked = yield* Deferred.make<void>()
    const { post, receiver } = yield* sendingTo(httpReceiver(() => Deferred.doneUnsafe(asked, Effect.void)))
    const sending = yield* Effect.forkChild(post())
    yield* Deferred.await(asked)
    yield* Fiber.interrupt(sending)
    yield* receiver.closed(1)
  })
})
