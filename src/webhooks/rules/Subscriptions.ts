import { type EventType, eventTypes } from "../../../schemas/Event.ts"
import { allEvents, type Subscription } from "../../../schemas/WebhookEndpoint.ts"

/** Whether an endpoint is subscribed to all event types, including types of later releases. */
export const isToAll = (subscribed: ReadonlyArray<Subscription>): boolean => subscribed.includes(allEvents)

/** The event types of this release that an endpoint is subscribed to. */
export const typesOf = (subscribed: ReadonlyArray<Subscription>): ReadonlyArray<EventType> =>
  isToAll(subscribed) ? eventTypes : subscribed.filter((one) => one !== allEvents)
