import { Effect } from "effect"
import { allEvents, type WebhookEndpoint, type WebhookEndpointWithSecret } from "../../../schemas/WebhookEndpoint.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { kindWords } from "../frame/DocumentWords.ts"
import type * as Form from "../forms/SentForm.ts"
import { checkbox, faultOf, form, inputs, refusedForm } from "../forms/FormFields.ts"
import { type Page, titled } from "../frame/PortalLayout.ts"
import { section } from "../frame/Parts.ts"
import { orShown, type Refusal } from "../frame/Refusal.ts"
import { languageOfMessage } from "../frame/SpanishRefusals.ts"
import type { Visit } from "../frame/Visit.ts"
import { outcomeWords, typesByKind } from "../events/EventWords.ts"
import { endpointOfPath } from "./EndpointForms.ts"
import { secretPage } from "./Secret.ts"

/** The values of an endpoint's form. */
interface Typed {
  readonly url: string
  readonly description: string
  readonly events: ReadonlyArray<string>
  readonly in_flight: string
}

/** The events that most receivers need: the authority's outcome of each document. */
const usual = typesByKind.flatMap(([, types]) => types.filter((type) => !type.includes(".email.")))

const blank: Typed = { url: "https://", description: "", events: usual, in_flight: "8" }

const typedIn = ({ all, text }: Form.Form): Typed => ({
  url: text("url"),
  description: text("description"),
  events: all("event"),
  in_flight: text("in_flight")
})

const typedOf = ({ description, max_in_flight, subscribed_events, url }: WebhookEndpoint): Typed => ({
  url,
  description: description ?? "",
  events: subscribed_events,
  in_flight: String(max_in_flight)
})

const params = ["url", "description", "subscribed_events", "max_in_flight"]
// A violation may name a list or one of its items.
const isNamed = (param: string) => params.includes(param.split("[")[0] ?? "")

const eventsPart = ({ t }: Visit, { events }: Typed, fault: string | undefined): Html =>
  html`<fieldset>
    <legend>${t("Events", "Eventos")}</legend>
    ${fault === undefined ? null : html`<p class="bad" lang="${languageOfMessage(fault)}" role="alert">${fault}</p>`}
    ${checkbox("event", t("All, including types of later releases", "Todos, también los de versiones futuras"), events.includes(allEvents), allEvents)}
    <div class="fields">
      ${typesByKind.map(
        ([kind, types]) =>
          html`<fieldset>
            <legend>${kindWords(t, kind)}</legend>
            ${types.map((type) => checkbox("event", outcomeWords(t, type), events.includes(type), type))}
          </fieldset>`
      )}
    </div>
  </fieldset>`

const fields = (visit: Visit, typed: Typed, refusal: Refusal | undefined): Html => {
  const { t } = visit
  const eventsFault = refusal?.errors.find(({ param }) => param.startsWith("subscribed_events"))?.message
  const { description, in_flight, url } = typed
  const values: Readonly<Record<string, string>> = { description, in_flight, url }
  const input = inputs(
    (name) => values[name] ?? "",
    (name) => faultOf(refusal, name === "in_flight" ? "max_in_flight" : name)
  )
  return html`${refusedForm(visit, refusal, isNamed)}
  ${input("url", t("Address", "Dirección"), {
    type: "url",
    isRequired: true,
    hint: t("Public https address on port 443 or 8443", "Dirección https pública, en el puerto 443 u 8443")
  })}
  ${input("description", t("Description", "Descripción"))} ${eventsPart(visit, typed, eventsFault)}
  ${input("in_flight", t("Parallel deliveries", "Entregas simultáneas"), {
    type: "number",
    hint: t(
      "1 to 64. With 1, Folio makes first attempts strictly in the order of events.",
      "De 1 a 64. Con 1, Folio hace los primeros intentos estrictamente en el orden de los eventos."
    )
  })}`
}

/** The form of a new endpoint, or of the endpoint at the page's path. */
const formPage = (visit: Visit, typed: Typed, refusal?: Refusal): Page => {
  const { id, may, t, to } = visit
  const isNew = id === ""
  const path = isNew ? "/portal/endpoints" : `/portal/endpoints/${id}`
  const submit = isNew ? t("Add endpoint", "Agregar destino") : t("Save", "Guardar")
  const content = may("endpoints")
    ? form(visit, {
        action: isNew ? `${path}/new` : `${path}/edit`,
        content: fields(visit, typed, refusal),
        submit,
        kind: "first"
      })
    : html`<p>
        ${t(
          "This session can’t change endpoints. Request a link with the capability “endpoints”.",
          "Esta sesión no puede cambiar destinos. Solicite un enlace con el permiso «destinos»."
        )}
      </p>`
  return titled(
    "endpoints",
    {
      title: isNew ? t("Add endpoint", "Agregar destino") : t("Change endpoint", "Cambiar destino"),
      sub: html`<a href="${to(path)}">${t("Back", "Volver")}</a>`
    },
    section("form", t("Endpoint", "Destino"), content)
  )
}

const sent = ({ events, in_flight, url }: Typed) => ({
  url,
  // A person may check "All" and leave other types checked.
  subscribed_events: events.includes(allEvents) ? [allEvents] : events,
  // Sends a text that is not a number unchanged, so that the API returns the error.
  ...(in_flight === "" ? {} : { max_in_flight: /^\d{1,9}$/.test(in_flight) ? Number(in_flight) : in_flight })
})

export const newPage = (visit: Visit) => formPage(visit, blank)

/** Creates an endpoint. The response shows its secret, once. */
export const create = (visit: Visit, posted: Form.Form) => {
  const typed = typedIn(posted)
  const body = { ...sent(typed), ...(typed.description === "" ? {} : { description: typed.description }) }
  return visit.send<WebhookEndpointWithSecret>("POST", "/v1/webhook-endpoints", body, posted).pipe(
    Effect.map((endpoint) => secretPage(visit, endpoint, "made")),
    orShown((refusal) => formPage(visit, typed, refusal))
  )
}

export const editPage = (visit: Visit) =>
  Effect.map(endpointOfPath(visit), (endpoint) => formPage(visit, typedOf(endpoint)))

export const edit = (visit: Visit, posted: Form.Form) => {
  const { id, send } = visit
  const typed = typedIn(posted)
  const body = { ...sent(typed), description: typed.description === "" ? null : typed.description }
  return send("PATCH", `/v1/webhook-endpoints/${id}`, body, posted).pipe(
    Effect.as({ to: `/portal/endpoints/${id}`, notice: "changed" }),
    orShown((refusal) => formPage(visit, typed, refusal))
  )
}
