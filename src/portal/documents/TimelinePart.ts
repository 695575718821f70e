import type { LoggedRequest } from "../../../schemas/Request.ts"
import type { TimelineEntry } from "../../../schemas/Timeline.ts"
import { localDate } from "../../runtime/AuthorityTime.ts"
import { type Html, html, type Part } from "../../http/pages/Html.ts"
import { clock, duration, shortTime, size } from "../frame/Formats.ts"
import { action } from "../forms/FormFields.ts"
import { hostOf } from "../../operations/rules/AccountFindings.ts"
import { idLink, inCode, section } from "../frame/Parts.ts"
import { reasonWords } from "../events/DeliveryParts.ts"
import type { Visit } from "../frame/Visit.ts"
import { codeOf, type Shown } from "./DocumentView.ts"

type Of<Type extends TimelineEntry["type"]> = Extract<TimelineEntry, { readonly type: Type }>
type Transition = Of<"transition">
type Attempt = Of<"delivery_attempt">

type Tone = "good" | "no" | ""

const item = (tone: Tone, at: Html, what: Part, more: Part = null): Html =>
  html`<li class="${tone}">${at}${what}${more === null ? null : html`<small>${more}</small>`}</li>`

const dayOf = (at: string) => localDate(Date.parse(at))

/** The time of an entry, with the day if it differs from the day of the first entry. */
const moments = (visit: Visit, entries: ReadonlyArray<TimelineEntry>) => {
  const first = entries[0]
  return ({ at }: TimelineEntry) =>
    first !== undefined && dayOf(first.at) === dayOf(at) ? clock(at) : shortTime(visit, at)
}

const requestWords = (visit: Visit, request: LoggedRequest | undefined): Html | null => {
  if (request === undefined) return null
  const { t } = visit
  const key = request.api_key?.last_four
  const called = idLink(visit, request.id, `${request.method} ${request.path}`)
  return html`${t("by", "por")} ${called}${typeof key === "string" ? html`, ${t("key", "clave")} …${key}` : null}`
}

/** The request paths of each command. A document is created at its own path, or by the annulment of an invoice. */
const pathOf: Readonly<Record<string, RegExp>> = {
  create: /^\/v1\/(invoices|credit-notes|debit-notes)(\/[^/]+\/annul)?$/,
  retry: /\/retry$/,
  correct: /\/correct$/,
  cancel: /\/cancel$/
}

/** The request behind the n-th transition of a command, if the log still has it. */
const requestOf = ({ entries, requests }: Shown, entry: Transition): LoggedRequest | undefined => {
  const form = pathOf[entry.command]
  if (form === undefined) return undefined
  const same = entries.filter((other) => other.type === "transition" && other.command === entry.command)
  const fitting = requests.filter(({ method, path }) => method === "POST" && form.test(path))
  // Matches from the newest entry back, because the log keeps only some days.
  return fitting.at(same.indexOf(entry) - same.length)
}

/** The code with which Folio transmitted a document to the authority, from this entry on. */
const codeFrom = ({ document, entries }: Shown, entry: Transition): string | null => {
  const later = entries
    .slice(entries.indexOf(entry))
    .find((other) => other.type === "transition" && other.command === "reject")
  const rejected = later?.type === "transition" ? (later.cufe ?? later.cude) : undefined
  return rejected ?? codeOf(document)
}

const codeWords = (code: string | null, name: string): Html | null =>
  code === null ? null : html`${name} <code title="${code}">${code.slice(0, 24)}…</code>`

const answeredIn = ({ t }: Visit, { entries }: Shown, entry: Transition): string | null => {
  const sent = entries
    .slice(0, entries.indexOf(entry))
    .findLast((other) => other.type === "transition" && other.command === "submit")
  if (sent === undefined) return null
  const took = duration(t, Date.parse(entry.at) - Date.parse(sent.at))
  return t(`response in ${took}`, `respuesta en ${took}`)
}

const both = (...parts: ReadonlyArray<string | null>): Html | null => {
  const given = parts.filter((part) => part !== null)
  return given.length === 0 ? null : html`${given.join(", ")}`
}

