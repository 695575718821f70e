import type { WebhookEndpoint } from "../../../schemas/WebhookEndpoint.ts"
import type { HealthHour } from "../../webhooks/store/DeliveryHealth.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { shortTime } from "../frame/Formats.ts"
import { idLink, state } from "../frame/Parts.ts"
import type { Visit } from "../frame/Visit.ts"
import { reasonWords } from "../events/DeliveryParts.ts"

/** The health of an endpoint, with its mark. */
export const endpointMark = ({ t }: Pick<Visit, "t">, { health, is_active }: WebhookEndpoint): Html => {
  if (!is_active) return state("still", t("Paused", "En pausa"))
  if (health.full_since !== null) return state("bad", t("Full", "Lleno"))
  if (health.status === "failing") return state("bad", t("Failing", "Con fallas"))
  return health.status === "healthy"
    ? state("ok", t("Delivering", "Entregando"))
    : state("still", t("No deliveries yet", "Aún sin entregas"))
}

/** The start of an endpoint's current state, in words. Null if unknown. */
export const sinceWords = (visit: Visit, { health, is_active }: WebhookEndpoint): Html | null => {
  const { t } = visit
  const { failing_since, full_since, last_success_at } = health
  if (!is_active) return html`${t("No deliveries", "Sin entregas")}`
  if (failing_since !== null) return html`${t("Since", "Desde el")} ${shortTime(visit, failing_since)}`
  if (full_since !== null) return html`${t("Since", "Desde el")} ${shortTime(visit, full_since)}`
  return last_success_at === null
    ? null
    : html`${t("Last delivery", "Última entrega")} ${shortTime(visit, last_success_at)}`
}

/** The latest failure of an endpoint. Undefined if there is none. */
export const lastFailure = (hours: ReadonlyArray<HealthHour>): HealthHour["last_failure"] =>
  hours
    .flatMap(({ last_failure }) => (last_failure === null ? [] : [last_failure]))
    .toSorted((a, b) => b.at_ms - a.at_ms)[0] ?? null

/** The time and reason of a failed attempt, with a link to its event. */
export const failureWords = (visit: Visit, failure: HealthHour["last_failure"]): Html | null =>
  failure === null
    ? null
    : html`${visit.t("Last failure", "Última falla")} ${shortTime(visit, new Date(failure.at_ms))}:
      ${reasonWords(visit.t, failure.error.code, failure.status)}
      ${idLink(visit, failure.event_id, visit.t("View event", "Ver evento"))}`
