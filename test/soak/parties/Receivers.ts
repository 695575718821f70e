import { Effect, Random } from "effect"
import { hash } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { eventTypes } from "../../../schemas/Event.ts"
import type { Client } from "../../support/apps/Client.ts"
import { endpointBody } from "../../support/apps/Invoices.ts"
import type { Posts } from "../../support/database/Promises.ts"
import { type Received, type Receiver, receiver, type Reply } from "../../support/receiver/Receiver.ts"
import { isSignedWith } from "../../support/receiver/Signatures.ts"
import type { Shop } from "./Shops.ts"

/** Behaviour of a receiver: always succeeds, rejects events once or twice, lets some hang, or responds slowly. */
export type Manner = "healthy" | "failing" | "hanging" | "slow"

const chances = { never: 0.02, drip: 0.02, verySlow: 0.01 }

/** A server for each behaviour, each with a journal. */
export const receivers = Effect.gen(function* () {
  const random = yield* Random.Random
  const tally = { refused: 0, hanging: 0, slow: 0 }
  const badSignatures: Array<string> = []
  const endpoints = new Map<string, { readonly id: string; readonly secret: string; readonly server: Receiver }>()
  const seen = new Map<string, number>()
  let isCalm = false

  // The last digit of an event's hash says how often the event is rejected before it is accepted.
  const refuse = ({ event, path }: Received): Reply => {
    const before = seen.get(path + event.id) ?? 0
    seen.set(path + event.id, before + 1)
    const digit = Number.parseInt(hash("md5", event.id, "hex").slice(-1), 16)
    if (before >= (digit < 8 ? 0 : digit < 12 ? 1 : 2)) return 200
    tally.refused += 1
    return digit % 2 === 0 ? 500 : 503
  }

  const hang = (): Reply => {
    const lot = random.nextDoubleUnsafe()
    if (lot > chances.never + chances.drip) return 200
    tally.hanging += 1
    return lot < chances.never ? "never" : "drip"
  }

  const dawdle = async (): Promise<Reply> => {
    tally.slow += 1
    await sleep(random.nextDoubleUnsafe() < chances.verySlow ? 5_000 : 20 + random.nextDoubleUnsafe() * 300)
    return 200
  }

  const manners: Record<Manner, (post: Received) => Reply | Promise<Reply>> = {
    healthy: () => 200,
    failing: refuse,
    hanging: hang,
    slow: dawdle
  }

  const start = Effect.fnUntraced(function* (manner: Manner) {
    const server = yield* receiver
    server.answerWith((post) => {
      const secret = endpoints.get(post.path)?.secret ?? ""
      if (!isSignedWith(secret, post)) badSignatures.push(`${post.event.id} at ${post.path}`)
      return isCalm ? 200 : manners[manner](post)
    })
    return server
  })
  const servers: Record<Manner, Receiver> = {
    healthy: yield* start("healthy"),
    failing: yield* start("failing"),
    hanging: yield* start("hanging"),
    slow: yield* start("slow")
  }

  /** Registers an endpoint for the shop's account and mode; returns its id. */
  const register = Effect.fnUntraced(function* (client: Client, shop: Shop, manner: Manner, maxInFlight: number) {
    const server = servers[manner]
    const path = `/${shop.owner}/${manner}`
    const { json } = yield* client.post("/v1/webhook-endpoints", {
      ...endpointBody(server.url(path), maxInFlight),
      subscribed_events: eventTypes
    })
    endpoints.set(path, { id: String(json.id), secret: String(json.secret), server })
    return String(json.id)
  })

  return {
    /** Destinations that webhooks may reach: the setting WEBHOOK_ALLOW. */
    allow: Object.values(servers)
      .map(({ port }) => `127.0.0.1:${port}`)
      .join(","),
    register,
    posts: (): Posts =>
      new Map(
        [...endpoints].map(([path, { id, server }]) => [id, server.received.filter((post) => post.path === path)])
      ),
    /** POSTs that fail verification with the endpoint's secret. */
    badSignatures,
    tally,
    /** Makes all receivers answer 200 immediately from now on. */
    calm: () => {
      isCalm = true
    }
  }
})
export type Receivers = Effect.Success<typeof receivers>
