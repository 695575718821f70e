import { resolutionStatus, resolutionWarnings } from "../../domain/accounts/ResolutionRules.ts"
import { documentKinds } from "../../domain/documents/DocumentKinds.ts"
import { html } from "../../http/pages/Html.ts"
import type { EndpointRow, RangeRow } from "../../store/overview/OverviewRows.ts"
import { day, figure, time } from "../frame/Formats.ts"
import { hostOf } from "../frame/Links.ts"
import { documentNeeds } from "./DocumentNeeds.ts"
import { type Facts, many, type Need, type Reader } from "./Need.ts"

/*
 * What needs somebody, in words: decided from the facts alone.
 */

const dayMs = 86_400_000
const certificateSoonMs = 30 * dayMs
const certificateUrgentMs = 7 * dayMs

const endpointNeeds = (reader: Reader, { endpoints }: Facts): ReadonlyArray<Need> => {
  const { t } = reader
  const needOf = (row: EndpointRow): Omit<Need, "to" | "link"> | null => {
    const host = hostOf(row.url)
    const failed =
      row.failed === 0
        ? null
        : row.failed === 1
          ? t("1 delivery has failed.", "1 entrega falló.")
          : t(`${many(reader, row.failed)} deliveries have failed.`, `${many(reader, row.failed)} entregas fallaron.`)
    const waits =
      row.pending === 0
        ? null
        : row.pending === 1
          ? t("1 delivery waits.", "1 entrega espera.")
          : t(`${many(reader, row.pending)} deliveries wait.`, `${many(reader, row.pending)} entregas esperan.`)
    if (!row.is_active) {
      if (waits === null) return null
      return { tone: "wait", words: html`${host} ${t("is paused.", "está en pausa.")} ${waits}` }
    }
    if (row.full_since !== null) {
      const words = html`${host}
      ${t("has too many deliveries waiting since", "tiene demasiadas entregas en espera desde el")}
      ${time(reader, row.full_since)}: ${t("new ones are not tried.", "las nuevas no se intentan.")}`
      return { tone: "bad", words }
    }
    if (row.failing_since !== null) {
      const words = html`${host} ${t("hasn’t accepted a webhook since", "no recibe webhooks desde el")}
      ${time(reader, row.failing_since)}. ${waits} ${failed}`
      return { tone: "bad", words }
    }
    if (failed === null) return null
    return { tone: "wait", words: html`${host}: ${t("of the last day,", "del último día,")} ${failed}` }
  }
  return endpoints.flatMap((row) => {
    const need = needOf(row)
    const link = t("See the endpoint", "Ver el destino")
    return need === null ? [] : [{ ...need, to: `/portal/endpoints/${row.id}`, link }]
  })
}

const certificateNeeds = (reader: Reader, { certificate_ends, now }: Facts): ReadonlyArray<Need> => {
  const { t } = reader
  if (certificate_ends === null) return []
  const left = certificate_ends.getTime() - now.getTime()
  if (left > certificateSoonMs) return []
  const when = time(reader, certificate_ends)
  const words =
    left <= 0
      ? html`${t("The certificate ended:", "El certificado venció:")} ${when}.
        ${t("No document can be signed.", "No se puede firmar ningún documento.")}`
      : html`${t("The certificate ends:", "El certificado vence:")} ${when}.`
  const tone = left <= certificateUrgentMs ? "bad" : "wait"
  return [{ tone, words, to: "/portal/setup", link: t("Send a new one", "Enviar uno nuevo") }]
}

/** What is said of the ranges of one kind and prefix: nothing while one of them gives numbers for long. */
const rangeNeed = (reader: Reader, rows: ReadonlyArray<RangeRow>, date: string): ReadonlyArray<Need> => {
  const { t } = reader
  const usable = rows.filter((row) => resolutionStatus(row, date) === "active")
  const [first] = rows
  const coming = rows.some((row) => row.valid_from > date)
  if (first === undefined || usable.some((row) => resolutionWarnings(row, date).length === 0)) return []
  const kind = {
    invoice: t("invoices", "facturas"),
    credit_note: t("credit notes", "notas crédito"),
    debit_note: t("debit notes", "notas débito")
  }[first.document_type]
  const prefix = first.prefix === "" ? "" : ` ${first.prefix}`
  const name = t(`Range${prefix} for ${kind}`, `Rango${prefix} de ${kind}`)
  const to = "/portal/setup"
  const link = t("Register a range", "Registrar un rango")
  const newest = usable.at(-1)
  if (newest === undefined) {
    if (coming) return []
    const words = html`${name} ${t("has no numbers left, or has expired.", "ya no da números: se agotó o venció.")}`
    return [{ tone: "bad", words, to, link }]
  }
  const left = usable.reduce((sum, { next_number, to_number }) => sum + (to_number - next_number + 1n), 0n)
  const isFew = resolutionWarnings(newest, date).some(({ code }) => code === "few_numbers_left")
  const words = isFew
    ? html`${name}:
      ${left === 1n ? t("1 number left.", "queda 1 número.") : t(`${figure(t, String(left))} numbers left.`, `quedan ${figure(t, String(left))} números.`)}`
    : html`${name} ${t("is valid until", "vale hasta el")} ${day(reader, newest.valid_to)}.`
  return [{ tone: "wait", words, to, link }]
}

const rangeNeeds = (reader: Reader, { date, ranges }: Facts): ReadonlyArray<Need> => {
  const kinds = Object.keys(documentKinds)
  const groups = Map.groupBy(ranges, ({ document_type, prefix }) => `${kinds.indexOf(document_type)} ${prefix}`)
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, rows]) => rangeNeed(reader, rows, date))
}

/** What needs somebody, the most urgent first; empty if all is well. */
export const needsOf = (reader: Reader, facts: Facts): ReadonlyArray<Need> => {
  const all = [
    ...certificateNeeds(reader, facts),
    ...rangeNeeds(reader, facts),
    ...documentNeeds(reader, facts),
    ...endpointNeeds(reader, facts)
  ]
  return [...all.filter(({ tone }) => tone === "bad"), ...all.filter(({ tone }) => tone === "wait")]
}
