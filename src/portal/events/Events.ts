import { Layer } from "effect"
import { change, page } from "../frame/Routes.ts"
import * as DeliveryPage from "./DeliveryPage.ts"
import * as EventList from "./EventList.ts"
import * as EventPage from "./EventPage.ts"

/** The pages of events and of their deliveries. */
export const layer = Layer.mergeAll(
  page("/portal/events", EventList.page),
  page("/portal/events/:id", EventPage.page),
  page("/portal/events/:id/bytes", EventPage.body),
  page("/portal/deliveries/:id", DeliveryPage.page),
  change("/portal/deliveries/:id/redeliver", DeliveryPage.redeliver)
)
