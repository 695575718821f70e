import { attributes, type Html, html, type Part } from "../../http/pages/Html.ts"
import type { Visit } from "./Visit.ts"

/** How a state looks: a mark and a colour, beside its words. */
export type Tone = "ok" | "bad" | "wait" | "still"

/** A state in words, with its mark. */
export const state = (tone: Tone, words: string): Html => html`<span class="state ${tone}">${words}</span>`

/** The longest text that stays on one line, on a phone as well: an id is not longer, a key and a CUFE are. */
const idLength = 36

/** An id, a key or a code with a button that copies it. The script of the pages shows the button where the browser can copy. */
export const copied = ({ t }: Pick<Visit, "t">, value: string): Html =>
  html`<code class="${value.length > idLength ? "" : "whole"}">${value}</code>
    <button ${attributes({ type: "button", class: "copy", "data-copy": value, "data-done": t("Copied", "Copiado") })}>
      ${t("Copy", "Copiar")}
    </button>`

/** An id or another text that programs read; null for none. */
export const inCode = (text: string | null | undefined): Html | null =>
  text === null || text === undefined ? null : html`<code>${text}</code>`

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

/** A card of a page, with its title. */
export const section = (id: string, title: string, ...content: ReadonlyArray<Part>): Html =>
  html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`

/** Facts with their names. Those without a value are left out. */
export const facts = (rows: ReadonlyArray<readonly [name: string, value: Html | string | null | undefined]>): Html =>
  html`<dl>
    ${rows.flatMap(([name, value]) =>
      value === null || value === undefined || value === ""
        ? []
        : [
            html`<dt>${name}</dt>
              <dd>${value}</dd>`
          ]
    )}
  </dl>`

/** Facts in a wide card, where they stand beside their names. */
export const wideFacts = (rows: Parameters<typeof facts>[0]): Html => html`<div class="left">${facts(rows)}</div>`

/** Two columns. `label` names the narrow one for those who do not see the page. */
export const twoColumns = (wide: Part, narrow: Part, label?: string): Html =>
  html`<div class="grid">
    <div>${wide}</div>
    <aside ${attributes({ "aria-label": label })}>${narrow}</aside>
  </div>`

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => Html | string | null
  /** Figures stand on the right. */
  readonly isFigure?: boolean
  /** Not shown on a phone. */
  readonly isWide?: boolean
  /** Whether only those who do not see the table are told the title, as of a column of boxes to tick. */
  readonly isUntitled?: boolean
}

const columnClass = <Row>({ isFigure, isWide }: Column<Row>) =>
  [isFigure === true ? "n" : "", isWide === true ? "wide" : ""].filter((each) => each !== "").join(" ")

/** A table. `caption` names it for those who do not see it. */
export const table = <Row>(caption: string, columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>): Html =>
  html`<div class="table" tabindex="0" role="group" aria-label="${caption}">
    <table>
      <thead>
        <tr>
          ${columns.map(
            (column) =>
              html`<th scope="col" class="${columnClass(column)}">
                ${column.isUntitled === true ? html`<span class="skip">${column.title}</span>` : column.title}
              </th>`
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${columns.map((column) => html`<td class="${columnClass(column)}">${column.cell(row)}</td>`)}
            </tr>`
        )}
      </tbody>
    </table>
  </div>`

/** What is said where there is nothing yet, with what to do. */
export const emptyState = (title: string, content: Part): Html =>
  html`<div class="empty">
    <b>${title}</b>
    <p>${content}</p>
  </div>`

/** A link that looks like a button. */
export const linkButton = (href: string, words: string, kind: "" | "first" = ""): Html =>
  html`<a class="b ${kind}" href="${href}">${words}</a>`

/** A link to a file, which the browser fetches itself. */
export const fileLink = (href: string, words: string): Html =>
  html`<a class="b" href="${href}" hx-boost="false">${words}</a>`

/**
 * The attributes of a part of a page that asks for itself again, until the page has it without them. `query`: what the address of the page
 * keeps.
 */
export const polling = (
  { path, to }: Pick<Visit, "path" | "to">,
  id: string,
  seconds: number,
  query?: Parameters<Visit["to"]>[1]
): Html =>
  attributes({
    "hx-get": to(path, query),
    "hx-trigger": `every ${seconds}s`,
    "hx-select": `#${id}`,
    "hx-target": "this",
    "hx-swap": "outerHTML"
  })

/** The words of a notice, by its name in the query of the page, after a change. Names that are not known say nothing. */
export const notice = ({ query }: Pick<Visit, "query">, words: Readonly<Record<string, string>>): Html => {
  const name = query.get("notice") ?? ""
  return Object.hasOwn(words, name)
    ? html`<p class="notice" role="status" data-notice="${name}">${words[name] ?? ""}</p>`
    : html``
}
