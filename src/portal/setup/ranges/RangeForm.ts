import { type Html, html } from "../../../http/pages/Html.ts"
import type { Form } from "../../forms/SentForm.ts"
import { kindWords } from "../../frame/DocumentWords.ts"
import { bodyOf, faultsOf, type FormShape, sentValues } from "../../forms/FormBody.ts"
import { form, inputsOf, refusedForm } from "../../forms/FormFields.ts"
import { section } from "../../frame/Parts.ts"
import type { Refusal } from "../../frame/Refusal.ts"
import type { Visit } from "../../frame/Visit.ts"

const granted = { empty: "omit" } as const

export const rangeShape: FormShape = {
  document_type: {},
  prefix: {},
  number: granted,
  from_number: { kind: "number", empty: "omit" },
  to_number: { kind: "number", empty: "omit" },
  valid_from: granted,
  valid_to: granted,
  technical_key: granted,
  next_number: { kind: "number", empty: "omit" }
}

const names = Object.keys(rangeShape)

/** The body of a new range. Removes dots and spaces from numbers. */
export const rangeBody = (sent: Form): Record<string, unknown> =>
  bodyOf(
    {
      names: sent.names,
      all: (name) => (name.endsWith("_number") ? [sent.text(name).replaceAll(/[.\s]/g, "")] : sent.all(name))
    },
    rangeShape
  )

/** The form of a new range, with the data of its resolution. */
export const rangeForm = (visit: Visit, action: string, sent?: Form, refusal?: Refusal): Html => {
  const { t } = visit
  const values = sent === undefined ? new Map() : sentValues(sent)
  const faults = faultsOf(refusal?.errors, names)
  const input = inputsOf({ faults, values })
  return html`${refusedForm(visit, refusal, faults.isNamed)}
  ${form(visit, {
    action,
    submit: t("Register range", "Registrar rango"),
    kind: "first",
    content: html`${section(
      "all",
      t("Range", "Rango"),
      html`<div class="fields">
        ${input("document_type", t("Document type", "Tipo de documento"), {
          choices: (["invoice", "credit_note", "debit_note"] as const).map((kind) => [kind, kindWords(t, kind)])
        })}
        ${input("prefix", t("Prefix", "Prefijo"), {
          hint: t("Empty if the authority gave none", "Vacío si la DIAN no asignó ninguno")
        })}
        ${input("next_number", t("Next number", "Número siguiente"), {
          inputMode: "numeric",
          hint: t(
            "Only if another system has used the numbers before it",
            "Solo si otro sistema ya usó los números anteriores"
          )
        })}
      </div>`
    )}
    ${section(
      "granted",
      t("Resolution data", "Datos de la resolución"),
      html`<p class="soft">
          ${t(
            "Only for invoices. You choose the ranges of notes yourself; they have no resolution.",
            "Solo para facturas. Usted elige los rangos de las notas; no tienen resolución."
          )}
        </p>
        <div class="fields">
          ${input("number", t("Resolution number", "Número de la resolución"), { inputMode: "numeric" })}
          ${input("from_number", t("First number", "Primer número"), { inputMode: "numeric" })}
          ${input("to_number", t("Last number", "Último número"), { inputMode: "numeric" })}
        </div>
        <div class="fields">
          ${input("valid_from", t("Valid from", "Vigente desde"), { type: "date" })}
          ${input("valid_to", t("Valid until", "Vigente hasta"), { type: "date" })}
        </div>
        ${input("technical_key", t("Technical key", "Clave técnica"), {
          hint: t(
            "The 40 characters that the authority shows with the range",
            "Los 40 caracteres que la DIAN muestra con el rango"
          ),
          isCode: true
        })}`
    )}`
  })}`
}
