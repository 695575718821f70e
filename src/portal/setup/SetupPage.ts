import { Effect } from "effect"
import type { Account } from "../../../schemas/Account.ts"
import { type Html, html, type Part } from "../../http/pages/Html.ts"
import type { SentFile } from "../forms/Multipart.ts"
import type { Form } from "../forms/SentForm.ts"
import { type Page, titled } from "../frame/PortalLayout.ts"
import { section } from "../frame/Parts.ts"
import { refusedField, type Refusal } from "../frame/Refusal.ts"
import type { Visit } from "../frame/Visit.ts"

/** The path of the setup overview. The other setup pages are below it. */
export const setupRoot = "/portal/setup"

interface Besides {
  /** Buttons next to the title. */
  readonly actions?: Html | null
  /** The list that holds the page's object: its path and its name. */
  readonly list?: readonly [path: string, name: string]
}

/** A setup page with links back to the overview. */
export const setupPage = (
  { isPlatform, t, to }: Visit,
  title: string,
  sub: string,
  content: Part,
  { actions = null, list }: Besides = {}
): Page => {
  // A platform has no overview: its menu has these pages.
  const above = html`<p class="soft">
    ${isPlatform ? null : html`<a href="${to(setupRoot)}">${t("Setup", "Ajustes")}</a> ›`}
    ${list === undefined ? null : html`<a href="${to(list[0])}">${list[1]}</a> ›`}
  </p>`
  return titled("setup", { title, sub, actions, above }, content)
}

/** The account and mode of the session. */
export const readAccount = ({ get }: Visit) => get<Account>("/v1/account")

/** Builds a page from the account and the visit. */
export const ofAccount = (build: (visit: Visit, account: Account) => Page) => (visit: Visit) =>
  Effect.map(readAccount(visit), (account) => build(visit, account))

/** The text of a live-mode page in test mode. */
export const liveOnly = ({ t }: Visit, id: string, words: string): Html =>
  section(
    id,
    t("In live mode", "En producción"),
    html`<p>${words}</p>
      <p class="soft">
        ${t("To set it, open the portal with a live key.", "Para definirlo, abra el portal con una clave de producción.")}
      </p>`
  )

/** The file of a form. Fails without a file, and for a file of more than `most` bytes, the API's limit. */
export const fileIn = (
  sent: Form,
  name: string,
  most: number,
  words: { readonly none: string; readonly tooLarge: string }
): Effect.Effect<SentFile, Refusal> => {
  const file = sent.file(name)
  if (file === undefined || (file.bytes.length === 0 && !file.isTooLarge))
    return Effect.fail(refusedField(name, words.none))
  return file.isTooLarge || file.bytes.length > most
    ? Effect.fail(refusedField(name, words.tooLarge))
    : Effect.succeed(file)
}
