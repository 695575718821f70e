import {
  certificateFindings,
  endpointFindings,
  hostOf,
  rangeFindings,
  testSetFindings
} from "../../operations/rules/AccountFindings.ts"
import { html } from "../../http/pages/Html.ts"
import type { EndpointRow } from "../../operations/store/OverviewRows.ts"
import { documentNeeds } from "./DocumentNeeds.ts"
import { type Facts, findingWords, many, type Need, needsOfFindings, type Reader } from "./Need.ts"

/* The problems that need attention, in words. Pure functions of the facts. */

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
    const findings = endpointFindings(row)
    if (findings.length > 0) {
      const words = findingWords(reader, findings)
      return { tone: "bad", words: row.full_since === null ? html`${words} ${waits} ${failed}` : words }
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

const setupNeeds = (reader: Reader, facts: Facts): ReadonlyArray<Need> => {
  const { t } = reader
  return [
    ...needsOfFindings(reader, certificateFindings(facts), {
      to: "/portal/setup",
      link: t("Upload certificate", "Subir certificado")
    }),
    ...needsOfFindings(reader, rangeFindings(facts), {
      to: "/portal/setup",
      link: t("Register range", "Registrar rango")
    }),
    ...needsOfFindings(reader, testSetFindings(facts), {
      to: "/portal/setup",
      link: t("View steps", "Ver pasos")
    })
  ]
}

/** All needs of the account, most urgent first. */
export const needsOf = (reader: Reader, facts: Facts): ReadonlyArray<Need> => {
  const all = [...setupNeeds(reader, facts), ...documentNeeds(reader, facts), ...endpointNeeds(reader, facts)]
  return [...all.filter(({ tone }) => tone === "bad"), ...all.filter(({ tone }) => tone === "wait")]
}
