import { type Html, html } from "../../http/pages/Html.ts"
import { faultsOf, noFaults } from "../forms/FormBody.ts"
import { inputs } from "../forms/FormFields.ts"
import { linkButton } from "../frame/Parts.ts"
import type { Refusal } from "../frame/Refusal.ts"
import type { Visit } from "../frame/Visit.ts"
import { identificationChoices } from "./PartyWords.ts"

const names = ["name", "type", "number", "email", "metadata"] as const

type Reader = Pick<Visit, "query">

const typed = ({ query }: Reader, name: string) => (query.get(name) ?? "").trim()

/** Whether the page's query is a search. */
export const isSearch = (visit: Reader): boolean => names.some((name) => name !== "type" && typed(visit, name) !== "")

/** A number in the API's form. Removes the dots and the check digit of a NIT. */
const plainNumber = (type: string, number: string) =>
  type === "31" ? number.replaceAll(/[.\s]/g, "").replace(/-\d$/, "") : number.replaceAll(/[.\s]/g, "")

/** Converts a search to the query of the API's list. */
export const searchQuery = (visit: Reader): Record<string, string | undefined> => {
  const type = typed(visit, "type") || "31"
  const number = plainNumber(type, typed(visit, "number"))
  const pair = typed(visit, "metadata")
  const at = pair.indexOf("=")
  const [key, value] = at === -1 ? [pair, ""] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
  return {
    name: typed(visit, "name"),
    email: typed(visit, "email"),
    ...(number === "" ? {} : { "identification[type]": type, "identification[number]": number }),
    ...(key === "" ? {} : { [`metadata[${key}]`]: value })
  }
}

/** The search form. */
export const searchForm = (visit: Visit, refusal?: Refusal): Html => {
  const { t, to } = visit
  const errors = (refusal?.errors ?? []).map(({ message, param }) => ({
    message,
    param: /^identification\[(\w+)\]$/.exec(param)?.[1] ?? param.replace(/^metadata.*/s, "metadata")
  }))
  const faults = refusal === undefined ? noFaults : faultsOf(errors, names)
  const input = inputs((name) => typed(visit, name), faults.of)
  return html`<form class="filters" method="get" action="${to("/portal/customers")}" role="search">
    ${input("name", t("Name", "Nombre"), { type: "search" })}
    ${input("type", t("Identification", "Identificación"), {
      value: typed(visit, "type") || "31",
      choices: identificationChoices(visit)
    })}
    ${input("number", t("Number", "Número"))} ${input("email", t("Email", "Correo"))}
    ${input("metadata", t("Metadata (key=value)", "Dato propio (clave=valor)"))}
    <div class="do">
      <button>${t("Search", "Buscar")}</button>
      ${isSearch(visit) ? linkButton(to("/portal/customers"), t("Show all", "Ver todo")) : null}
    </div>
  </form>`
}