/** The tone and the name of a transition. */
const headOf = ({ t }: Visit, { document }: Shown, { command }: Transition): readonly [Tone, string] => {
  const heads: Partial<Record<typeof command, readonly [Tone, string]>> = {
    create: ["good", t("Created", "Creada")],
    number: ["good", `${t("Numbered", "Numerada")} ${document.full_number}`],
    redate: ["", t("New issue date", "Fecha de emisión nueva")],
    sign: ["good", t("Signed", "Firmada")],
    submit: ["good", t("Transmitted to the authority", "Transmitida a la DIAN")],
    accept: ["good", t("Accepted by the authority", "Aceptada por la DIAN")],
    reject: ["no", t("Rejected by the authority", "Rechazada por la DIAN")],
    enter_contingency: ["", t("Issued in contingency", "Emitida en contingencia")],
    fail: ["no", t("Failed", "Fallida")],
    cancel: ["", t("Canceled", "Cancelada")],
    retry: ["good", t("Retried", "Reintentada")],
    correct: ["good", t("Corrected", "Corregida")]
  }
  return heads[command] ?? ["", command]
}

/** The details of a transition, in small print. */
const moreOf = (visit: Visit, shown: Shown, entry: Transition): Part => {
  const { t, to } = visit
  const { document, kind, signedBytes } = shown
  const by = requestWords(visit, requestOf(shown, entry))
  const code = codeWords(codeFrom(shown, entry), kind === "invoice" ? "CUFE" : "CUDE")
  switch (entry.command) {
    case "create":
    case "cancel":
    case "retry":
      return by
    case "number":
      return code
    case "redate":
      return t("The issue date had passed before signing.", "La fecha de emisión pasó antes de la firma.")
    case "sign":
      return signedBytes === null
        ? null
        : html`${size(t, signedBytes)} ·
            <a href="${to(`/portal/documents/${document.id}/xml`)}" hx-boost="false">XML</a>`
    case "submit":
      return null
    case "accept":
      return both(answeredIn(visit, shown, entry))
    case "reject": {
      const rules = entry.authority_errors ?? document.authority_errors
      const count = rules.length === 1 ? t("1 rule", "1 regla") : t(`${rules.length} rules`, `${rules.length} reglas`)
      const earlier = entry.authority_errors?.map(
        ({ message, rule }) => html`<br /><span lang="es">${rule}: ${message}</span>`
      )
      return [both(count, answeredIn(visit, shown, entry)), earlier ?? null]
    }
    case "enter_contingency":
      return t("The authority was unavailable.", "La DIAN no estaba disponible.")
    case "fail":
      return inCode(document.failure?.code)
    case "correct":
      return html`${code}${code === null || by === null ? null : " · "}${by}`
    default:
      return inCode(entry.to)
  }
}

const transition = (visit: Visit, shown: Shown, entry: Transition, at: Html): Html => {
  const [tone, words] = headOf(visit, shown, entry)
  return item(tone, at, words, moreOf(visit, shown, entry))
}

const triedWords = ({ t }: Visit, times: number): string =>
  t(`${times} attempts, last at`, `${times} intentos, el último a las`)

/** A step of the timeline: an entry, or a run of calls that did not reach the authority. */
type Step = TimelineEntry | { readonly times: number; readonly last: Transition }

const isOf = (entry: TimelineEntry | undefined, command: Transition["command"]) =>
  entry?.type === "transition" && entry.command === command

/** Merges each run of calls that did not reach the authority into one step: `submit`, `return`, `submit`, `return` … */
const stepsOf = (entries: ReadonlyArray<TimelineEntry>): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  for (let index = 0; index < entries.length; index++) {
    const [entry, next] = [entries[index], entries[index + 1]]
    if (entry === undefined) continue
    const isTakenBack = isOf(entry, "submit") && isOf(next, "return")
    if (!isTakenBack || next?.type !== "transition") {
      steps.push(entry)
      continue
    }
    const before = steps.at(-1)
    const times = before !== undefined && "times" in before ? before.times : 0
    if (times > 0) steps.pop()
    steps.push({ times: times + 1, last: next })
    index += 1
  }
  return steps
}

const takenBack = (visit: Visit, { last, times }: Extract<Step, { readonly times: number }>, at: Html): Html => {
  const { t } = visit
  const more = t(
    "The call didn’t reach the authority. Folio retries it.",
    "La llamada no llegó a la DIAN. Folio la reintenta."
  )
  const words = triedWords(visit, times)
  return times === 1
    ? item("", at, t("Not transmitted", "Sin transmitir"), more)
    : item("", at, html`${words.charAt(0).toUpperCase()}${words.slice(1)} ${clock(last.at)}`, more)
}

const isDelivered = ({ response_status }: Attempt) =>
  response_status !== null && response_status >= 200 && response_status < 300

