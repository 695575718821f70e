import { Effect, Layer, Option } from "effect"
import type { Account } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { Platforms } from "../../accounts/store/Platforms.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { addressFields, identityFields, partyBody, partyNames, partyShape, taxFields } from "../customers/PartyForm.ts"
import { identificationWords } from "../customers/PartyWords.ts"
import { faultsOf, firstOf, type FormShape, noFaults, sentValues, type ShownForm, valuesOf } from "../forms/FormBody.ts"
import { action, form, inputsOf, refusedForm } from "../forms/FormFields.ts"
import type { Form } from "../forms/SentForm.ts"
import { time } from "../frame/Formats.ts"
import { type Page, titled } from "../frame/PortalLayout.ts"
import { copied, notice, section, wideFacts } from "../frame/Parts.ts"
import { change, page } from "../frame/PortalRoutes.ts"
import { orShown, type Refusal } from "../frame/Refusal.ts"
import type { Visit } from "../frame/Visit.ts"
import { vatChoices } from "../setup/issuer/Issuer.ts"
import { needsOfAccount } from "./AccountNeeds.ts"
import { type Reads } from "./Fleet.ts"
import { accountsPath, needsPart, openButton, readyPart, statusPart } from "./FleetPage.ts"

const above = ({ t, to }: Visit): Html =>
  html`<p class="soft"><a href="${to("/portal")}">${t("Accounts", "Cuentas")}</a> ›</p>`

const shape: FormShape = {
  ...partyShape("omit", true),
  name: { empty: "omit" },
  vat_responsible: { kind: "boolean", empty: "omit" }
}
const names = [...partyNames, "name", "vat_responsible"]

/** The form of a new account. Its default is a company in Colombia. */
const blank: ShownForm = {
  values: valuesOf({
    identification: { type: "31" },
    organization_type: "1",
    country_code: "CO",
    tax_responsibilities: ["R-99-PN"]
  }),
  faults: noFaults
}

const newPage = (visit: Visit, shown: ShownForm, refusal?: Refusal): Page => {
  const { session, t } = visit
  const input = inputsOf(shown)
  const title = t("Create account", "Crear cuenta")
  const sub = session.principal.livemode
    ? t(
        "The issuer, as in the tax register. It applies to live and test mode.",
        "El emisor, como aparece en el RUT. Se aplica a producción y al modo de pruebas."
      )
    : t("The issuer in test mode, as in the tax register.", "El emisor en el modo de pruebas, como aparece en el RUT.")
  return titled(
    "home",
    { title, sub, above: above(visit) },
    refusedForm(visit, refusal, shown.faults.isNamed),
    form(visit, {
      action: `${accountsPath}/new`,
      submit: title,
      kind: "first",
      content: [
        section("who", t("Identification", "Identificación"), identityFields(visit, shown)),
        section("where", t("Contact", "Contacto"), addressFields(visit, shown)),
        section(
          "taxes",
          t("Taxes", "Impuestos"),
          input("vat_responsible", t("Charges IVA", "Responsable de IVA"), {
            choices: vatChoices(visit, firstOf(shown.values, "vat_responsible"))
          }),
          taxFields(visit, shown)
        ),
        section(
          "account",
          t("Account", "Cuenta"),
          input("name", t("Account name", "Nombre de la cuenta"), {
            hint: t("If empty, the legal name", "Si está vacío, la razón social")
          })
        )
      ]
    })
  )
}

const create = (visit: Visit, sent: Form) =>
  visit.send<Account>("POST", "/v1/accounts", partyBody(sent, shape), sent).pipe(
    Effect.map(({ id }) => ({ to: `${accountsPath}/${id}`, notice: "created" })),
    orShown((refusal) => newPage(visit, { values: sentValues(sent), faults: faultsOf(refusal.errors, names) }, refusal))
  )

/** A change of the status that needs a reason, behind a summary. */
const reasoned = (
  visit: Visit,
  { id }: Account,
  of: {
    readonly name: "suspend" | "close"
    readonly summary: string
    readonly warning: string
    readonly submit: string
    readonly refused?: { readonly sent: Form; readonly refusal: Refusal } | undefined
  }
): Html => {
  const { name, refused, submit, summary, warning } = of
  const shown = {
    values: refused === undefined ? new Map<string, ReadonlyArray<string>>() : sentValues(refused.sent),
    faults: faultsOf(refused?.refusal.errors, ["reason"])
  }
  const content = form(visit, {
    action: `${accountsPath}/${id}/${name}`,
    submit,
    kind: "danger",
    content: inputsOf(shown)("reason", visit.t("Reason", "Motivo"), {
      isRequired: true,
      hint: visit.t("The account and its portal show the reason.", "La cuenta y su portal muestran el motivo.")
    })
  })
  return refused === undefined
    ? html`<details>
        <summary>${summary}</summary>
        <p>${warning}</p>
        ${content}
      </details>`
    : html`<p>${warning}</p>
        ${content}`
}

