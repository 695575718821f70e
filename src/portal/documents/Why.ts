import type { AuthorityError } from "../../../schemas/FiscalDocument.ts"
import { checkDigit, isNit } from "../../documents/rules/parties/CheckDigit.ts"
import { processedBefore } from "../../documents/rules/AuthorityRules.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { hintWords } from "../frame/DocumentWords.ts"
import { time } from "../frame/Formats.ts"
import { section } from "../frame/Parts.ts"
import type { Visit } from "../frame/Visit.ts"
import { isMoving, type Shown } from "./DocumentView.ts"
import { failureInSpanish, meanwhileInSpanish, saidIn, troubleWords } from "./TroubleWords.ts"

/** The place to fix a broken rule. */
export type Remedy = "customer" | "issuer" | "ranges" | "technicalKey" | "certificate" | "document" | "nothing"

/** The groups of the authority's rules, without the letter of the document kind, and the place to fix each. */
const families: ReadonlyArray<readonly [rule: RegExp, remedy: Remedy]> = [
  [/^90$/, "nothing"],
  [/^[FCD]AD06/, "technicalKey"],
  [/^([FCD]AB(0[5-9]|1)|[FCD]AD05)/, "ranges"],
  [/^([FCD]AB2|[FCD]AJ)/, "issuer"],
  [/^[FCD]AK/, "customer"],
  [/^(ZE|ZD|[FCD]AC)/, "certificate"]
]

/** The place to fix a rule: by the group of the rule, or else by the field path. */
export const remedyOf = ({ path, rule }: Pick<AuthorityError, "path" | "rule">): Remedy => {
  const found = families.find(([form]) => form.test(rule))?.[1]
  if (found !== undefined) return found
  if (path?.startsWith("acquirer") === true) return "customer"
  return path?.startsWith("issuer") === true ? "issuer" : "document"
}

const remedyWords = ({ t }: Visit, remedy: Remedy): string => {
  const words: Record<Remedy, string> = {
    customer: t(
      "Fix the customer’s data. Then correct this document: Folio copies the customer’s data again.",
      "Corrija los datos del cliente. Después corrija este documento: Folio copia de nuevo los datos del cliente."
    ),
    issuer: t(
      "Fix the issuer’s data here or in the authority’s portal. Then correct this document.",
      "Corrija los datos del emisor aquí o en el portal de la DIAN. Después corrija este documento."
    ),
    ranges: t(
      "In the authority’s portal, check that this range is associated with your software. Then correct this document.",
      "En el portal de la DIAN, revise que este rango de numeración esté asociado con su software. Después corrija este documento."
    ),
    technicalKey: t(
      "Compare the range’s technical key with the key in the authority’s portal. Then correct this document.",
      "Compare la clave técnica del rango de numeración con la clave del portal de la DIAN. Después corrija este documento."
    ),
    certificate: t(
      "Check that the certificate is valid and belongs to the issuer. Then correct this document.",
      "Revise que el certificado esté vigente y sea del emisor. Después corrija este documento."
    ),
    document: t("Correct this document.", "Corrija este documento."),
    nothing: t(
      "The authority already has a document with this number. Look it up in the authority’s portal. That document stays valid.",
      "La DIAN ya tiene un documento con este número. Búsquelo en el portal de la DIAN. Ese documento sigue siendo válido."
    )
  }
  return words[remedy]
}

const remedyLink = ({ t, to }: Visit, remedy: Remedy, { customer }: Shown): Html | null => {
  if (remedy === "customer" && customer !== null) {
    return html` <a href="${to(`/portal/customers/${customer.id}`)}">${t("View customer", "Ver cliente")}</a>`
  }
  return remedy === "document" || remedy === "nothing" || remedy === "customer"
    ? null
    : html` <a href="${to("/portal/setup")}">${t("Setup", "Ajustes")}</a>`
}

