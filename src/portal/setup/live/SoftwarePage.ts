import { Effect, Layer } from "effect"
import type { Account } from "../../../../schemas/Account.ts"
import { type Html, html } from "../../../http/pages/Html.ts"
import type { Form } from "../../forms/SentForm.ts"
import { bodyOf, faultsOf } from "../../forms/FormBody.ts"
import { form, inputs, refusedForm, warned } from "../../forms/FormFields.ts"
import { time } from "../../frame/Formats.ts"
import type { Page } from "../../frame/PortalLayout.ts"
import { inCode, notice, section, wideFacts } from "../../frame/Parts.ts"
import { orShown, type Refusal } from "../../frame/Refusal.ts"
import { change, page } from "../../frame/PortalRoutes.ts"
import type { Visit } from "../../frame/Visit.ts"
import { liveOnly, ofAccount, readAccount, setupPage, setupRoot } from "../SetupPage.ts"

const path = `${setupRoot}/software` as const
const shape = { id: {}, pin: { kind: "raw" }, provider_nit: { empty: "omit" } } as const

const current = (visit: Visit, { software }: Account): Html => {
  const { t } = visit
  if (software === null) {
    return html`<p>
      ${t(
        "Live documents name the software of this service, if the operator has set it.",
        "Los documentos de producción llevan el software de este servicio, si el operador lo definió."
      )}
    </p>`
  }
  return wideFacts([
    [t("Software", "Software"), inCode(software.id)],
    [t("Provider", "Proveedor"), software.provider_nit ?? t("Issuer", "Emisor")],
    [t("Saved", "Guardado"), time(visit, software.set_at)],
    ["PIN", t("Stored, never shown", "Guardado, nunca se muestra")]
  ])
}

const softwareForm = (visit: Visit, sent: Form | undefined, refusal: Refusal | undefined): Html => {
  const { t } = visit
  const input = inputs((name) => sent?.text(name) ?? "", faultsOf(refusal?.errors, Object.keys(shape)).of)
  return form(visit, {
    action: path,
    submit: t("Save software", "Guardar software"),
    kind: "first",
    content: html`${input("id", t("Software id", "Identificador del software"), {
        isCode: true,
        isRequired: true,
        hint: t("36 characters, as the authority shows it", "36 caracteres, como lo muestra la DIAN")
      })}
      <div class="fields">
        ${input("pin", t("PIN", "PIN"), {
          type: "password",
          isRequired: true,
          hint: t("The PIN that you chose at the registration", "El PIN que eligió al registrar el software")
        })}
        ${input("provider_nit", t("Provider NIT", "NIT del proveedor"), {
          hint: t("Empty for your own software", "Vacío si el software es propio")
        })}
      </div>`
  })
}

const removal = (visit: Visit): Html => {
  const { t } = visit
  return warned(
    visit,
    t("Use service software…", "Usar software del servicio…"),
    t(
      "Documents numbered from then on name the service’s software. In the authority’s portal, associate your ranges with that software.",
      "Los documentos que se numeren desde entonces llevan el software del servicio. En el portal de la DIAN, asocie sus rangos de numeración con ese software."
    ),
    { action: `${path}/remove`, submit: t("Remove software", "Quitar software") }
  )
}

const setting = (visit: Visit, { software }: Account, sent?: Form, refusal?: Refusal) => {
  const { t } = visit
  const title = software === null ? t("Own software", "Software propio") : t("Change software", "Cambiar software")
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
    t("The software that you registered with the authority", "El software que registró ante la DIAN"),
    session.principal.livemode
      ? [
          notice(visit, {
            saved: t("Software saved.", "Software guardado."),
            removed: t("Software removed.", "Software quitado.")
          }),
          refusedForm(visit, refusal, (param) => Object.hasOwn(shape, param)),
          section("software", t("Software", "Software"), current(visit, account)),
          may("setup") ? setting(visit, account, sent, refusal) : null
        ]
      : liveOnly(visit, "software", ofTest)
  )
}

/** The software page. */
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
