/*
 * The service with a webhook queue: it writes each webhook to a folder, and another program posts it:
 *
 *   OUTBOX=/var/spool/folio node OwnWebhookSender.ts
 */
import { main } from "@folio-einvoicing/service"
import { EgressGuard, type WebhookRequest, type WebhookResponse, WebhookSender } from "@folio-einvoicing/service/ports"
import { Clock, Config, Effect, Layer } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

const unanswered = { remoteIp: null, status: null, headers: {}, body: "" }

/** Writes, flushes and renames a temporary file, so that the other program sees only whole files. */
const put = async (folder: string, name: string, content: string) => {
  const unfinished = Path.join(folder, `.${name}.${process.pid}`)
  await Fs.mkdir(folder, { recursive: true })
  await Fs.writeFile(unfinished, content, { flush: true })
  await Fs.rename(unfinished, Path.join(folder, name))
}

const webhookSender = Layer.effect(
  WebhookSender,
  Effect.gen(function* () {
    const outbox = yield* Config.String("OUTBOX")
    const guard = yield* EgressGuard

    const enqueue = (request: WebhookRequest) =>
      Effect.gen(function* () {
        const verdict = guard.checkUrl(request.url)
        if (verdict._tag === "Refused") {
          return { ...unanswered, error: { code: "blocked", message: verdict.message } } as const
        }
        // Folio repeats an interrupted attempt. By this name, the repetition replaces the file and adds none.
        const name = `${request.headers["Svc-Event-Id"]}.${request.headers["Svc-Webhook-Id"]}.json`
        const content = JSON.stringify({ ...request, body: Buffer.from(request.body).toString() })
        yield* Effect.tryPromise(() => put(outbox, name, content))
        return { ...unanswered, status: 202, error: null }
      }).pipe(
        // Folio retries the delivery, as after a failure of its endpoint.
        Effect.catchTag("UnknownError", ({ cause }) =>
          Effect.succeed({ ...unanswered, error: { code: "internal", message: String(cause) } } as const)
        )
      )

    return WebhookSender.of({
      send: Effect.fnUntraced(function* (request): Effect.fn.Return<WebhookResponse> {
        const from = yield* Clock.currentTimeMillis
        const outcome = yield* enqueue(request)
        return { ...outcome, durationMs: (yield* Clock.currentTimeMillis) - from }
      })
    })
  })
)

main({ webhookSender })
