import { Effect, Layer } from "effect"
import type { Attempt, Delivery } from "../../../schemas/Delivery.ts"
import { html } from "../../http/pages/Html.ts"
import type * as Form from "../forms/SentForm.ts"
import { time } from "../frame/Formats.ts"
import { titled } from "../frame/PortalLayout.ts"
import { listed, pager } from "../frame/Lists.ts"
import { copied, facts, idLink, pageOf, section, twoColumns } from "../frame/Parts.ts"
import { change, page } from "../frame/PortalRoutes.ts"
import type { Visit } from "../frame/Visit.ts"
import { attemptList, deliveryMark, nextWords, redeliverButton, redeliveredNotice } from "./DeliveryParts.ts"
import { eventWords } from "./EventWords.ts"

/** The page of a delivery and a pager through its attempts. */
const shown = Effect.fnUntraced(function* (visit: Visit) {
  const { get, id, t } = visit
  const delivery = yield* get<Delivery>(`/v1/webhook-deliveries/${id}`)
  const attempts = yield* listed<Attempt>(visit, `/v1/webhook-deliveries/${id}/attempts`, 20)
  return titled(
    "events",
    {
      above: redeliveredNotice(visit),
      title: t("Delivery", "Entrega"),
      sub: html`${deliveryMark(visit, delivery)} ${nextWords(visit, delivery)}`,
      actions: redeliverButton(visit, delivery, id)
    },
    twoColumns(
      section(
        "attempts",
        t(`Attempts: ${delivery.attempts_count}`, `Intentos: ${delivery.attempts_count}`),
        attemptList(visit, delivery, attempts.data),
        pager(visit, `/portal/deliveries/${id}`, attempts)
      ),
      section(
        "facts",
        t("Details", "Detalles"),
        facts([
          [t("Event", "Evento"), idLink(visit, delivery.event_id, eventWords(t, delivery.event_type))],
          [t("Endpoint", "Destino"), idLink(visit, delivery.webhook_endpoint_id, t("View endpoint", "Ver destino"))],
          [t("Created", "Creada"), time(visit, delivery.created_at)],
          ["Id", copied(visit, id)]
        ])
      )
    )
  )
})

/** Redelivers an event, and returns to the page with the button. */
const redeliver = ({ id, send }: Visit, form: Form.Form) =>
  Effect.map(send<Delivery>("POST", `/v1/webhook-deliveries/${id}/redeliver`, undefined, form), ({ event_id }) => ({
    to: pageOf(form.raw("back")) ?? `/portal/events/${event_id}`,
    notice: "redelivered"
  }))

export const layer = Layer.mergeAll(
  page("/portal/deliveries/:id", shown),
  change("/portal/deliveries/:id/redeliver", redeliver)
)
