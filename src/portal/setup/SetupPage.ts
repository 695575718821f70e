import { Effect } from "effect"
import type { Account } from "../../../schemas/Account.ts"
import { type Html, html, type Part } from "../../http/pages/Html.ts"
import type { SentFile } from "../forms/Multipart.ts"
import type { Form } from "../forms/SentForm.ts"
import { type Page, titled } from "../frame/Layout.ts"
import { section } from "../frame/Parts.ts"
import { refusedField, type Refusal } from "../frame/Refusal.ts"
import type { Visit } from "../frame/Visit.ts"

/** The path of the first page of the setup, below which the others are. */
export const setupRoot = "/portal/setup"

interface Besides {
  /** Buttons beside the title. */
  readonly actions?: Html | null
  /** The list that the page is of one thing of: its path and its name. */
  readonly list?: readonly [path: string, name: string]
}

/** A page of the setup below the first one, with the way back. */
export const setupPage = (
  { t, to }: Visit,
  title: string,
  sub: string,
  content: Part,
  { actions = null, list }: Besides = {}
): Page => {
  const above = html`<p class="soft">
    <a href="${to(setupRoot)}">${t("Setup", "Ajustes")}</a> ›
    ${list === undefined ? null : html`<a href="${to(list[0])}">${list[1]}</a> ›`}
  </p>`
  return titled("setup", { title, sub, actions, above }, content)
}

/** The account of the session, in its mode. */
export const readAccount = ({ get }: Visit) => get<Account>("/v1/account")

/** Builds a page of what the account and the visit say. */
export const ofAccount = (build: (visit: Visit, account: Account) => Page) => (visit: Visit) =>
  Effect.map(readAccount(visit), (account) => build(visit, account))

/** What a page says in test mode of something that belongs to live mode. */
export const liveOnly = ({ t }: Visit, id: string, words: string): Html =>
  section(
    id,
    t("In live mode", "En producción"),
    html`<p>${words}</p>
      <p class="soft">
        ${t("To set it, open the portal with a live key.", "Para definirlo, abra el portal con una clave de producción.")}
      </p>`
  )

/** The file of a form. Fails without one, and for one that the API would not read to its end: `most` bytes. */
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
