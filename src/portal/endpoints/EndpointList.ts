import { Clock, Effect } from "effect"
import type { WebhookEndpoint } from "../../../schemas/WebhookEndpoint.ts"
import type { HealthHour } from "../../webhooks/store/DeliveryHealth.ts"
import { DeliveryLog } from "../../webhooks/store/DeliveryLog.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { titled } from "../frame/PortalLayout.ts"
import { emptyState, linkButton, notice } from "../frame/Parts.ts"
import { type Listed } from "../frame/Lists.ts"
import type { Visit } from "../frame/Visit.ts"
import { endpointMark, failureWords, lastFailure, sinceWords } from "./EndpointWords.ts"
import { countedWords, healthBars, healthWords, startOf } from "./HealthBars.ts"

const card = (visit: Visit, endpoint: WebhookEndpoint, hours: ReadonlyArray<HealthHour>, start: Date): Html => {
  const { t, to } = visit
  const { description, id, url } = endpoint
  const failure = failureWords(visit, lastFailure(hours))
  return html`<section aria-labelledby="${id}">
    <div class="head">
      <div>
        <h2 id="${id}"><a href="${to(`/portal/endpoints/${id}`)}">${description ?? url}</a></h2>
        ${description === null ? null : html`<code>${url}</code>`}
      </div>
      <div>${endpointMark(visit, endpoint)} <span class="soft">${sinceWords(visit, endpoint)}</span></div>
    </div>
    ${healthBars(t, hours, start)}
    <p class="soft">${healthWords(t, hours)}</p>
    ${failure === null ? null : html`<p>${failure}</p>`}
  </section>`
}

/** The page of the account's endpoints and their health. */
export const page = Effect.fnUntraced(function* (visit: Visit) {
  const { get, may, t, to } = visit
  const log = yield* DeliveryLog
  const { data } = yield* get<Listed<WebhookEndpoint>>("/v1/webhook-endpoints", { limit: "100" })
  const start = startOf(yield* Clock.currentTimeMillis)
  const { from, hours } = yield* visit.read((account) => log.healthSince(account, start))
  const byEndpoint = Map.groupBy(hours, ({ endpoint_id }) => endpoint_id)
  const nothing = emptyState(
    t("No endpoints yet", "Todavía no hay destinos"),
    t(
      "An endpoint is your https address for events. Folio signs each subscribed event and sends it there.",
      "Un destino es su dirección https para eventos. Folio firma cada evento suscrito y lo envía allí."
    )
  )
  return titled(
    "endpoints",
    {
      above: notice(visit, { deleted: t("Endpoint deleted.", "Destino eliminado.") }),
      title: t("Endpoints", "Destinos"),
      sub: t("Your addresses that receive events", "Sus direcciones que reciben eventos"),
      actions: may("endpoints")
        ? linkButton(to("/portal/endpoints/new"), t("Add endpoint", "Agregar destino"), "first")
        : null
    },
    countedWords(visit, from),
    data.length === 0
      ? html`<section>${nothing}</section>`
      : data.map((endpoint) => card(visit, endpoint, byEndpoint.get(endpoint.id) ?? [], start))
  )
})
