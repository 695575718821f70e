import { Marked } from "marked"
import * as Path from "node:path"
import { escape, type Html } from "./Html.ts"
import { pages } from "./Guides.ts"

const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\s-]/gu, "")
    .trim()
    .replaceAll(/\s+/g, "-")

/**
 * The address of a link in a guide. Links to other guides name their files, so that they also work in the repository.
 * Converts a file name to the address of its page. Undefined for a file that the service does not serve: its link
 * becomes text.
 */
const addressOf = (href: string, page: string, root: string): string | undefined => {
  if (/^(https?:|mailto:|#)/.test(href)) return href
  // Links to paths of the service itself.
  if (href.startsWith("/")) return root + href.slice(1)
  const [file = "", anchor] = href.split("#")
  // A page and its translation share one address.
  const name = Path.posix.join(Path.posix.dirname(page), file).replace(/^es\/|\.md$/g, "")
  const found = pages.find((one) => one.name === name)
  return found === undefined ? undefined : root + found.path.slice(1) + (anchor === undefined ? "" : `#${anchor}`)
}

/** A code block. Marks the comment lines of a shell block, which describe the output of the next command. */
const shown = (code: string, language: string) =>
  language === "sh" ? escape(code).replaceAll(/^# .*$/gm, '<span class="note">$&</span>') : escape(code)

/** Lets a narrow column break a name such as `folio_http_requests_total` between its words. */
const breakable = (cell: string) =>
  cell.replaceAll(
    /<code>(.*?)<\/code>/g,
    (_, name: string) => `<code>${name.replaceAll(/[_./](?=[\w{])/g, "$&<wbr>")}</code>`
  )

/** The id of each heading of a text, in order. */
const headingIds = (text: string): ReadonlyArray<string> => {
  const ids = new Set<string>()
  for (const token of new Marked().lexer(text)) {
    if (token.type !== "heading") continue
    const slug = slugOf(String(token["text"]))
    ids.add(ids.has(slug) ? `${slug}-${ids.size}` : slug)
  }
  return [...ids]
}

/**
 * Renders a guide as HTML. Shows HTML inside the text as text. `original`: the source of a translation, whose heading
 * ids the translation uses, so that links to headings work in every language.
 */
export const rendered = (text: string, page: string, root: string, original = text): Html => {
  const ids = headingIds(original)
  const tableLabel = page.startsWith("es/") ? "Tabla" : "Table"
  let headings = 0
  const marked = new Marked({
    renderer: {
      heading({ depth, tokens }) {
        return `<h${depth} id="${escape(ids[headings++] ?? "")}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      html: ({ text: markup }) => escape(markup),
      image: ({ text: alt }) => escape(alt),
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens)
        const address = addressOf(href, page, root)
        return address === undefined ? inner : `<a href="${escape(address)}">${inner}</a>`
      },
      code: ({ lang = "", text: code }) => `<div class="sample"><pre><code>${shown(code, lang)}</code></pre></div>\n`,
      table({ header, rows }) {
        const inner = ({ tokens }: (typeof header)[number]) => breakable(this.parser.parseInline(tokens))
        const titles = header.map(({ text: title }) => escape(title.replaceAll("`", "")))
        // In the list of a phone, the first cell is the heading of its row. It needs a title only if it is a figure.
        const titleOf = ({ text: cell }: (typeof header)[number], at: number) =>
          at > 0 || /^\d/.test(cell) ? ` data-title="${titles[at]}"` : ""
        const row = (cells: typeof header) =>
          cells.map((cell, at) => `<td role="cell"${titleOf(cell, at)}>${inner(cell)}</td>`).join("")
        const head = header.map((cell) => `<th role="columnheader">${inner(cell)}</th>`).join("")
        const body = rows.map((cells) => `<tr role="row">${row(cells)}</tr>`).join("")
        // A phone shows a table with more than two columns as a list, so its roles are explicit.
        const kind = header.length > 4 ? "table long many" : header.length > 2 ? "table long" : "table"
        return `<div class="${kind}" role="group" aria-label="${tableLabel}" tabindex="0"><table role="table"><thead role="rowgroup"><tr role="row">${head}</tr></thead><tbody role="rowgroup">${body}</tbody></table></div>\n`
      }
    }
  })
  return { markup: marked.parse(text, { async: false }) }
}
