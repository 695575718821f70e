import { attributes, type Html, html, type Part } from "../../http/pages/Html.ts"
import type { Visit } from "./Visit.ts"
import { hostOf } from "../../operations/rules/AccountFindings.ts"

/** The mark and the colour of a state. */
export type Tone = "ok" | "bad" | "wait" | "still"

/** A state: its mark and its words. */
export const state = (tone: Tone, words: string): Html => html`<span class="state ${tone}">${words}</span>`

/** The longest text that fits on one line of a phone. Ids fit; keys and CUFEs don't. */
const idLength = 36

/** An id, a key or a code with a copy button. The script shows the button only if the browser can copy. */
export const copied = ({ t }: Pick<Visit, "t">, value: string): Html =>
  html`<code class="${value.length > idLength ? "" : "whole"}">${value}</code>
    <button ${attributes({ type: "button", class: "copy", "data-copy": value, "data-done": t("Copied", "Copiado") })}>
      ${t("Copy", "Copiar")}
    </button>`

/** An id, or another text that programs read. Null if there is no text. */
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

/** The path of an object's page, by the prefix of its id. Null if the object has no page. */
export const pageOf = (id: string): string | null => {
  const page = pages[id.split("_")[0] ?? ""]
  return page !== undefined && /^\w+$/.test(id) ? `/portal/${page}/${id}` : null
}

/** An id. Links to the page of its object, if the object has a page. */
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

/** A list of names and values. Omits names without a value. */
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

/** Facts in a wide card: each value to the right of its name. */
export const wideFacts = (rows: Parameters<typeof facts>[0]): Html => html`<div class="left">${facts(rows)}</div>`

/** Two columns. `label` names the narrow column for screen readers. */
export const twoColumns = (wide: Part, narrow: Part, label?: string): Html =>
  html`<div class="grid">
    <div>${wide}</div>
    <aside ${attributes({ "aria-label": label })}>${narrow}</aside>
  </div>`

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => Html | string | null
  /** Aligns the column to the right. */
  readonly isFigure?: boolean
  /** Hides the column on a phone. */
  readonly isWide?: boolean
  /** Repeats the title in each row on a phone, which shows no table head: for values that need it. */
  readonly isNamed?: boolean
  /** Hides the title from the screen but not from screen readers: for a column of checkboxes. */
  readonly isUntitled?: boolean
}

const columnClass = <Row>({ isFigure, isWide }: Column<Row>) =>
  [isFigure === true ? "n" : "", isWide === true ? "wide" : ""].filter((each) => each !== "").join(" ")

const cellAttributes = <Row>(column: Column<Row>) =>
  attributes({ class: columnClass(column), "data-title": column.isNamed === true ? column.title : undefined })

/** A table. `caption` names it for screen readers. */
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
              ${columns.map((column) => html`<td ${cellAttributes(column)}>${column.cell(row)}</td>`)}
            </tr>`
        )}
      </tbody>
    </table>
  </div>`

/** The text of an empty list or page: a title and the next step. */
export const emptyState = (title: string, content: Part): Html =>
  html`<div class="empty">
    <b>${title}</b>
    <p>${content}</p>
  </div>`

/** A link that looks like a button. */
export const linkButton = (href: string, words: string, kind: "" | "first" = ""): Html =>
  html`<a class="b ${kind}" href="${href}">${words}</a>`

/** The button back to the platform that opened the session. Null without a page to return to. */
export const returnLink = ({ session: { return_url }, t }: Pick<Visit, "session" | "t">): Html | null => {
  if (return_url === null) return null
  const words = t(`Back to ${hostOf(return_url)}`, `Volver a ${hostOf(return_url)}`)
  return html`<a class="b" href="${return_url}" hx-boost="false">${words}</a>`
}

/** A link to a file. The browser fetches the file without htmx. */
export const fileLink = (href: string, words: string): Html =>
  html`<a class="b" href="${href}" hx-boost="false">${words}</a>`

/**
 * The attributes of a page part that reloads itself until the page no longer sets them. `query`: the query parameters
 * to keep.
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

/** The notice after a change, by its name in the page's query. Unknown names show no notice. */
export const notice = ({ query }: Pick<Visit, "query">, words: Readonly<Record<string, string>>): Html => {
  const name = query.get("notice") ?? ""
  return Object.hasOwn(words, name)
    ? html`<p class="notice" role="status" data-notice="${name}">${words[name] ?? ""}</p>`
    : html``
}
