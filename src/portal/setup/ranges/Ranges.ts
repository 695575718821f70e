import { Clock, Effect, Layer } from "effect"
import type { Resolution, ResolutionImport } from "../../../../schemas/Resolution.ts"
import { type Html, html } from "../../../http/pages/Html.ts"
import type { Form } from "../../forms/SentForm.ts"
import { bodyOf, faultsOf } from "../../forms/FormBody.ts"
import { field, form, refusedForm } from "../../forms/FormFields.ts"
import { day, figure, time } from "../../frame/Formats.ts"
import type { Page } from "../../frame/PortalLayout.ts"
import { listed, listTable } from "../../frame/Lists.ts"
import { inCode, type Column, copied, emptyState, linkButton, notice, section, wideFacts } from "../../frame/Parts.ts"
import { orShown, type Refusal } from "../../frame/Refusal.ts"
import { change, page } from "../../frame/PortalRoutes.ts"
import type { Visit } from "../../frame/Visit.ts"
import { rangeBody, rangeForm } from "./RangeForm.ts"
import { rangeLeft, rangeName, rangeState, rangeTerm, warningWords } from "./RangeWords.ts"
import { setupPage, setupRoot } from "../SetupPage.ts"

const path = `${setupRoot}/ranges` as const

const listOf = ({ t }: Visit) => [path, t("Numbering ranges", "Rangos de numeración")] as const

const numbers = (t: Visit["t"], { document_type, from_number, next_number, to_number }: Resolution) =>
  document_type === "invoice" ? `${figure(t, from_number)} – ${figure(t, to_number)}` : `${figure(t, next_number)} …`

const columns = (visit: Visit, at: number): ReadonlyArray<Column<Resolution>> => {
  const { t, to } = visit
  return [
    {
      title: t("Range", "Rango"),
      cell: (range) => html`<a href="${to(`${path}/${range.id}`)}">${rangeName(t, range)}</a>`
    },
    { title: t("Numbers", "Números"), cell: (range) => numbers(t, range), isWide: true },
    { title: t("Left", "Disponibles"), cell: (range) => rangeLeft(t, range) },
    { title: t("Valid until", "Vigente hasta"), cell: (range) => rangeTerm(visit, range, at), isWide: true },
    { title: t("Status", "Estado"), cell: (range) => rangeState(t, range) }
  ]
}

const noRange = ({ t }: Visit): Html =>
  emptyState(
    t("No ranges yet", "Todavía no hay rangos"),
    t(
      "Folio can’t number invoices without a range. Register the range that the authority granted.",
      "Folio no puede numerar facturas sin un rango de numeración. Registre el rango que autorizó la DIAN."
    )
  )

const importing = (visit: Visit): Html | null => {
  const { session, t } = visit
  if (!session.principal.livemode) return null
  return section(
    "import",
    t("Import from authority", "Importar de la DIAN"),
    html`<p>
        ${t(
          "Folio reads the issuer’s ranges from the authority and registers the new ones. The import needs the issuer, the certificate and the software.",
          "Folio consulta en la DIAN los rangos de numeración del emisor y registra los nuevos. La importación necesita el emisor, el certificado y el software."
        )}
      </p>
      ${form(visit, { action: `${path}/import`, submit: t("Import ranges", "Importar rangos") })}`
  )
}

/** The result of an import: the ranges that Folio could not register, and the reasons. */
const imported = ({ t }: Visit, { data, skipped }: ResolutionImport): Html =>
  html`<p class="notice" role="status">
      ${t(
        `Import finished. Registered ranges: ${figure(t, data.length)}.`,
        `Importación terminada. Rangos registrados: ${figure(t, data.length)}.`
      )}
    </p>
    ${skipped.map(
      ({ message, number, prefix }) =>
        html`<div class="rule mild">
          <b>${t("Not registered", "Sin registrar")}: ${prefix} ${number}</b><span lang="en">${message}</span>
        </div>`
    )}`

const listPage = Effect.fnUntraced(function* (visit: Visit, result?: ResolutionImport, refusal?: Refusal) {
  const { may, t, to } = visit
  const list = yield* listed<Resolution>(visit, "/v1/resolutions", 50)
  const title = t("Numbering ranges", "Rangos de numeración")
  const now = yield* Clock.currentTimeMillis
  const actions = may("setup") ? linkButton(to(`${path}/new`), t("Register range", "Registrar rango"), "first") : null
  return setupPage(
    visit,
    title,
    t(
      "Folio numbers documents from these ranges, without gaps.",
      "Folio numera los documentos con estos rangos, sin saltos."
    ),
    [
      notice(visit, { registered: t("Range registered.", "Rango registrado.") }),
      refusedForm(visit, refusal, () => false),
      result === undefined ? null : imported(visit, result),
      section(
        "list",
        t("Ranges", "Rangos"),
        listTable(visit, path, list, { caption: title, columns: columns(visit, now), nothing: noRange(visit) })
      ),
      may("setup") ? importing(visit) : null
    ],
    { actions }
  )
})

