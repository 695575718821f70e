import { Effect, Layer } from "effect"
import type { Account } from "../../../../schemas/Account.ts"
import { type Html, html } from "../../../http/pages/Html.ts"
import type { Form } from "../../forms/SentForm.ts"
import { bodyOf, faultsOf } from "../../forms/FormBody.ts"
import { form, inputs, refusedForm, warned } from "../../forms/Fields.ts"
import { time } from "../../frame/Formats.ts"
import type { Page } from "../../frame/Layout.ts"
import { inCode, notice, section, wideFacts } from "../../frame/Parts.ts"
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
  return wideFacts([
    [t("Software", "Software"), inCode(software.id)],
    [t("Provider", "Proveedor"), software.provider_nit ?? t("The issuer itself", "El propio emisor")],
    [t("Set", "Definido"), time(visit, software.set_at)],
    ["PIN", t("Stored, never shown", "Guardado, nunca se muestra")]
  ])
}

const softwareForm = (visit: Visit, sent: Form | undefined, refusal: Refusal | undefined): Html => {
  const { t } = visit
  const input = inputs((name) => sent?.text(name) ?? "", faultsOf(refusal?.errors, Object.keys(shape)).of)
  return form(visit, {
    action: path,
    submit: t("Set the software", "Definir el software"),
    kind: "first",
    content: html`${input("id", t("Id of the software", "Identificador del software"), {
        isCode: true,
        isRequired: true,
        hint: t("36 characters, as the authority shows it", "36 caracteres, como lo muestra la DIAN")
      })}
      <div class="fields">
        ${input("pin", t("PIN", "PIN"), {
          type: "password",
          isRequired: true,
          hint: t("Chosen when the software was registered", "El que se eligió al registrar el software")
        })}
        ${input("provider_nit", t("NIT of the provider", "NIT del proveedor"), {
          hint: t("Empty if it is your own software", "Vacío si el software es propio")
        })}
      </div>`
  })
}

const removal = (visit: Visit): Html => {
  const { t } = visit
  return warned(
    visit,
    t("Go back to the software of the service…", "Volver al software del servicio…"),
    t(
      "Documents that are numbered from then on name it. Your ranges must be associated with it at the authority.",
      "Los documentos que se numeren desde entonces lo nombran. Sus rangos de numeración deben estar asociados a él en la DIAN."
    ),
    { action: `${path}/remove`, submit: t("Remove my software", "Quitar mi software") }
  )
}

const setting = (visit: Visit, { software }: Account, sent?: Form, refusal?: Refusal) => {
  const { t } = visit
  const title = software === null ? t("Set your own", "Definir el propio") : t("Set another", "Definir otro")
  return [section("set", title, softwareForm(visit, sent, refusal)), software === null ? null : removal(visit)]
}

const softwarePage = (visit: Visit, account: Account, sent?: Form, refusal?: Refusal): Page => {
  const { may, session, t } = visit
  const ofTest = t(
    "Test documents need no software of your own.",
    "Los documentos de prueba no necesitan software propio."
  )
  return setupPage(
    visit,
    t("Software and PIN", "Software y PIN"),
    t("What you have registered with the authority to issue with", "Lo que registró en la DIAN para facturar"),
    session.principal.livemode
      ? [
          notice(visit, {
            saved: t("The software was set.", "El software quedó definido."),
            removed: t("The software was removed.", "El software se quitó.")
          }),
          refusedForm(visit, refusal, (param) => Object.hasOwn(shape, param)),
          section("software", t("Software", "Software"), current(visit, account)),
          may("setup") ? setting(visit, account, sent, refusal) : null
        ]
      : liveOnly(visit, "software", ofTest)
  )
}

/** The page of the software. */
export const layer = Layer.mergeAll(
  page(
    path,
    ofAccount((visit, account) => softwarePage(visit, account))
  ),
  change(path, (visit, sent) =>
    Effect.flatMap(readAccount(visit), (account) =>
      visit.send("PUT", "/v1/account/software", bodyOf(sent, shape), sent).pipe(
        Effect.as({ to: path, notice: "saved" }),
        orShown((refusal) => softwarePage(visit, account, sent, refusal))
      )
    )
  ),
  change(`${path}/remove`, ({ send }) =>
    Effect.as(send("DELETE", "/v1/account/software"), { to: path, notice: "removed" })
  )
)
