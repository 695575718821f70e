import { Effect } from "effect"
import type { Account } from "../../../schemas/Account.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import type { Page } from "../frame/Layout.ts"
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
  about: string,
  content: Html,
  { actions = null, list }: Besides = {}
): Page => ({
  title,
  current: "setup",
  content: html`<p class="soft">
      <a href="${to(setupRoot)}">${t("Setup", "Ajustes")}</a> ›
      ${list === undefined ? null : html`<a href="${to(list[0])}">${list[1]}</a> ›`}
    </p>
    <div class="head">
      <div>
        <h1>${title}</h1>
        <p class="sub">${about}</p>
      </div>
      ${actions === null ? null : html`<div class="do">${actions}</div>`}
    </div>
    ${content}`
})

/** The account of the session, in its mode. */
export const readAccount = ({ get }: Visit) => get<Account>("/v1/account")

/** Builds a page of what the account and the visit say. */
export const ofAccount = (build: (visit: Visit, account: Account) => Page) => (visit: Visit) =>
  Effect.map(readAccount(visit), (account) => build(visit, account))

/** What is said in test mode of something that belongs to live mode. */
export const liveOnly = ({ t }: Visit, words: string): Html =>
  html`<p>${words}</p>
    <p class="soft">
      ${t("To set it, open the portal with a live key.", "Para definirlo, abra el portal con una clave de producción.")}
    </p>`