/** The attempts of one delivery in a row: their number, and the result of the last. */
const delivery = (visit: Visit, shown: Shown, attempts: ReadonlyArray<Attempt>): Html => {
  const { may, t } = visit
  const made = attempts.at(-1)
  if (made === undefined) return html``
  const host = idLink(
    visit,
    made.webhook_endpoint_id,
    hostOf(shown.endpoints.get(made.webhook_endpoint_id) ?? made.webhook_endpoint_id)
  )
  const took = html`${t("in", "en")} ${duration(t, made.duration_ms)}`
  const answer =
    made.response_status === null
      ? html`${took}: ${reasonWords(t, made.error?.code ?? "", null)}`
      : html`${made.response_status} ${took}`
  const again = may("deliver")
    ? html` ·
      ${action(visit, {
        action: `/portal/documents/${shown.document.id}/redeliver/${made.webhook_delivery_id}`,
        submit: t("Redeliver", "Reenviar"),
        kind: "plain"
      })}`
    : null
  const tried = attempts.length === 1 ? null : html`${triedWords(visit, attempts.length)} ${clock(made.at)},`
  return html`<small>${t("to", "a")} ${host}: ${tried} ${answer}${again}</small>`
}

const event = (visit: Visit, shown: Shown, entry: Of<"event">, at: Html): Html => {
  const { t } = visit
  const made = shown.entries.filter(
    (other): other is Attempt => other.type === "delivery_attempt" && other.event_id === entry.event_id
  )
  const deliveries = [...Map.groupBy(made, ({ webhook_delivery_id }) => webhook_delivery_id).values()]
  const [all, taken] = [deliveries.length, deliveries.filter((attempts) => attempts.some(isDelivered)).length]
  const tone = all === 0 || (taken > 0 && taken < all) ? "" : taken === all ? "good" : "no"
  const words =
    all === 0
      ? t("no deliveries", "sin entregas")
      : taken === 0
        ? t("not delivered", "no entregado")
        : taken === all
          ? t("delivered", "entregado")
          : t(`delivered to ${taken} of ${all}`, `entregado a ${taken} de ${all}`)
  return html`<li class="${tone}">
    ${at}${idLink(visit, entry.event_id, entry.event_type)} ${words}
    ${deliveries.map((attempts) => delivery(visit, shown, attempts))}
  </li>`
}

const email = ({ t }: Visit, { attempts, reason, status, to }: Of<"email">, at: Html): Html => {
  const words: Record<typeof status, string> = {
    pending: t("in progress", "en curso"),
    delivered: t("delivered", "entregado"),
    bounced: t("bounced", "devuelto"),
    complained: t("marked as spam", "marcado como spam"),
    failed: t("not sent", "no enviado")
  }
  const tone = status === "delivered" ? "good" : status === "pending" ? "" : "no"
  const tries = attempts > 1 ? t(`, ${attempts} attempts`, `, ${attempts} intentos`) : ""
  return item(tone, at, html`${t("Email to", "Correo a")} ${to}: ${words[status]}${tries}`, reason)
}

const acceptance = ({ t }: Visit, entry: Of<"acceptance">, at: Html): Html => {
  const isClaim = entry.code === "031"
  return item(
    isClaim ? "no" : "good",
    at,
    t(entry.name_en, entry.name),
    both(entry.by === undefined ? null : t(`by ${entry.by}`, `por ${entry.by}`), entry.reason ?? null)
  )
}

const entryItem = (visit: Visit, shown: Shown, entry: TimelineEntry, at: Html): ReadonlyArray<Html> => {
  switch (entry.type) {
    case "transition":
      return [transition(visit, shown, entry, at)]
    case "event":
      return [event(visit, shown, entry, at)]
    case "email":
      return [email(visit, entry, at)]
    case "acceptance":
      return [acceptance(visit, entry, at)]
    // Shows an attempt next to its event.
    case "delivery_attempt":
      return []
  }
}

/** The timeline of a document, oldest first. */
export const timeline = (visit: Visit, shown: Shown): Html => {
  const momentOf = moments(visit, shown.entries)
  return section(
    "what",
    visit.t("Timeline", "Historial"),
    html`<ol class="time">
      ${stepsOf(shown.entries).flatMap((step) =>
        "times" in step ? [takenBack(visit, step, momentOf(step.last))] : entryItem(visit, shown, step, momentOf(step))
      )}
    </ol>`
  )
}
