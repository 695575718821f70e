import { Effect, Layer } from "effect"
import type { Recovery } from "../../../schemas/Delivery.ts"
import type * as Form from "../forms/SentForm.ts"
import { change, page } from "../frame/PortalRoutes.ts"
import { orShown } from "../frame/Refusal.ts"
import type { Visit } from "../frame/Visit.ts"
import { momentOf } from "../frame/Lists.ts"
import * as EndpointForm from "./EndpointForm.ts"
import * as EndpointForms from "./EndpointForms.ts"
import * as EndpointList from "./EndpointList.ts"
import * as EndpointPage from "./EndpointPage.ts"
import * as Secret from "./Secret.ts"

const item = "/portal/endpoints/:id"

/** Recovers the events that an endpoint missed. If the time is not valid, shows the page again with the error. */
const recover = (visit: Visit, form: Form.Form) => {
  const { id, send } = visit
  const since = form.text("since")
  return send<Recovery>("POST", `/v1/webhook-endpoints/${id}/recover`, { since: momentOf(since) }, form).pipe(
    Effect.map(({ deliveries, has_more }) => ({
      to: `/portal/endpoints/${id}?status=pending&count=${deliveries}&more=${has_more ? 1 : 0}`,
      notice: "recovered"
    })),
    orShown((refusal) => EndpointPage.show(visit, refusal, since))
  )
}

/** The pages of webhook endpoints. */
export const layer = Layer.mergeAll(
  page("/portal/endpoints", EndpointList.page),
  page("/portal/endpoints/new", EndpointForm.newPage),
  change("/portal/endpoints/new", EndpointForm.create),
  page(item, (visit) => EndpointPage.show(visit)),
  page(`${item}/edit`, EndpointForm.editPage),
  change(`${item}/edit`, EndpointForm.edit),
  page(`${item}/rotate`, Secret.rotatePage),
  change(`${item}/rotate`, Secret.rotate),
  page(`${item}/delete`, EndpointForms.deletePage),
  change(`${item}/delete`, EndpointForms.remove),
  change(`${item}/pause`, EndpointForms.setActive(false)),
  change(`${item}/resume`, EndpointForms.setActive(true)),
  change(`${item}/test`, EndpointForms.test),
  change(`${item}/recover`, recover)
)
