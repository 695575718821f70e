import type { AuthorityError } from "../../../schemas/FiscalDocument.ts"
import { checkDigit, isNit } from "../../domain/accounts/CheckDigit.ts"
import { processedBefore } from "../../domain/documents/AuthorityRules.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { hintWords } from "../frame/DocumentWords.ts"
import { time } from "../frame/Formats.ts"
import { section } from "../frame/Parts.ts"
import type { Visit } from "../frame/Visit.ts"
import { isMoving, type Shown } from "./Shown.ts"
import { failureInSpanish, meanwhileInSpanish, saidIn, troubleWords } from "./TroubleWords.ts"

/** Where a broken rule is put right. */
export type Remedy = "customer" | "issuer" | "ranges" | "technicalKey" | "certificate" | "document" | "nothing"

/** The groups of the authority's rules, without the letter of the kind of document, and where what they check comes from. */
const families: ReadonlyArray<readonly [rule: RegExp, remedy: Remedy]> = [
  [/^90$/, "nothing"],
  [/^[FCD]AD06/, "technicalKey"],
  [/^([FCD]AB(0[5-9]|1)|[FCD]AD05)/, "ranges"],
  [/^([FCD]AB2|[FCD]AJ)/, "issuer"],
  [/^[FCD]AK/, "customer"],
  [/^(ZE|ZD|[FCD]AC)/, "certificate"]
]

/** Where a rule is put right: by the place that the authority names, or else by the group of the rule. */
export const remedyOf = ({ path, rule }: Pick<AuthorityError, "path" | "rule">): Remedy => {
  const found = families.find(([form]) => form.test(rule))?.[1]
  if (found !== undefined) return found
  if (path?.startsWith("acquirer") === true) return "customer"
  return path?.startsWith("issuer") === true ? "issuer" : "document"
}

const remedyWords = ({ t }: Visit, remedy: Remedy): string => {
  const words: Record<Remedy, string> = {
    customer: t(
      "Fix it at the customer, then correct this document: it takes the customer’s data again.",
      "Corríjalo en el cliente y luego corrija este documento: toma de nuevo los datos del cliente."
    ),
    issuer: t(
      "Fix it in the issuer’s data, or in the authority’s portal, then correct this document.",
      "Corríjalo en los datos del emisor o en el portal de la DIAN y luego corrija este documento."
    ),
    ranges: t(
      "See that the authority has this range associated with your software, then correct this document.",
      "Verifique que la DIAN tenga este rango de numeración asociado a su software y luego corrija este documento."
    ),
    technicalKey: t(
      "Compare the range’s technical key with the authority’s, then correct this document.",
      "Compare la clave técnica del rango de numeración con la de la DIAN y luego corrija este documento."
    ),
    certificate: t(
      "See that the certificate is the issuer’s and valid, then correct this document.",
      "Verifique que el certificado sea del emisor y esté vigente, y luego corrija este documento."
    ),
    document: t("Change it in the document and send it again.", "Cámbielo en el documento y envíelo de nuevo."),
    nothing: t(
      "The authority has a document of this number. Look the number up in its portal: that document stays valid.",
      "La DIAN ya tiene un documento con este número. Consúltelo en su portal: ese documento sigue vigente."
    )
  }
  return words[remedy]
}

const remedyLink = ({ t, to }: Visit, remedy: Remedy, { customer }: Shown): Html | null => {
  if (remedy === "customer" && customer !== null) {
    return html` <a href="${to(`/portal/customers/${customer.id}`)}">${t("Open the customer", "Abrir el cliente")}</a>`
  }
  return remedy === "document" || remedy === "nothing" || remedy === "customer"
    ? null
    : html` <a href="${to("/portal/setup")}">${t("Open the setup", "Abrir Ajustes")}</a>`
}

/** What a check digit is and should be, and whether nothing is left to put right at the customer. */
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
          `The customer now has ${right}, which is right: correct this document, and it takes that.`,
          `El cliente tiene ahora ${right}, que es correcto: corrija este documento y lo tomará.`
        )
      }
    : {
        isRight: false,
        words: t(
          `The customer has ${check_digit ?? "none"}; for ${number} it is ${right}.`,
          `El cliente tiene ${check_digit ?? "ninguno"}; para ${number} es ${right}.`
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

/** A message of the API: its first sentence as a title, and the others below. */
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
              "When that is fixed, retry: the document keeps its number, if it has one.",
              "Cuando eso esté corregido, reintente: el documento conserva su número, si lo tiene."
            )
          : t("This document can’t be retried.", "Este documento no se puede reintentar.")
      }
    </p>
  </div>`
}

const heldNumbering = (visit: Visit, since: string): Html => {
  const { t } = visit
  return html`<div class="rule mild">
    <b>${t("It waits for its number.", "Espera su número.")}</b
    ><span><code>numbering_held</code> · ${t("since", "desde el")} ${time(visit, since)}</span>
    <p>
      ${t(
        "This service was restored from a backup. It gives no number until its operator confirms the last one that the authority has. Then Folio continues with the document.",
        "Este servicio se restauró de una copia de seguridad. No se asigna ningún número hasta que quien opera el servicio confirme el último que tiene la DIAN. Después Folio continúa con el documento."
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
      "Issued in contingency: the buyer has it, and the authority does not yet.",
      "Emitido en contingencia: el cliente lo tiene y la DIAN aún no."
    ),
    html`${t("Since", "Desde el")} ${time(visit, since)}.
    ${
      transmit_before === null
        ? t("Folio transmits it when the authority is back.", "Folio lo transmite cuando la DIAN vuelva.")
        : html`${t("It has to be transmitted before", "Debe transmitirse antes de")} ${time(visit, transmit_before)};
          ${t("Folio does that.", "lo hace Folio.")}`
    }`
  )
}

const titleOf = ({ t }: Visit, { document }: Shown): string => {
  switch (document.status) {
    case "rejected_by_authority":
      return t("Why it was rejected", "Por qué fue rechazada")
    case "failed":
      return t("Why it failed", "Por qué falló")
    case "accepted_by_authority":
      return t("What the authority remarks", "Lo que observa la DIAN")
    default:
      return t("Why it waits", "Por qué espera")
  }
}

/** In the sandbox some customers' numbers decide how a document ends, so that no correction for the same customer helps. */
const rejectedByNumber = "900000002"

const sandboxNote = ({ session, t, to }: Visit, { customer, document }: Shown): Html | null =>
  session.principal.livemode ||
  document.status !== "rejected_by_authority" ||
  customer?.identification.number !== rejectedByNumber
    ? null
    : mild(
        t(
          `The sandbox rejects every document for ${rejectedByNumber}.`,
          `En modo de pruebas se rechaza todo documento para ${rejectedByNumber}.`
        ),
        html`${t("To see it accepted, correct it for another customer, such as 900000001, or first", "Para verlo aceptado, corríjalo para otro cliente, por ejemplo 900000001, o antes")}
          <a href="${to("/portal/bench")}"
            >${t("plan its acceptance in the sandbox tools", "planee en Pruebas que se acepte")}</a
          >.`
      )

/** Whether the authority has a document of the number, so that no correction can replace it. */
export const isKnown = ({ document }: Pick<Shown, "document">): boolean =>
  document.authority_errors.some((error) => error.rule === processedBefore)

/** Why a document is where it is: each rule that it broke, what failed, or what it waits for, with what to do about it. */
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
