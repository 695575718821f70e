import { DeliveryPage } from "../../schemas/Delivery.ts"
import { Event, EventQuery } from "../../schemas/Event.ts"
import { Page, pageQuery } from "../../schemas/Page.ts"
import { get, group, params } from "./Endpoint.ts"

const item = "/v1/events/:id"

export class EventsApi extends group(
  "events",
  "Events",
  "Events: what happened to documents and their e-mails.",
  get("listEvents", "/v1/events", {
    query: EventQuery,
    success: Page(Event, "EventPage"),
    summary: "List events, newest first; with after, follow them, oldest first",
    description:
      "Without `after` the newest events come first. With `after`, the events that follow come, oldest first; with `wait` the answer waits up to 20 seconds for the next event: a way to learn of outcomes without a webhook.",
    handling: { mayWait: true, ownTurn: true }
  }),
  get("retrieveEvent", item, {
    params,
    success: Event,
    summary: "Retrieve an event",
    description: "The body is byte for byte the one that each delivery of the event sends."
  }),
  get("listEventDeliveries", `${item}/deliveries`, {
    params,
    query: pageQuery("whd"),
    success: DeliveryPage,
    summary: "List the deliveries of an event with their latest attempts, newest first",
    description:
      "There is one delivery for each webhook endpoint that was subscribed to the event's type when the event happened."
  })
) {}