const newPage = (visit: Visit, sent?: Form, refusal?: Refusal): Page => {
  const { t } = visit
  const about = t(
    "Enter the range exactly as the authority granted it. Documents show it permanently.",
    "Escriba el rango exactamente como lo autorizó la DIAN. Los documentos lo llevan para siempre."
  )
  const content = rangeForm(visit, `${path}/new`, sent, refusal)
  return setupPage(visit, t("Register range", "Registrar rango"), about, content, { list: listOf(visit) })
}

const rangeOfPath = ({ get, id }: Visit) => get<Resolution>(`/v1/resolutions/${id}`)

const switching = (visit: Visit, { id, is_active }: Resolution): Html => {
  const { t } = visit
  return section(
    "switch",
    is_active ? t("Deactivate", "Desactivar") : t("Activate", "Activar"),
    html`<p>
        ${
          is_active
            ? t(
                "Folio takes no more numbers from the range. You can activate the range again.",
                "Folio no toma más números de este rango. Puede activarlo de nuevo."
              )
            : t("Folio takes numbers from the range again.", "Folio vuelve a tomar números de este rango.")
        }
      </p>
      ${form(visit, {
        action: `${path}/${id}/change`,
        submit: is_active ? t("Deactivate range", "Desactivar rango") : t("Activate range", "Activar rango"),
        content: html`<input type="hidden" name="is_active" value="${is_active ? "false" : "true"}" />`
      })}`
  )
}

const extending = (visit: Visit, { id, valid_to }: Resolution, sent?: Form, refusal?: Refusal): Html | null => {
  const { t } = visit
  if (valid_to === undefined) return null
  const faults = faultsOf(refusal?.errors, ["valid_to"])
  return section(
    "extend",
    t("Validity", "Vigencia"),
    form(visit, {
      action: `${path}/${id}/change`,
      submit: t("Save last day", "Guardar último día"),
      content: field("valid_to", t("Valid until", "Vigente hasta"), {
        type: "date",
        value: sent?.text("valid_to") || valid_to,
        hint: t("If the authority extended the range", "Si la DIAN prorrogó el rango"),
        error: faults.of("valid_to")
      })
    })
  )
}

const rangePage = Effect.fnUntraced(function* (visit: Visit, range: Resolution, sent?: Form, refusal?: Refusal) {
  const { may, t } = visit
  const now = yield* Clock.currentTimeMillis
  const { created_at, id, next_number, number, technical_key, valid_from, warnings } = range
  const known = wideFacts([
    [t("Status", "Estado"), rangeState(t, range)],
    [t("Numbers", "Números"), numbers(t, range)],
    [t("Next number", "Número siguiente"), `${range.prefix}${next_number}`],
    [t("Left", "Disponibles"), rangeLeft(t, range)],
    [t("Valid from", "Vigente desde"), valid_from === undefined ? null : day(visit, valid_from)],
    [t("Valid until", "Vigente hasta"), rangeTerm(visit, range, now)],
    [t("Technical key", "Clave técnica"), inCode(technical_key)],
    [t("Registered", "Registrado"), time(visit, created_at)],
    [t("Id", "Id"), copied(visit, id)]
  ])
  return setupPage(
    visit,
    rangeName(t, range),
    number === undefined ? t("Own range", "Rango propio") : `${t("Resolution", "Resolución")} ${number}`,
    [
      notice(visit, { changed: t("Range changed.", "Rango actualizado.") }),
      refusedForm(visit, refusal, (param) => param === "valid_to"),
      warnings.map((warning) => html`<div class="rule mild">${warningWords(visit, range, warning.code, now)}</div>`),
      section("range", t("Range", "Rango"), known),
      may("setup") ? [extending(visit, range, sent, refusal), switching(visit, range)] : null
    ],
    { list: listOf(visit) }
  )
})

const ofPath = (visit: Visit) => Effect.flatMap(rangeOfPath(visit), (range) => rangePage(visit, range))

const changed = { is_active: { kind: "boolean" }, valid_to: {} } as const

/** The pages of the numbering ranges. */
export const layer = Layer.mergeAll(
  page(path, (visit) => listPage(visit)),
  page(`${path}/new`, (visit) => newPage(visit)),
  change(`${path}/new`, (visit, sent) =>
    visit.send("POST", "/v1/resolutions", rangeBody(sent), sent).pipe(
      Effect.as({ to: path, notice: "registered" }),
      orShown((refusal) => newPage(visit, sent, refusal))
    )
  ),
  page(`${path}/import`, (visit) => listPage(visit)),
  change(`${path}/import`, (visit, sent) =>
    visit.send<ResolutionImport>("POST", "/v1/resolutions/import", undefined, sent).pipe(
      Effect.flatMap((result) => listPage(visit, result)),
      orShown((refusal) => listPage(visit, undefined, refusal))
    )
  ),
  page(`${path}/:id`, ofPath),
  page(`${path}/:id/change`, ofPath),
  change(`${path}/:id/change`, (visit, sent) =>
    Effect.flatMap(rangeOfPath(visit), (range) =>
      visit.send("PATCH", `/v1/resolutions/${range.id}`, bodyOf(sent, changed), sent).pipe(
        Effect.as({ to: `${path}/${range.id}`, notice: "changed" }),
        orShown((refusal) => rangePage(visit, range, sent, refusal))
      )
    )
  )
)
