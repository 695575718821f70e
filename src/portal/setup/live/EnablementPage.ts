import { Effect, Layer } from "effect"
import type { Enablement } from "../../../../schemas/Enablement.ts"
import { attributes, type Html, html } from "../../../http/pages/Html.ts"
import type { Form } from "../../forms/SentForm.ts"
import { bodyOf, faultsOf, type FormShape, type FormValues, sentValues, valuesOf } from "../../forms/FormBody.ts"
import { form, inputsOf, refusedForm } from "../../forms/FormFields.ts"
import { section } from "../../frame/Parts.ts"
import { orNull, orShown, type Refusal } from "../../frame/Refusal.ts"
import { change, page } from "../../frame/PortalRoutes.ts"
import type { Visit } from "../../frame/Visit.ts"
import { progress } from "./EnablementWords.ts"
import { liveOnly, setupPage, setupRoot } from "../SetupPage.ts"

const path = `${setupRoot}/enablement` as const

const omitted = { empty: "omit" } as const
const figures = { kind: "number", empty: "omit" } as const

const shape: FormShape = {
  test_set_id: {},
  invoices: { kind: "number" },
  credit_notes: { kind: "number" },
  debit_notes: { kind: "number" },
  "range.number": omitted,
  "range.prefix": omitted,
  "range.from_number": figures,
  "range.to_number": figures,
  "range.valid_from": omitted,
  "range.valid_to": omitted,
  "range.technical_key": omitted
}
const names = Object.keys(shape)

/** The usual size of a test set. */
const usual = valuesOf({ invoices: 30, credit_notes: 10, debit_notes: 10 })

/** The values to resume a failed test set. */
const valuesAgain = ({ credit_notes, debit_notes, invoices, range, test_set_id }: Enablement): FormValues =>
  valuesOf({
    test_set_id,
    invoices: invoices.wanted,
    credit_notes: credit_notes.wanted,
    debit_notes: debit_notes.wanted,
    range
  })

const startForm = (visit: Visit, values: FormValues, submit: string, refusal: Refusal | undefined): Html => {
  const { t } = visit
  const faults = faultsOf(refusal?.errors, names)
  const input = inputsOf({ faults, values })
  const isOpen = names.some((name) => name.startsWith("range.") && faults.of(name) !== undefined)
  return form(visit, {
    action: path,
    submit,
    kind: "first",
    content: html`${input("test_set_id", t("Test set id", "Identificador del set"), {
        isCode: true,
        isRequired: true,
        hint: t("TestSetId in the authority’s portal", "TestSetId en el portal de la DIAN")
      })}
      <div class="fields">
        ${input("invoices", t("Invoices", "Facturas"), { inputMode: "numeric", isRequired: true })}
        ${input("credit_notes", t("Credit notes", "Notas crédito"), { inputMode: "numeric", isRequired: true })}
        ${input("debit_notes", t("Debit notes", "Notas débito"), { inputMode: "numeric", isRequired: true })}
      </div>
      <div class="field">
        <details ${attributes({ open: isOpen })}>
          <summary>
            ${t("Other test range (default: SETP 990000000)", "Otro rango de pruebas (predeterminado: SETP 990000000)")}
          </summary>
          <div class="fields">
            ${input("range.prefix", t("Prefix", "Prefijo"))}
            ${input("range.number", t("Resolution number", "Número de la resolución"))}
            ${input("range.from_number", t("First number", "Primer número"), { inputMode: "numeric" })}
            ${input("range.to_number", t("Last number", "Último número"), { inputMode: "numeric" })}
            ${input("range.valid_from", t("Valid from", "Vigente desde"), { type: "date" })}
            ${input("range.valid_to", t("Valid until", "Vigente hasta"), { type: "date" })}
          </div>
          ${input("range.technical_key", t("Technical key", "Clave técnica"), { isCode: true })}
        </details>
      </div>`
  })
}

const starting = (visit: Visit, known: Enablement | null, sent?: Form, refusal?: Refusal): Html | null => {
  const { may, t } = visit
  if (!may("setup") || (known !== null && known.status !== "failed" && refusal === undefined)) return null
  const values = sent === undefined ? (known === null ? usual : valuesAgain(known)) : sentValues(sent)
  return known?.status === "failed"
    ? section(
        "again",
        t("Fix and resume", "Corregir y reanudar"),
        startForm(visit, values, t("Resume test set", "Reanudar set"), refusal)
      )
    : section(
        "start",
        t("Start test set", "Iniciar set"),
        html`<p>
            ${t(
              "Folio creates the documents, signs them with your certificate and software, transmits them to the authority’s test environment and reads the outcomes. Folio uses none of your numbers and sends no emails.",
              "Folio crea los documentos, los firma con su certificado y su software, los transmite al ambiente de habilitación de la DIAN y lee los resultados. Folio no usa sus números ni envía correos."
            )}
          </p>
          ${startForm(visit, values, t("Start test set", "Iniciar set"), refusal)}`
      )
}

const enablementPage = Effect.fnUntraced(function* (visit: Visit, sent?: Form, refusal?: Refusal) {
  const { get, session, t } = visit
  const title = t("Enablement", "Habilitación")
  const about = t(
    "The authority’s test set. Every issuer must pass it before the first live document.",
    "El set de pruebas de la DIAN. Todo emisor debe superarlo antes de facturar."
  )
  if (!session.principal.livemode) {
    const ofTest = t(
      "Enablement is part of live mode. It shows the authority that the issuer’s documents are valid.",
      "La habilitación es una parte de producción. Demuestra a la DIAN que los documentos del emisor son válidos."
    )
    return setupPage(visit, title, about, liveOnly(visit, "live", ofTest))
  }
  const known = yield* orNull(get<Enablement>("/v1/account/enablement"), 404)
  return setupPage(visit, title, about, [
    refusedForm(visit, refusal, faultsOf(refusal?.errors, names).isNamed),
    known === null ? null : progress(visit, path, known),
    starting(visit, known, sent, refusal)
  ])
})

/** The enablement page. */
export const layer = Layer.mergeAll(
  page(path, (visit) => enablementPage(visit)),
  change(path, (visit, sent) =>
    visit.send("POST", "/v1/account/enablement", bodyOf(sent, shape), sent).pipe(
      Effect.as({ to: path }),
      orShown((refusal) => enablementPage(visit, sent, refusal))
    )
  )
)
