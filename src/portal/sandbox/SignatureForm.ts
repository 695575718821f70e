import { type Html, html } from "../../http/pages/Html.ts"
import { figure, time } from "../frame/Formats.ts"
import { empty, type Form } from "../forms/SentForm.ts"
import { form, inputs } from "../forms/FormFields.ts"
import { idLink, inCode, section, state, wideFacts } from "../frame/Parts.ts"
import type { Visit } from "../frame/Visit.ts"
import { faultWords } from "./FaultWords.ts"
import type { Verdict } from "./SignatureCheck.ts"

export const signaturePath = "/portal/bench/signature"

/** The result of checking a pasted webhook, at the time `now`. */
export interface Found {
  readonly verdict: Verdict
  readonly now: Date
  /** Whether the person entered the receiver's time. */
  readonly isAsOf: boolean
  /** The event in the body, and whether the account has it in this mode. */
  readonly event: { readonly id: string; readonly isKnown: boolean } | null
}

/** A sent form, with the errors of its fields or, without errors, the result. */
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
        `The signature is valid but ${off} s old. The limit is 300 s.`,
        `La firma es correcta, pero tiene ${off} s. El límite es 300 s.`
      )
    : fault === "in_the_future"
      ? t(
          `The signature is valid but ${off} s in the future. The limit is 300 s.`,
          `La firma es correcta, pero está ${off} s en el futuro. El límite es 300 s.`
        )
      : what
  const more =
    isLate && !isAsOf
      ? t(
          "The check used the current time. To check a stored webhook, enter the time of your receiver’s clock.",
          "La verificación usó la hora actual. Para verificar un webhook guardado, indique la hora del reloj de su receptor."
        )
      : advice
  return html`<div class="rule ${isLate ? "mild" : ""}" data-fault="${fault}"><b>${shown}</b><span>${more}</span></div>`
}

const differingPart = ({ t }: Visit, { differing }: Verdict): Html =>
  differing.length === 0
    ? html``
    : html`<p>
        ${t("Changed in the body:", "Cambios en el cuerpo:")}
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
            ${t("is not a stored event of this test mode", "no es un evento guardado de este modo de pruebas")}`
  return wideFacts([
    [t("Sent to", "Enviado a"), isSigned && signer !== null ? idLink(visit, signer.id, signer.url) : null],
    [
      t("Entered secret", "Secreto indicado"),
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
    ? state("ok", t("The signature is valid.", "La firma es correcta."))
    : onlyLate
      ? state("wait", t("The signature is valid but old.", "La firma es correcta, pero antigua."))
      : state("bad", t("A receiver rejects this webhook.", "Un receptor rechaza este webhook."))
  const repaired =
    isSigned && faults.some((fault) => fault !== "too_old" && fault !== "in_the_future")
      ? html`<p>${t("After this fix, the signature is valid.", "Después de corregirlo, la firma es correcta.")}</p>`
      : null
  return html`<div role="status">
    ${section(
      "found",
      t("Result", "Resultado"),
      html`<p>${verdict}</p>
        ${faults.map((fault) => faultRule(visit, fault, found))} ${differingPart(visit, found.verdict)} ${repaired}
        ${factsOf(visit, found)}`
    )}
  </div>`
}

/** The form for a pasted webhook, and the result of the last check. `body`: its initial body. */
export const signatureSection = (visit: Visit, sent: Sent | undefined, body: string): Html => {
  const { t } = visit
  const { errors = {}, form: typed = empty } = sent ?? {}
  const input = inputs(typed.raw, (name) => errors[name])
  const pasted = sent === undefined ? { value: body } : {}
  const content = html`${input("body", t("Raw body", "Cuerpo original"), { rows: 6, isCode: true, ...pasted })}
    ${input("headers", t("Headers", "Encabezados"), {
      rows: 3,
      isCode: true,
      hint: t(
        "All headers, each on its own line, or only the signature header.",
        "Todos los encabezados, cada uno en su línea, o solo el encabezado de la firma."
      )
    })}
    <div class="fields">
      ${input("secret", t("Signing secret", "Secreto de firma"), {
        type: "password",
        isCode: true,
        hint: t(
          "If empty, Folio tries the secrets of your endpoints. Folio does not store the secret.",
          "Si está vacío, Folio prueba los secretos de sus destinos. Folio no guarda el secreto."
        )
      })}
      ${input("at", t("Receiver time", "Hora del receptor"), {
        value: typed.text("at"),
        isCode: true,
        hint: t(
          "Unix seconds or 2026-11-23T10:00:00-05:00. If empty, the current time.",
          "Segundos de Unix o 2026-11-23T10:00:00-05:00. Si está vacía, la hora actual."
        )
      })}
    </div>`
  return html`${sent?.found === undefined ? null : resultSection(visit, sent.found)}
  ${section(
    "signature",
    t("Check webhook", "Verificar webhook"),
    form(visit, { action: signaturePath, kind: "first", submit: t("Check", "Verificar"), content })
  )}`
}
