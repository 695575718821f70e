import type { Resolution } from "../../../../schemas/Resolution.ts"
import { type Html, html } from "../../../http/pages/Html.ts"
import { kindWords } from "../../frame/DocumentWords.ts"
import { day, figure } from "../../frame/Formats.ts"
import { state, type Tone } from "../../frame/Parts.ts"
import type { Translate, Visit } from "../../frame/Visit.ts"
import { untilDay } from "../SetupTerms.ts"

/** The name of a range: "FE · Invoice". A range without a prefix has its resolution number instead. */
export const rangeName = (t: Translate, { document_type, number, prefix }: Resolution): string =>
  `${prefix === "" ? (number ?? t("No prefix", "Sin prefijo")) : prefix} · ${kindWords(t, document_type)}`

export const rangeState = (t: Translate, { status, warnings }: Resolution): Html => {
  const states: Record<Resolution["status"], readonly [Tone, string]> = {
    active: warnings.length === 0 ? ["ok", t("Active", "Activo")] : ["wait", t("Ends soon", "Por terminar")],
    exhausted: ["bad", t("No numbers left", "Sin números")],
    expired: ["bad", t("Expired", "Vencido")],
    inactive: ["still", t("Inactive", "Inactivo")]
  }
  return state(...states[status])
}

/** A warning of a range, with the next step. */
export const warningWords = (
  visit: Visit,
  { from_number, remaining, to_number, valid_to = "" }: Resolution,
  code: Resolution["warnings"][number]["code"],
  now: number
): Html => {
  const { t } = visit
  if (code === "few_numbers_left") {
    const [left, all] = [figure(t, remaining), figure(t, to_number - from_number + 1)]
    return html`${remaining === 1 ? t(`1 of ${all} numbers remains.`, `Queda 1 de ${all} números.`) : t(`${left} of ${all} numbers remain.`, `Quedan ${left} de ${all} números.`)}
    ${t("Request a new range from the authority and register it.", "Solicite otro rango a la DIAN y regístrelo.")}`
  }
  const { isOver } = untilDay(t, valid_to, now)
  return html`${isOver ? t("The range expired on", "El rango venció el") : t("The range expires on", "El rango vence el")}
  ${day(visit, valid_to)}.
  ${t("Ask the authority to extend the range, or request a new range.", "Solicite a la DIAN la prórroga del rango, u otro rango.")}`
}

/** The remaining numbers of a range, as a figure and a bar. A range of notes has no end. */
export const rangeLeft = (t: Translate, range: Resolution): Html => {
  const { document_type, from_number, remaining, to_number } = range
  if (document_type !== "invoice") return html`${t("Unlimited", "Sin límite")}`
  const all = to_number - from_number + 1
  const words = t(
    `${figure(t, remaining)} of ${figure(t, all)} left`,
    `Quedan ${figure(t, remaining)} de ${figure(t, all)}`
  )
  return html`${words}<br /><meter
      aria-label="${words}"
      min="0"
      max="${all}"
      low="${Math.ceil(all / 10)}"
      optimum="${all}"
      value="${remaining}"
    ></meter>`
}

/** The last day of a range. */
export const rangeTerm = (visit: Visit, { valid_to }: Resolution, now: number): Html => {
  const { t } = visit
  if (valid_to === undefined) return html`${t("Unlimited", "Sin límite")}`
  const { isOver, isSoon, tone, words } = untilDay(t, valid_to, now)
  return isOver || isSoon
    ? html`${day(visit, valid_to)}<br /><small class="${tone}">${words}</small>`
    : day(visit, valid_to)
}
