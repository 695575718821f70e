import { Effect, Layer } from "effect"
import type { Account } from "../../../../schemas/Account.ts"
import { type Html, html } from "../../../http/pages/Html.ts"
import type { Form } from "../../forms/SentForm.ts"
import { bodyOf, faultsOf } from "../../forms/FormBody.ts"
import { time } from "../../frame/Formats.ts"
import { field, form, refusedForm } from "../../forms/Fields.ts"
import type { Page } from "../../frame/Layout.ts"
import { facts, notice, section } from "../../frame/Parts.ts"
import { orShown, type Refusal } from "../../frame/Refusal.ts"
import { change, page } from "../../frame/Routes.ts"
import type { Visit } from "../../frame/Visit.ts"
import { liveOnly, ofAccount, readAccount, setupPage, setupRoot } from "../SetupPage.ts"

const path = `${setupRoot}/software` as const
const shape = { id: {}, pin: { kind: "raw" }, provider_nit: { empty: "omit" } } as const

const current = (visit: Visit, { software }: Account): Html => {
  const { t } = visit
  if (software === null) {
    return html`<p>
      ${t(
        "Live documents name the software of this service, if its operator has set one.",
        "Los documentos reales nombran el software de este servicio, si su operador definió uno."
      )}
    </p>`
  }
  return html`<div class="left">
    ${facts([
      [t("Software", "Software"), html`<code>${software.id}</code>`],
      [t("Provider", "Proveedor"), software.provider_nit ?? t("The issuer itself", "El propio emisor")],
      [t("Set", "Definido"), time(visit, software.set_at)],
      ["PIN", t("Stored, never shown", "Guardado, nunca se muestra")]
    ])}
  </div>`
}

const softwareForm = (visit: Visit, sent: Form | undefined, refusal: Refusal | undefined): Html => {
  const { t } = visit
  const faults = faultsOf(refusal?.errors, Object.keys(shape))
  return form(visit, {
    action: path,
    submit: t("Set the software", "Definir el software"),
    kind: "first",
    content: html`${field({
        name: "id",
        label: t("Id of the software", "Identificador del software"),
        value: sent?.text("id") ?? "",
        isCode: true,
        isRequired: true,
        hint: t("36 characters, as the authority shows it", "36 caracteres, como lo muestra la DIAN"),
        error: faults.of("id")
      })}
      <div class="fields">
        ${field({
          name: "pin",
          label: t("PIN", "PIN"),
          type: "password",
          isRequired: true,
          hint: t("Chosen when the software was registered", "El que se eligió al registrar el software"),
          error: faults.of("pin")
        })}
        ${field({
          name: "provider_nit",
          label: t("NIT of the provider", "NIT del proveedor"),
          value: sent?.text("provider_nit") ?? "",
          hint: t("Empty if it is your own software", "Vacío si el software es propio"),
          error: faults.of("provider_nit")
        })}
      </div>`
  })
}

const removal = (visit: Visit): Html => {
  const { t } = visit
  return html`<details>
    <summary>${t("Go back to the software of the service…", "Volver al software del servicio…")}</summary>
    <p>
      ${t(
        "Documents that are numbered from then on name it. Your ranges must be associated with it at the authority.",
        "Los documentos que se numeren desde entonces lo nombran. Sus rangos de numeración deben estar asociados a él en la DIAN."
      )}
    </p>
    ${form(visit, {
      action: `${path}/remove`,
      submit: t("Remove my software", "Quitar mi software"),
      kind: "danger",
      content: html``
    })}
  </details>`
}

const softwarePage = (visit: Visit, account: Account, sent?: Form, refusal?: Refusal): Page => {
  const { may, session, t } = visit
  const names: ReadonlyArray<string> = Object.keys(shape)
  return setupPage(
    visit,
    t("Software and PIN", "Software y PIN"),
    t("What you have registered with the authority to issue with", "Lo que registró en la DIAN para facturar"),
    session.principal.livemode
      ? html`${notice(visit, {
          saved: t("The software was set.", "El software quedó definido."),
          removed: t("The software was removed.", "El software se quitó.")
        })}
        ${refusedForm(visit, refusal, (param) => names.includes(param))}
        ${section("software", t("Software", "Software"), current(visit, account))}
        ${
          may("setup")
            ? html`${section(
                "set",
                account.software === null ? t("Set your own", "Definir el propio") : t("Set another", "Definir otro"),
                softwareForm(visit, sent, refusal)
              )}
              ${account.software === null ? null : removal(visit)}`
            : null
        }`
      : section(
          "software",
          t("In live mode", "En producción"),
          liveOnly(
            visit,
            t("Test documents need no software of your own.", "Los documentos de prueba no necesitan software propio.")
          )
        )
  )
}

/** The page of the software. */
export const layer = Layer.mergeAll(
  page(
    path,
    ofAccount((visit, account) => softwarePage(visit, account))
  ),
  change(path, (visit, sent) =>
    Effect.gen(function* () {
      const account = yield* readAccount(visit)
      return yield* visit.send("PUT", "/v1/account/software", bodyOf(sent, shape), sent).pipe(
        Effect.as({ to: path, notice: "saved" }),
        orShown((refusal) => softwarePage(visit, account, sent, refusal))
      )
    })
  ),
  change(`${path}/remove`, ({ send }) =>
    Effect.gen(function* () {
      yield* send("DELETE", "/v1/account/software")
      return { to: path, notice: "removed" }
    })
  )
)
