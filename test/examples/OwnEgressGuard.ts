/*
 * The service that sends webhooks only to hosts of the listed domains:
 *
 *   WEBHOOK_DOMAINS=example.com,example.org node OwnEgressGuard.ts
 */
import { main } from "@folio-einvoicing/service"
import { EgressGuard, EgressRefused } from "@folio-einvoicing/service/ports"
import { Config, Effect, Layer } from "effect"

const elsewhere = "Webhooks go only to hosts of our own domains. Ask the operator of the service to add yours."

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
      // Folio calls `resolve` before each delivery, and connects only to the addresses that it returns. The default
      // looks the name up and returns public addresses only.
      resolve: (host, port) =>
        isListed(host) ? ours.resolve(host, port) : Effect.fail(new EgressRefused({ message: elsewhere }))
    })
  })
).pipe(Layer.provide(EgressGuard.layerConfig))

main({ egressGuard })
