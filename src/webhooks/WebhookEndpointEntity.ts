import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"

/**
 * The actor of each webhook endpoint. It makes the endpoint's deliveries in order.
 *
 * @internal
 */
export const WebhookEndpointEntity = Entity.make("WebhookEndpoint", [
  /** A message without a reply: send the deliveries that are due. */
  Rpc.make("Deliver")
])
