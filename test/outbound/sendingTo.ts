import { Effect, Result, type Scope } from "effect"
import { parseAllow } from "../../src/outbound/EgressGuard.ts"
import { type WebhookResponse, WebhookSender } from "../../src/outbound/WebhookSender.ts"
import { FakeInternet } from "./FakeInternet.ts"
import { rawReceiver, type Receiver } from "./Receiver.ts"

type Post = (
  path?: string,
  body?: Uint8Array | string,
  headers?: Record<string, string>
) => Effect.Effect<WebhookResponse>

/** Runs against one local receiver, whose address and port are on the allow-list. */
export const sendingTo = <A, E>(
  make: Effect.Effect<Receiver, never, Scope.Scope>,
  use: (post: Post, receiver: Receiver, internet: FakeInternet) => Effect.Effect<A, E>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const receiver = yield* make
      const internet = new FakeInternet()
      const allow = Result.getOrThrow(parseAllow(`127.0.0.1:${receiver.port}`))
      return yield* Effect.flatMap(WebhookSender, (sender) =>
        use(
          (path = "/", body = `{"id":"evt_1"}`, headers = { "Content-Type": "application/json" }) =>
            sender.send({ url: `http://127.0.0.1:${receiver.port}${path}`, headers, body }),
          receiver,
          internet
        )
      ).pipe(Effect.provide(internet.sender({ allow })))
    })
  )

/** A raw server that answers every connection with this text once a request has come. */
export const answering = (text: string | Buffer) =>
  rawReceiver((socket) => {
    socket.once("data", () => socket.write(text))
  })
