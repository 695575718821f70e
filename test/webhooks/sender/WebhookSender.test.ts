import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { httpReceiver, rawReceiver } from "./Receiver.ts"
import { answering, sendingTo } from "./sendingTo.ts"
import { it } from "../../support/Tests.ts"

describe("WebhookSender", () => {
  it.effect("posts the bytes and the headers as given, and records the response", function* () {
    const { post, receiver } = yield* sendingTo(
      httpReceiver((_request, response) =>
        response.writeHead(202, { "X-Answer": "yes", "Set-Cookie": ["a=1", "b=2"] }).end("thank you")
      )
    )
    const response = yield* post("/hook?a=1")
    assert.deepStrictEqual(
      { ...response, headers: [response.headers["x-answer"], response.headers["set-cookie"]] },
      {
        remoteIp: "127.0.0.1",
        status: 202,
        headers: ["yes", "a=1, b=2"],
        body: "thank you",
        durationMs: 0,
        error: null
      }
    )
    yield* post("/hook?a=1")
    const { headers, ...rest } = receiver.received[1]!
    assert.deepStrictEqual(rest, { method: "POST", path: "/hook?a=1", body: `{"id":"evt_1"}`, connection: 1 })
    assert.deepStrictEqual(headers, {
      host: `127.0.0.1:${receiver.port}`,
      connection: "keep-alive",
      "content-type": "application/json",
      "content-length": "14"
    })
  })

  it.effect("sends binary and empty bodies", function* () {
    const { post, receiver } = yield* sendingTo(httpReceiver())
    yield* post("/", new TextEncoder().encode("xx{ü}xx").subarray(2, 6))
    yield* post("/", "")
    assert.deepStrictEqual(
      receiver.received.map(({ body, headers }) => [body, headers["content-length"]]),
      [
        ["{ü}", "4"],
        ["", "0"]
      ]
    )
  })

  it.effect.each([
    { "X-Bad": "a\r\nb" },
    { "Bad Name": "x" },
    { Host: "other.example.com" },
    { Expect: "100-continue" }
  ])("rejects the headers %j", function* (headers) {
    const { post, receiver } = yield* sendingTo(httpReceiver())
    assert.strictEqual((yield* post("/", "{}", headers)).error?.code, "protocol")
    assert.strictEqual(receiver.received.length, 0)
  })

  it.effect.each([200, 201, 204, 299])("treats %d as success", function* (status) {
    const { post } = yield* sendingTo(httpReceiver((_request, response) => response.writeHead(status).end()))
    const response = yield* post()
    assert.deepStrictEqual([response.status, response.error], [status, null])
  })

  it.effect.each([
    [300, "redirect"],
    [301, "redirect"],
    [304, "redirect"],
    [308, "redirect"],
    [400, "status"],
    [404, "status"],
    [410, "status"],
    [429, "status"],
    [500, "status"],
    [503, "status"],
    [999, "status"]
  ] as const)("treats %d as the failure %s", function* ([status, code]) {
    const { post } = yield* sendingTo(httpReceiver((_request, response) => response.writeHead(status).end()))
    const response = yield* post()
    assert.deepStrictEqual([response.status, response.error?.code], [status, code])
    assert.include(response.error?.message, `returned ${status}`)
  })

  it.effect.each(["100 Continue", "102 Processing", "103 Early Hints"])("skips %s", function* (line) {
    const informational = `HTTP/1.1 ${line}\r\nLink: </x>\r\n\r\n`
    const final = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    const { post, receiver } = yield* sendingTo(
      rawReceiver((socket) => {
        socket.on("data", () => socket.write(`${informational}${informational}${final}`))
      })
    )
    for (const _ of [1, 2]) {
      const { body, error, headers, status } = yield* post()
      assert.deepStrictEqual(
        { body, error, headers, status },
        { body: "ok", error: null, headers: { "content-length": "2" }, status: 200 }
      )
    }
    assert.strictEqual(receiver.connections(), 1)
  })

  it.effect("never treats an informational status as the response", function* () {
    const { post } = yield* sendingTo(
      rawReceiver((socket) => {
        socket.once("data", () => socket.end("HTTP/1.1 103 Early Hints\r\n\r\n"))
      })
    )
    const response = yield* post()
    assert.deepStrictEqual([response.status, response.error?.code], [null, "protocol"])
  })

  it.effect.each([
    ["no HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["HTTP/2", "\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000"],
    ["contradictory lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nok"],
    ["an upgrade", "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"]
  ])("fails if the receiver sends %s", function* ([, text]) {
    const { post, receiver } = yield* sendingTo(answering(text!))
    assert.strictEqual((yield* post()).error?.code, "protocol")
    yield* receiver.closed(1)
  })

  it.effect.each([
    ["before the answer", ""],
    ["within the headers", "HTTP/1.1 200 OK\r\nContent-Le"],
    ["within the body", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nok"]
  ])("fails once when a new connection is closed %s", function* ([, text]) {
    const { post, receiver } = yield* sendingTo(
      rawReceiver((socket) => {
        socket.once("data", () => socket.end(text!))
      })
    )
    assert.strictEqual((yield* post()).error?.code, "protocol")
    assert.strictEqual(receiver.connections(), 1)
  })

  it.effect("fails if no receiver listens, and reveals no details", function* () {
    const { post } = yield* sendingTo(Effect.scoped(httpReceiver()))
    const response = yield* post()
    assert.deepStrictEqual([response.remoteIp, response.status, response.error?.code], ["127.0.0.1", null, "connect"])
    assert.notMatch(response.error!.message, /ECONN|127\.0|errno/)
  })
})
