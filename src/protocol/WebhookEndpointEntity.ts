import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"

/** One actor for each webhook endpoint: its deliveries, in order. */
export const WebhookEndpointEntity = Entity.make("WebhookEndpoint", [
  /** A tell: send whatever is due. */
  Rpc.make("Deliver")
])
