import { resolutionStatus, resolutionWarnings } from "../../documents/rules/parties/ResolutionRules.ts"
import { documentKinds } from "../../documents/rules/DocumentKinds.ts"
import {
  endingCertificate,
  endingRange,
  failingEndpoint,
  fullEndpoint,
  usedRange
} from "../../operations/rules/Findings.ts"
import { html } from "../../http/pages/Html.ts"
import type { EndpointRow, RangeRow } from "../../operations/store/OverviewRows.ts"
import { hostOf } from "../frame/Parts.ts"
import { documentNeeds } from "./DocumentNeeds.ts"
import { type Facts, findingWords, many, type Need, needsOfFindings, type Reader } from "./Need.ts"

/* The problems that need attention, in words. Pure functions of the facts. */

const dayMs = 86_400_000

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
          ? t("1 delivery is waiting.", "1 entrega está en espera.")
          : t(
              `${many(reader, row.pending)} deliveries are waiting.`,
              `${many(reader, row.pending)} entregas están en espera.`
            )
    if (!row.is_active) {
      if (waits === null) return null
      return { tone: "wait", words: html`${host} ${t("is paused.", "está en pausa.")} ${waits}` }
    }
    const { failing_since, full_since, id } = row
    if (full_since !== null) {
      return { tone: "bad", words: findingWords(reader, fullEndpoint.find({ id, name: host, since: full_since })) }
    }
    if (failing_since !== null) {
      const failing = findingWords(reader, failingEndpoint.find({ id, name: host, since: failing_since }))
      return { tone: "bad", words: html`${failing} ${waits} ${failed}` }
    }
    if (failed === null) return null
    return { tone: "wait", words: html`${host}: ${t("in the last day,", "en el último día,")} ${failed}` }
  }
  return endpoints.flatMap((row) => {
    const need = needOf(row)
    const link = t("View endpoint", "Ver destino")
    return need === null ? [] : [{ ...need, to: `/portal/endpoints/${row.id}`, link }]
  })
}

const certificateNeeds = (reader: Reader, { certificate_ends: not_after, now }: Facts): ReadonlyArray<Need> => {
  if (not_after === null) return []
  const days = Math.floor((not_after.getTime() - now.getTime()) / dayMs)
  return needsOfFindings(reader, endingCertificate.find({ id: "", not_after, days }), {
    to: "/portal/setup",
    link: reader.t("Upload certificate", "Subir certificado")
  })
}

/** The need of the ranges with one document kind and prefix. Empty while one of them has no warning. */
const rangeNeed = (reader: Reader, rows: ReadonlyArray<RangeRow>, date: string): ReadonlyArray<Need> => {
  const { t } = reader
  const usable = rows.filter((row) => resolutionStatus(row, date) === "active")
  const isComing = rows.some((row) => row.valid_from > date)
  const newest = usable.at(-1) ?? (isComing ? undefined : rows.at(-1))
  if (newest === undefined || usable.some((row) => resolutionWarnings(row, date).length === 0)) return []
  const { document_type, from_number, id, next_number, prefix, to_number, valid_to } = newest
  const kind = {
    invoice: t("invoices", "facturas"),
    credit_note: t("credit notes", "notas crédito"),
    debit_note: t("debit notes", "notas débito")
  }[document_type]
  const shown = prefix === "" ? "" : ` ${prefix}`
  const known = {
    id,
    name: t(`Range${shown} for ${kind}`, `Rango${shown} de ${kind}`),
    document_type,
    prefix,
    left: Number(to_number - next_number + 1n),
    size: Number(to_number - from_number + 1n),
    valid_to,
    days: (Date.parse(valid_to) - Date.parse(date)) / dayMs
  }
  const found = [...usedRange.find(known), ...endingRange.find(known)]
  const gravest = found.find(({ severity }) => severity === "critical") ?? found[0]
  return needsOfFindings(reader, gravest === undefined ? [] : [gravest], {
    to: "/portal/setup",
    link: t("Register range", "Registrar rango")
  })
}

const rangeNeeds = (reader: Reader, { date, ranges }: Facts): ReadonlyArray<Need> => {
  const kinds = Object.keys(documentKinds)
  const groups = Map.groupBy(ranges, ({ document_type, prefix }) => `${kinds.indexOf(document_type)} ${prefix}`)
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, rows]) => rangeNeed(reader, rows, date))
}

/** All needs of the account, most urgent first. */
export const needsOf = (reader: Reader, facts: Facts): ReadonlyArray<Need> => {
  const all = [
    ...certificateNeeds(reader, facts),
    ...rangeNeeds(reader, facts),
    ...documentNeeds(reader, facts),
    ...endpointNeeds(reader, facts)
  ]
  return [...all.filter(({ tone }) => tone === "bad"), ...all.filter(({ tone }) => tone === "wait")]
}
