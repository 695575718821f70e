import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { DeliveryPage } from "../../schemas/Delivery.ts"
import { Event, EventQuery } from "../../schemas/Event.ts"
import { Page, PageQuery } from "../../schemas/Page.ts"
import { Authorization } from "./Authorization.ts"
import { Conventions, MayWait, versionHeader } from "./Conventions.ts"
import { Errors } from "./Errors.ts"

const item = "/v1/events/:id"
const params = { id: Schema.String }

export class EventsApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("listEvents", "/v1/events", {
      headers: versionHeader,
      query: EventQuery,
      success: Page(Event, "EventPage")
    })
      .annotate(MayWait, true)
      .annotate(OpenApi.Summary, "List events, newest first; or follow them, oldest first, with after and wait")
  )
  .add(
    HttpApiEndpoint.get("retrieveEvent", item, { headers: versionHeader, params, success: Event }).annotate(
      OpenApi.Summary,
      "Retrieve an event: the body that its deliveries send"
    )
  )
  .add(
    HttpApiEndpoint.get("listEventDeliveries", `${item}/deliveries`, {
      headers: versionHeader,
      params,
      query: PageQuery,
      success: DeliveryPage
    }).annotate(OpenApi.Summary, "List an event's deliveries with their attempts, newest first")
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Events") {}
