import type { Resolution } from "../../../../schemas/Resolution.ts"
import { type Html, html } from "../../../http/pages/Html.ts"
import { kindWords } from "../../frame/DocumentWords.ts"
import { day, figure } from "../../frame/Formats.ts"
import { state, type Tone } from "../../frame/Parts.ts"
import type { Translate, Visit } from "../../frame/Visit.ts"
import { untilDay } from "../Terms.ts"

/** What a range is called: "FE · Invoice", or by its resolution where it has no prefix. */
export const rangeName = (t: Translate, { document_type, number, prefix }: Resolution): string =>
  `${prefix === "" ? (number ?? t("Without a prefix", "Sin prefijo")) : prefix} · ${kindWords(t, document_type)}`

export const rangeState = (t: Translate, { status, warnings }: Resolution): Html => {
  const states: Record<Resolution["status"], readonly [Tone, string]> = {
    active: warnings.length === 0 ? ["ok", t("In use", "En uso")] : ["wait", t("Ends soon", "Por terminar")],
    exhausted: ["bad", t("No numbers left", "Sin números")],
    expired: ["bad", t("Expired", "Vencido")],
    inactive: ["still", t("Switched off", "Inactivo")]
  }
  return state(...states[status])
}

/** A warning of a range, with what to do. */
export const warningWords = (
  visit: Visit,
  { from_number, remaining, to_number, valid_to = "" }: Resolution,
  code: Resolution["warnings"][number]["code"],
  now: number
): Html => {
  const { t } = visit
  if (code === "few_numbers_left") {
    const [left, all] = [figure(t, remaining), figure(t, to_number - from_number + 1)]
    return html`${remaining === 1 ? t(`1 of ${all} numbers is left.`, `Queda 1 de ${all} números.`) : t(`${left} of ${all} numbers are left.`, `Quedan ${left} de ${all} números.`)}
    ${t("Ask the authority for another range and register it.", "Pida otro rango a la DIAN y regístrelo.")}`
  }
  const { isOver } = untilDay(t, valid_to, now)
  return html`${isOver ? t("The range expired on", "El rango venció el") : t("The range expires on", "El rango vence el")}
  ${day(visit, valid_to)}.
  ${t("Ask the authority to extend it, or for another one.", "Pida a la DIAN su prórroga, u otro rango.")}`
}

/** How many numbers of a range are left, as a figure and as a bar. A range of notes has no end. */
export const rangeLeft = (t: Translate, range: Resolution): Html => {
  const { document_type, from_number, remaining, to_number } = range
  if (document_type !== "invoice") return html`${t("Without an end", "Sin límite")}`
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

/** Until when a range may be used. */
export const rangeTerm = (visit: Visit, { valid_to }: Resolution, now: number): Html => {
  const { t } = visit
  if (valid_to === undefined) return html`${t("Without an end", "Sin límite")}`
  const { isOver, isSoon, tone, words } = untilDay(t, valid_to, now)
  return isOver || isSoon
    ? html`${day(visit, valid_to)}<br /><small class="${tone}">${words}</small>`
    : day(visit, valid_to)
}
