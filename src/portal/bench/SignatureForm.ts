import { type Html, html } from "../../http/pages/Html.ts"
import { figure, time } from "../frame/Formats.ts"
import { empty, type Form } from "../forms/SentForm.ts"
import { form, inputs } from "../forms/Fields.ts"
import { idLink, inCode, section, state, wideFacts } from "../frame/Parts.ts"
import type { Visit } from "../frame/Visit.ts"
import { faultWords } from "./FaultWords.ts"
import type { Verdict } from "./SignatureCheck.ts"

export const signaturePath = "/portal/bench/signature"

/** What the check of a pasted webhook has found, as of `now`. */
export interface Found {
  readonly verdict: Verdict
  readonly now: Date
  /** Whether the receiver's time was given. */
  readonly isAsOf: boolean
  /** The event that the body names; whether the account has that event in this mode. */
  readonly event: { readonly id: string; readonly isKnown: boolean } | null
}

/** A form that was sent, with what is wrong with its fields and, if nothing is, what was found. */
export interface Sent {
  readonly form: Form
  readonly errors: Readonly<Record<string, string>>
  readonly found?: Found
}

const schemes = { svc: "Svc-Signature", standard: "webhook-signature" } as const

const faultRule = ({ language, t }: Visit, fault: Verdict["faults"][number], { isAsOf, verdict }: Found): Html => {
  const [what, advice] = faultWords(language, fault)
  const off = figure(t, Math.abs(verdict.ageSeconds ?? 0))
  const isLate = fault === "too_old"
  const shown = isLate
    ? t(
        `The signature is right, but ${off} s old: more than 300 s.`,
        `La firma es correcta, pero tiene ${off} s: más de 300 s.`
      )
    : fault === "in_the_future"
      ? t(
          `The signature is right, but ${off} s in the future: more than 300 s.`,
          `La firma es correcta, pero está ${off} s en el futuro: más de 300 s.`
        )
      : what
  const more =
    isLate && !isAsOf
      ? t(
          "That is as of now, and usual for a webhook that was kept: give the time of your receiver's clock to check it as of then.",
          "Eso es a esta hora, y es usual en un webhook guardado: indique la hora del reloj de su receptor para verificarlo a esa hora."
        )
      : advice
  return html`<div class="rule ${isLate ? "mild" : ""}" data-fault="${fault}"><b>${shown}</b><span>${more}</span></div>`
}

const differingPart = ({ t }: Visit, { differing }: Verdict): Html =>
  differing.length === 0
    ? html``
    : html`<p>
        ${t("Changed in the body:", "Cambiado en el cuerpo:")}
        ${differing.map((path, index) => html`${index === 0 ? "" : ", "}<code>${path === "" ? t("all of it", "todo") : path}</code>`)}
      </p>`

const factsOf = (visit: Visit, { event, now, verdict }: Found): Html => {
  const { t } = visit
  const { ageSeconds, isSigned, pasted, scheme, signer } = verdict
  const at = ageSeconds === null ? null : new Date(now.getTime() - ageSeconds * 1000)
  const eventWords =
    event === null
      ? null
      : event.isKnown
        ? idLink(visit, event.id)
        : html`<code>${event.id}</code>
            ${t("is not an event of this test mode, or no longer kept", "no es un evento de este modo de pruebas, o ya no se conserva")}`
  return wideFacts([
    [t("Sent to", "Enviado a"), isSigned && signer !== null ? idLink(visit, signer.id, signer.url) : null],
    [
      t("Secret given", "Secreto dado"),
      pasted === null || pasted.id === signer?.id ? null : idLink(visit, pasted.id, pasted.url)
    ],
    [t("Header", "Encabezado"), inCode(scheme && schemes[scheme])],
    [
      t("Signed at", "Firmado"),
      at === null
        ? null
        : html`${time(visit, at)} (${t(`${figure(t, ageSeconds ?? 0)} s old`, `hace ${figure(t, ageSeconds ?? 0)} s`)})`
    ],
    [t("Event", "Evento"), eventWords]
  ])
}

const resultSection = (visit: Visit, found: Found): Html => {
  const { t } = visit
  const { faults, isSigned } = found.verdict
  const isRight = faults.length === 0
  const onlyLate = faults.every((fault) => fault === "too_old")
  const verdict = isRight
    ? state("ok", t("The signature is right.", "La firma es correcta."))
    : onlyLate
      ? state("wait", t("The signature is right, but old.", "La firma es correcta, pero antigua."))
      : state("bad", t("A receiver refuses it.", "Un receptor lo rechaza."))
  const repaired =
    isSigned && faults.some((fault) => fault !== "too_old" && fault !== "in_the_future")
      ? html`<p>${t("With that repaired, the signature is right.", "Corregido eso, la firma es correcta.")}</p>`
      : null
  return html`<div role="status">
    ${section(
      "found",
      t("What was found", "Resultado"),
      html`<p>${verdict}</p>
        ${faults.map((fault) => faultRule(visit, fault, found))} ${differingPart(visit, found.verdict)} ${repaired}
        ${factsOf(visit, found)}`
    )}
  </div>`
}

/** The form into which a webhook is pasted, with what was found about the one that was sent. `body` fills it in at first. */
export const signatureSection = (visit: Visit, sent: Sent | undefined, body: string): Html => {
  const { t } = visit
  const { errors = {}, form: typed = empty } = sent ?? {}
  const input = inputs(typed.raw, (name) => errors[name])
  const pasted = sent === undefined ? { value: body } : {}
  const content = html`${input("body", t("Body, as it was received", "Cuerpo, como llegó"), { rows: 6, isCode: true, ...pasted })}
    ${input("headers", t("Headers, or the signature header alone", "Encabezados, o solo el de la firma"), {
      rows: 3,
      isCode: true,
      hint: t("A line each: Svc-Signature: t=…,v1=…", "Uno por línea: Svc-Signature: t=…,v1=…")
    })}
    <div class="fields">
      ${input("secret", t("Secret that your receiver uses", "Secreto que usa su receptor"), {
        type: "password",
        isCode: true,
        hint: t(
          "Empty: those of your endpoints are tried. It is not kept.",
          "Vacío: se prueban los de sus destinos. No se guarda."
        )
      })}
      ${input("at", t("Time of your receiver's clock", "Hora del reloj de su receptor"), {
        value: typed.text("at"),
        isCode: true,
        hint: t(
          "Unix seconds or 2026-11-23T10:00:00-05:00. Empty: now.",
          "Segundos de Unix o 2026-11-23T10:00:00-05:00. Vacío: ahora."
        )
      })}
    </div>`
  return html`${sent?.found === undefined ? null : resultSection(visit, sent.found)}
  ${section(
    "signature",
    t("Why is a webhook refused?", "¿Por qué se rechaza un webhook?"),
    form(visit, { action: signaturePath, kind: "first", submit: t("Find out", "Averiguar"), content })
  )}`
}
