import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { DeliveryPage } from "../../schemas/Delivery.ts"
import { Event, EventQuery } from "../../schemas/Event.ts"
import { Page, PageQuery } from "../../schemas/Page.ts"
import { Authorization } from "./Authorization.ts"
import { Conventions, MayWait, OwnTurn, versionHeader } from "./Conventions.ts"
import { Errors } from "./Errors.ts"

const item = "/v1/events/:id"
const params = { id: Schema.String.annotate({ description: "The id of the object." }) }

export class EventsApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("listEvents", "/v1/events", {
      headers: versionHeader,
      query: EventQuery,
      success: Page(Event, "EventPage")
    })
      .annotate(MayWait, true)
      .annotate(OwnTurn, true)
      .annotate(OpenApi.Summary, "List events, newest first; or follow them, oldest first, with after and wait")
      .annotate(
        OpenApi.Description,
        "With `after` and `wait` an answer waits until there is an event, up to 20 seconds: a way to hear of outcomes without a webhook."
      )
  )
  .add(
    HttpApiEndpoint.get("retrieveEvent", item, { headers: versionHeader, params, success: Event })
      .annotate(OpenApi.Summary, "Retrieve an event: the body that its deliveries send")
      .annotate(OpenApi.Description, "The bytes are those that every delivery of it sends.")
  )
  .add(
    HttpApiEndpoint.get("listEventDeliveries", `${item}/deliveries`, {
      headers: versionHeader,
      params,
      query: PageQuery,
      success: DeliveryPage
    })
      .annotate(OpenApi.Summary, "List an event's deliveries with their attempts, newest first")
      .annotate(OpenApi.Description, "One delivery for each endpoint that was subscribed when it happened.")
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Events")
  .annotate(OpenApi.Description, "What happened to documents.") {}
