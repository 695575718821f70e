import { Effect } from "effect"
import type { Attempt, Delivery } from "../../../schemas/Delivery.ts"
import { html } from "../../http/pages/Html.ts"
import type * as Form from "../forms/SentForm.ts"
import { time } from "../frame/Formats.ts"
import { idLink, pageOf } from "../frame/Links.ts"
import type { Page } from "../frame/Layout.ts"
import { copied, cursors, facts, type Listed, notice, pager, placeOf, section } from "../frame/Parts.ts"
import type { Visit } from "../frame/Visit.ts"
import { type Outcome } from "../frame/Routes.ts"
import { attemptList, deliveryMark, nextWords, redeliverButton } from "./DeliveryParts.ts"
import { eventWords } from "./EventWords.ts"

/** A delivery with all its attempts, in pages. */
export const page = Effect.fnUntraced(function* (visit: Visit) {
  const { get, t } = visit
  const id = visit.id
  const delivery = yield* get<Delivery>(`/v1/webhook-deliveries/${id}`)
  const attempts = yield* get<Listed<Attempt>>(`/v1/webhook-deliveries/${id}/attempts`, {
    ...cursors(visit),
    limit: "20"
  })
  return {
    title: t("Delivery", "Entrega"),
    current: "events",
    content: html`${notice(visit, {
        redelivered: t("The delivery is being sent once more.", "La entrega se está enviando de nuevo.")
      })}
      <div class="head">
        <div>
          <h1>${t("Delivery", "Entrega")}</h1>
          <p class="sub">${deliveryMark(visit, delivery)} ${nextWords(visit, delivery)}</p>
        </div>
        <div class="do">${redeliverButton(visit, delivery, id)}</div>
      </div>
      <div class="grid">
        <div>
          ${section(
            "attempts",
            t(`Attempts: ${delivery.attempts_count}`, `Intentos: ${delivery.attempts_count}`),
            html`${attemptList(visit, delivery, attempts.data)}
            ${pager(visit, `/portal/deliveries/${id}`, placeOf(visit, attempts))}`
          )}
        </div>
        <aside>
          ${section(
            "facts",
            t("Details", "Detalles"),
            facts([
              [t("Event", "Evento"), idLink(visit, delivery.event_id, eventWords(t, delivery.event_type))],
              [
                t("Endpoint", "Destino"),
                idLink(visit, delivery.webhook_endpoint_id, t("See the endpoint", "Ver el destino"))
              ],
              [t("Made", "Creada"), time(visit, delivery.created_at)],
              ["Id", copied(visit, id)]
            ])
          )}
        </aside>
      </div>`
  } satisfies Page as Page
})

/** Sends a delivery once more, and leads back to the page whose button was pressed. */
export const redeliver = Effect.fnUntraced(function* ({ id, send }: Visit, form: Form.Form) {
  const delivery = yield* send<Delivery>("POST", `/v1/webhook-deliveries/${id}/redeliver`, undefined, form)
  const to = pageOf(form.raw("back")) ?? `/portal/events/${delivery.event_id}`
  return { to, notice: "redelivered" } satisfies Outcome as Outcome
})
