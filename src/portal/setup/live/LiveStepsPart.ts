import { Record } from "effect"
import type { Account } from "../../../../schemas/Account.ts"
import { type LiveStep, type LiveStepCode, liveStepCodes } from "../../../../schemas/LiveSteps.ts"
import { type Html, html } from "../../../http/pages/Html.ts"
import { returnLink, section, state } from "../../frame/Parts.ts"
import type { Translate, Visit } from "../../frame/Visit.ts"
import { setupRoot } from "../SetupPage.ts"

interface Words {
  readonly name: string
  /** The task of an open step. */
  readonly todo: string
  /** The page of the task. Null if the operator does the task. */
  readonly page: string | null
}

const wordsOf = (t: Translate): Readonly<Record<LiveStepCode, Words>> => ({
  authority: {
    name: t("Connection to the authority", "Conexión con la DIAN"),
    todo: t(
      "The operator of this service sets the authority’s address.",
      "El operador del servicio define la dirección de la DIAN."
    ),
    page: null
  },
  service: {
    name: t("Service", "Servicio"),
    todo: t(
      "The operator of this service must complete its settings.",
      "El operador del servicio debe completar la configuración."
    ),
    page: null
  },
  live_key: {
    name: t("Live key", "Clave de producción"),
    todo: t(
      "The operator of this service creates a live key.",
      "El operador del servicio crea una clave de producción."
    ),
    page: null
  },
  issuer: {
    name: t("Issuer", "Emisor"),
    todo: t(
      "Enter your company as in the tax register (RUT).",
      "Escriba los datos de su empresa como aparecen en el RUT."
    ),
    page: "issuer"
  },
  vat_responsible: {
    name: t("Value added tax", "IVA"),
    todo: t("Choose whether your company charges IVA.", "Elija si su empresa es responsable de IVA."),
    page: "issuer"
  },
  certificate: {
    name: t("Certificate", "Certificado"),
    todo: t("Upload a certificate that is valid today.", "Suba un certificado vigente hoy."),
    page: "certificate"
  },
  software: {
    name: t("Software and PIN", "Software y PIN"),
    todo: t(
      "Enter the software that you registered with the authority.",
      "Escriba el software que registró ante la DIAN."
    ),
    page: "software"
  },
  enablement: {
    name: t("Enablement", "Habilitación"),
    todo: t("Pass the authority’s test set.", "Supere el set de pruebas de la DIAN."),
    page: "enablement"
  },
  numbering_range: {
    name: t("Numbering range", "Rango de numeración"),
    todo: t("Import or register a range with numbers left.", "Importe o registre un rango con números disponibles."),
    page: "ranges"
  }
})

/** The names of the steps. */
export const stepNames = (t: Translate): Readonly<Record<LiveStepCode, string>> =>
  Record.map(wordsOf(t), ({ name }) => name)

const stepWords = (t: Translate, { state: now }: LiveStep): string => {
  const states: Record<LiveStep["state"], string> = {
    missing: t("To do", "Por hacer"),
    running: t("In progress", "En curso"),
    failed: t("Failed", "Fallido")
  }
  return states[now]
}

/** The steps to live documents: completed steps, and the task and page of each open step. */
export const liveSteps = (visit: Visit, { live }: Account): Html => {
  const { session, t, to } = visit
  const words = wordsOf(t)
  const isLive = session.principal.livemode
  const items = liveStepCodes
    // Hides the IVA step until the account has an issuer.
    .filter((code) => code !== "vat_responsible" || !live.steps.some((step) => step.code === "issuer"))
    .map((code) => {
      const step = live.steps.find((one) => one.code === code)
      const { name, page, todo } = words[code]
      const shown = page !== null && isLive ? html`<a href="${to(`${setupRoot}/${page}`)}">${name}</a>` : html`${name}`
      const mark = step === undefined ? "good" : step.state === "failed" ? "no" : ""
      return html`<li class="${mark}">
        ${shown} ·
        ${
          step === undefined
            ? html`<span class="soft">${t("Done", "Listo")}</span>`
            : html`<span class="wait">${stepWords(t, step)}</span><small>${todo}</small>`
        }
      </li>`
    })
  const list = html`<ol class="time">
    ${items}
  </ol>`
  const guide = html`<p class="soft">
    <a href="${to("/docs/guides/going-live")}" hx-boost="false">${t("Guide: go live", "Guía: salir a producción")}</a>
  </p>`
  if (live.ready) {
    return section(
      "live",
      t("Live documents", "Documentos de producción"),
      html`<p>${state("ok", t("All steps done", "Pasos completos"))}</p>
        ${returnLink(visit)}
        <details>
          <summary>${t("Steps", "Pasos")}</summary>
          ${list}
        </details>`
    )
  }
  return section(
    "live",
    t("Steps to go live", "Pasos para salir a producción"),
    html`${
      isLive
        ? null
        : html`<p>
            ${t(
              "These steps belong to live mode. Open the portal with a live key.",
              "Estos pasos son de producción. Abra el portal con una clave de producción."
            )}
          </p>`
    }
    ${guide} ${list}`
  )
}
