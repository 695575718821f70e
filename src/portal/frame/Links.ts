import { type Html, html } from "../../http/pages/Html.ts"
import type { Visit } from "./Visit.ts"

const pages: Readonly<Record<string, string>> = {
  inv: "documents",
  cn: "documents",
  dn: "documents",
  cust: "customers",
  evt: "events",
  we: "endpoints",
  whd: "deliveries",
  req: "requests"
}

/** The path of the page about an object, by the prefix of its id; null for an object that has no page. */
export const pageOf = (id: string): string | null => {
  const page = pages[id.split("_")[0] ?? ""]
  return page !== undefined && /^\w+$/.test(id) ? `/portal/${page}/${id}` : null
}

/** The host of an address; a text that is no address with a host stays as it is. */
export const hostOf = (address: string): string => (URL.canParse(address) && new URL(address).host) || address

/** An id, as a link to the page of its object where there is one. */
export const idLink = ({ to }: Pick<Visit, "to">, id: string, words?: string): Html => {
  const page = pageOf(id)
  const shown = words === undefined ? html`<code>${id}</code>` : html`${words}`
  return page === null ? shown : html`<a href="${to(page)}">${shown}</a>`
}