/** The current and the correct check digit, and whether the customer is already correct. */
const digitWords = (
  { t }: Visit,
  { path, rule }: AuthorityError,
  { customer }: Shown
): { readonly words: string; readonly isRight: boolean } | null => {
  const isAbout = path?.endsWith("check_digit") === true || /^[FCD]AK24/.test(rule)
  const { check_digit, number = "", type } = customer?.identification ?? {}
  if (!isAbout || type !== "31" || !isNit(number)) return null
  const right = checkDigit(number)
  return check_digit === right
    ? {
        isRight: true,
        words: t(
          `The customer now has the correct check digit ${right}. Correct this document: Folio copies it.`,
          `El cliente ya tiene el dígito de verificación correcto, ${right}. Corrija este documento: Folio lo copia.`
        )
      }
    : {
        isRight: false,
        words: t(
          `The customer’s check digit is ${check_digit ?? "missing"}. For ${number} it must be ${right}.`,
          `El dígito de verificación del cliente es ${check_digit ?? "ninguno"}. Para ${number} debe ser ${right}.`
        )
      }
}

const rule = (visit: Visit, error: AuthorityError, shown: Shown, isMild = false): Html => {
  const { hint, message, path, rule: code } = error
  const remedy = remedyOf(error)
  const place = path === null ? null : html` · <code>${path}</code>`
  const digit = digitWords(visit, error, shown)
  const advice =
    isMild || digit?.isRight === true
      ? null
      : html`<p>${remedyWords(visit, remedy)}${remedyLink(visit, remedy, shown)}</p>`
  return html`<div class="rule ${isMild ? "mild" : ""}">
    <b lang="es">${message}</b><span>${code}${place}</span>
    ${hint === null ? null : html`<p>${hintWords(visit, hint)}</p>`}
    ${digit === null ? null : html`<p>${digit.words}</p>`} ${advice}
  </div>`
}

const mild = (title: string, ...paragraphs: ReadonlyArray<Html | string | null>): Html =>
  html`<div class="rule mild">
    <b>${title}</b>${paragraphs.flatMap((each) => (each === null ? [] : [html`<p>${each}</p>`]))}
  </div>`

/** An API message: its first sentence as a title, and the other sentences below. */
const told = (message: string): { readonly title: string; readonly rest: Html | null } => {
  const [, title = message, rest = ""] = /^(.+?[.:])\s+(.+)$/s.exec(message) ?? []
  return { title, rest: rest === "" ? null : html`<p lang="en">${rest}</p>` }
}

const failed = ({ language, t }: Visit, failure: NonNullable<Shown["document"]["failure"]>): Html => {
  const { rest, title } = told(failure.message)
  const spanish = language === "es" ? failureInSpanish(failure) : undefined
  const words =
    spanish !== undefined
      ? html`<b>${spanish.what}</b
          ><span><code>${failure.code}</code></span>
          ${spanish.said === undefined ? null : html`<p>«${spanish.said}»</p>`}
          ${spanish.remedy === "" ? null : html`<p>${spanish.remedy}</p>`}`
      : html`<b lang="en">${title}</b><span><code>${failure.code}</code></span> ${rest}`
  return html`<div class="rule">
    ${words}
    <p>
      ${
        failure.retryable
          ? t(
              "After the fix, retry the document. It keeps its number, if it has one.",
              "Después de corregir, reintente el documento. Conserva su número, si lo tiene."
            )
          : t("You can’t retry this document.", "Este documento no se puede reintentar.")
      }
    </p>
  </div>`
}

const heldNumbering = (visit: Visit, since: string): Html => {
  const { t } = visit
  return html`<div class="rule mild">
    <b>${t("Waiting for a number.", "En espera de su número.")}</b
    ><span><code>numbering_held</code> · ${t("since", "desde el")} ${time(visit, since)}</span>
    <p>
      ${t(
        "The operator restored this service from a backup. Folio assigns no numbers until the operator confirms the last number at the authority. Then Folio continues with the document.",
        "El operador restauró este servicio de una copia de seguridad. Folio no asigna números hasta que el operador confirme el último número en la DIAN. Después Folio continúa con el documento."
      )}
    </p>
  </div>`
}

