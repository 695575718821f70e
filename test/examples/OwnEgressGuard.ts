/*
 * The service that sends webhooks to hosts of these domains alone:
 *
 *   WEBHOOK_DOMAINS=example.com,example.org node OwnEgressGuard.ts
 */
import { main } from "@folio-einvoicing/service"
import { EgressGuard, EgressRefused } from "@folio-einvoicing/service/ports"
import { Config, Effect, Layer } from "effect"

const elsewhere = "Webhooks go to hosts of our own domains alone; ask who runs the service to add yours."

const egressGuard = Layer.effect(
  EgressGuard,
  Effect.gen(function* () {
    const domains = (yield* Config.String("WEBHOOK_DOMAINS")).split(",")
    const ours = yield* EgressGuard
    const isListed = (host: string) => domains.some((domain) => host === domain || host.endsWith(`.${domain}`))

    return EgressGuard.of({
      checkUrl: (url) => {
        const verdict = ours.checkUrl(url)
        if (verdict._tag === "Refused" || isListed(verdict.host)) return verdict
        return { _tag: "Refused", code: "url_not_allowed", message: elsewhere }
      },
      // Asked before each delivery. The default looks the name up and gives public addresses alone, to which the connection is pinned.
      resolve: (host, port) =>
        isListed(host) ? ours.resolve(host, port) : Effect.fail(new EgressRefused({ message: elsewhere }))
    })
  })
).pipe(Layer.provide(EgressGuard.layerConfig))

main({ egressGuard })