type Refused = { readonly name: string; readonly sent: Form; readonly refusal: Refusal }

const statusForms = (visit: Visit, account: Account, refused: Refused | undefined): Html | null => {
  const { may, t } = visit
  if (!may("setup") || account.status === "closed") return null
  const of = (name: "suspend" | "close") => (refused?.name === name ? refused : undefined)
  const suspension =
    account.status === "suspended"
      ? action(visit, {
          action: `${accountsPath}/${account.id}/resume`,
          submit: t("Resume account", "Reactivar cuenta")
        })
      : reasoned(visit, account, {
          name: "suspend",
          summary: t("Suspend account…", "Suspender cuenta…"),
          warning: t(
            "The account then cannot create customers or documents. Documents in progress, reads and deliveries continue.",
            "Después la cuenta no puede crear clientes ni documentos. Los documentos en curso, las lecturas y las entregas continúan."
          ),
          submit: t("Suspend now", "Suspender ahora"),
          refused: of("suspend")
        })
  return section(
    "change",
    t("Change status", "Cambiar estado"),
    suspension,
    reasoned(visit, account, {
      name: "close",
      summary: t("Close account…", "Cerrar cuenta…"),
      warning: t(
        "The account can then change nothing. Its documents stay readable. You can’t undo this.",
        "Después la cuenta no puede cambiar nada. Sus documentos se pueden seguir leyendo. No se puede deshacer."
      ),
      submit: t("Close now", "Cerrar ahora"),
      refused: of("close")
    })
  )
}

/** Makes the pages of one account of a platform. */
const makePages = (reads: Reads, platforms: Platforms["Service"]) => {
  const accountPage = Effect.fnUntraced(function* (visit: Visit, refused?: Refused) {
    const { id, session, t } = visit
    const acting = yield* platforms.actFor(session.principal, id)
    if (Option.isNone(acting)) return yield* ApiError.missing("account", id)
    const found = yield* reads.one(visit, acting.value.account_id)
    const { account } = found
    const needs = needsOfAccount(visit, found)
    return titled(
      "home",
      { title: account.name, above: above(visit), actions: openButton(visit, id) },
      notice(visit, {
        created: t("Account created.", "Cuenta creada."),
        suspended: t("Account suspended.", "Cuenta suspendida."),
        resumed: t("Account resumed.", "Cuenta reactivada."),
        closed: t("Account closed.", "Cuenta cerrada.")
      }),
      refusedForm(visit, refused?.refusal, (param) => param === "reason"),
      section(
        "facts",
        t("Account", "Cuenta"),
        wideFacts([
          [t("Legal name", "Razón social"), account.legal_name],
          [
            t("Identification", "Identificación"),
            account.identification === null ? null : identificationWords(visit, account.identification)
          ],
          [t("Status", "Estado"), statusPart(visit, account)],
          [t("Live", "Producción"), readyPart(visit, account)],
          [t("Needs", "Requiere"), needsPart(visit, needs)],
          [t("Created", "Creada"), time(visit, account.created_at)],
          [t("Id", "Id"), copied(visit, account.id)]
        ])
      ),
      statusForms(visit, account, refused)
    )
  })
  const changed = (name: "suspend" | "resume" | "close", word: string) =>
    change(`${accountsPath}/:id/${name}`, (visit: Visit, sent: Form) => {
      const body = name === "resume" ? undefined : { reason: sent.text("reason") }
      return visit.send("POST", `/v1/accounts/${visit.id}/${name}`, body, sent).pipe(
        Effect.as({ to: `${accountsPath}/${visit.id}`, notice: word }),
        orShown((refusal) => accountPage(visit, { name, sent, refusal }))
      )
    })
  return Layer.mergeAll(
    page(`${accountsPath}/new`, (visit) => newPage(visit, blank)),
    change(`${accountsPath}/new`, create),
    page(`${accountsPath}/:id`, (visit) => accountPage(visit)),
    changed("suspend", "suspended"),
    changed("resume", "resumed"),
    changed("close", "closed")
  )
}

/** The pages of a platform's accounts. */
export const makeLayer = (reads: Reads) =>
  Layer.unwrap(Effect.map(Platforms, (platforms) => makePages(reads, platforms)))
