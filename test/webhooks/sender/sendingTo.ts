import { Context, Effect, Layer, Result, type Scope } from "effect"
import { parseAllow } from "../../../src/webhooks/sender/WebhookAllow.ts"
import { WebhookSender } from "../../../src/webhooks/sender/WebhookSender.ts"
import { FakeInternet } from "./FakeInternet.ts"
import { rawReceiver, type Receiver } from "./Receiver.ts"

/** Posts to one local receiver, whose address and port are on the allow-list. */
export const sendingTo = Effect.fnUntraced(function* (make: Effect.Effect<Receiver, never, Scope.Scope>) {
  const receiver = yield* make
  const internet = new FakeInternet()
  const allow = Result.getOrThrow(parseAllow(`127.0.0.1:${receiver.port}`))
  const { send } = Context.get(yield* Layer.build(internet.sender({ allow })), WebhookSender)
  const post = (
    path = "/",
    body: Uint8Array | string = `{"id":"evt_1"}`,
    headers: Record<string, string> = { "Content-Type": "application/json" }
  ) => send({ url: `http://127.0.0.1:${receiver.port}${path}`, headers, body })
  return { post, receiver, internet }
})

/** A raw server that sends this text on every connection after a request has arrived. */
export const answering = (text: string | Buffer) =>
  rawReceiver((socket) => {
    socket.once("data", () => socket.write(text))
  })
