import { DeliveryPage } from "../../schemas/Delivery.ts"
import { Event, EventQuery } from "../../schemas/Event.ts"
import { Page, pageQuery } from "../../schemas/Page.ts"
import { get, group, params } from "./Endpoint.ts"

const item = "/v1/events/:id"

export class EventsApi extends group(
  "events",
  "Events",
  "Changes of documents and their emails.",
  get("listEvents", "/v1/events", {
    query: EventQuery,
    success: Page(Event, "EventPage"),
    summary: "List events",
    description:
      "Lists events, newest first. With `after`, the response lists the later events, oldest first. If you add `wait` and there is no later event, the request waits up to 20 seconds for one. Use this request to get outcomes without a webhook.",
    handling: { mayWait: true, takesOwnTurns: true }
  }),
  get("retrieveEvent", item, {
    params,
    success: Event,
    summary: "Retrieve an event",
    description: "Returns an event. The body is byte for byte the same as in each delivery of the event."
  }),
  get("listEventDeliveries", `${item}/deliveries`, {
    params,
    query: pageQuery("whd"),
    success: DeliveryPage,
    summary: "List deliveries of an event",
    description:
      "Lists the deliveries of an event with their latest attempts, newest first. Each webhook endpoint that was subscribed to the event type at the time of the event has one delivery."
  })
) {}
