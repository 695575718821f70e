import { Effect, Layer } from "effect"
import type { Recovery } from "../../../schemas/Delivery.ts"
import type * as Form from "../forms/SentForm.ts"
import { change, idOf, page } from "../frame/Routes.ts"
import { orShownWith } from "../frame/Refusal.ts"
import { CurrentVisit } from "../frame/Visit.ts"
import { momentOf } from "../frame/Filters.ts"
import * as EndpointForm from "./EndpointForm.ts"
import * as EndpointForms from "./EndpointForms.ts"
import * as EndpointList from "./EndpointList.ts"
import * as EndpointPage from "./EndpointPage.ts"
import * as Secret from "./Secret.ts"

const item = "/portal/endpoints/:id"

/** Sends again what an endpoint missed, or shows the page of the endpoint again with what is wrong with the time. */
const recover = Effect.fnUntraced(function* (form: Form.Form) {
  const { send } = yield* CurrentVisit
  const id = yield* idOf()
  const since = form.text("since")
  const body = { since: momentOf(since) }
  return yield* send<Recovery>("POST", `/v1/webhook-endpoints/${id}/recover`, body, { key: form.raw("once") }).pipe(
    Effect.map(({ deliveries, has_more }) => ({
      to: `/portal/endpoints/${id}?status=pending&count=${deliveries}&more=${has_more ? 1 : 0}`,
      notice: "recovered"
    })),
    orShownWith((refusal) => EndpointPage.show(id, refusal, since))
  )
})

/** The pages of webhook endpoints. */
export const layer = Layer.mergeAll(
  page("/portal/endpoints", EndpointList.page),
  page("/portal/endpoints/new", EndpointForm.newPage),
  change("/portal/endpoints/new", EndpointForm.create),
  page(item, EndpointPage.page),
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