const waiting = (visit: Visit, { code, message, since }: NonNullable<Shown["document"]["waiting"]>): Html => {
  const { language, t } = visit
  const { rest, title } = told(message)
  if (code === "numbering_held") return heldNumbering(visit, since)
  const words = troubleWords(language, code)
  const said = language === "es" ? saidIn(message) : undefined
  return html`<div class="rule mild">
    <b>${language === "es" ? words.what : title}</b
    ><span><code>${code}</code> · ${t("since", "desde el")} ${time(visit, since)}</span>
    ${language === "es" ? html`<p>${meanwhileInSpanish(code)}</p>` : rest}
    ${said === undefined ? null : html`<p lang="es">${said}</p>`}
    <p>${words.remedy}</p>
  </div>`
}

const contingency = (visit: Visit, { since, transmit_before }: NonNullable<Shown["document"]["contingency"]>): Html => {
  const { t } = visit
  return mild(
    t(
      "Issued in contingency. The buyer has the document. The authority does not have it yet.",
      "Emitido en contingencia. El adquiriente ya tiene el documento. La DIAN todavía no lo tiene."
    ),
    html`${t("Since", "Desde el")} ${time(visit, since)}.
    ${
      transmit_before === null
        ? t(
            "Folio transmits it when the authority responds again.",
            "Folio lo transmite cuando la DIAN responda de nuevo."
          )
        : html`${t("Folio transmits it. Deadline:", "Folio lo transmite. Plazo:")} ${time(visit, transmit_before)}.`
    }`
  )
}

const titleOf = ({ t }: Visit, { document }: Shown): string => {
  switch (document.status) {
    case "rejected_by_authority":
      return t("Rejection reasons", "Motivos del rechazo")
    case "failed":
      return t("Failure reason", "Motivo de la falla")
    case "accepted_by_authority":
      return t("Authority notifications", "Notificaciones de la DIAN")
    default:
      return t("Waiting reason", "Motivo de la espera")
  }
}

/** The sandbox rejects every document for this number, so a correction for the same customer does not help. */
const rejectedByNumber = "900000002"

const sandboxNote = ({ session, t, to }: Visit, { customer, document }: Shown): Html | null =>
  session.principal.livemode ||
  document.status !== "rejected_by_authority" ||
  customer?.identification.number !== rejectedByNumber
    ? null
    : mild(
        t(
          `The sandbox rejects every document for ${rejectedByNumber}.`,
          `El ambiente de pruebas rechaza todo documento para ${rejectedByNumber}.`
        ),
        html`${t("To get the document accepted, correct it for another customer, such as 900000001, or first", "Para que la DIAN simulada acepte el documento, corríjalo para otro cliente, por ejemplo 900000001, o antes")}
          <a href="${to("/portal/bench")}"
            >${t("plan its acceptance in the sandbox tools", "planee su aceptación en las herramientas de pruebas")}</a
          >.`
      )

/** Whether the authority already has a document with this number. A correction can't replace that document. */
export const isKnown = ({ document }: Pick<Shown, "document">): boolean =>
  document.authority_errors.some((error) => error.rule === processedBefore)

/** The reasons of a document's status: broken rules, failure or wait, each with the next step. */
export const why = (visit: Visit, shown: Shown, actions: Html): Html => {
  const { document } = shown
  const parts = [
    ...document.authority_errors.map((error) => rule(visit, error, shown)),
    ...(document.failure === null ? [] : [failed(visit, document.failure)]),
    ...(document.waiting === undefined ? [] : [waiting(visit, document.waiting)]),
    ...(document.contingency !== null && isMoving(document) ? [contingency(visit, document.contingency)] : []),
    ...document.authority_notifications.map((error) => rule(visit, error, shown, true))
  ]
  return parts.length === 0
    ? html``
    : section("why", titleOf(visit, shown), html`${parts}${sandboxNote(visit, shown)}${actions}`)
}
