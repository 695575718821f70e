/** A heading of a page with the text below it, up to the next heading. */
export interface Section {
  readonly depth: number
  /** The id in the address of the section. Undefined for the title of the page. */
  readonly anchor: string | undefined
  readonly heading: string
  readonly text: string
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" }

const textOf = (markup: string) =>
  markup
    // An inline element is inside a word or next to punctuation, so only other elements separate words.
    .replaceAll(/<\/?(a|b|code|em|strong|wbr)\b[^>]*>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => entities[name] ?? "")
    .replaceAll(/\s+/g, " ")
    .trim()

/** The title of a page and its headings with an id. */
export const sectionsOf = (markup: string): ReadonlyArray<Section> =>
  markup.split(/(?=<h1\b|<h[2-4] id=")/).flatMap((part) => {
    const found = /^<h(\d)(?: id="([^"]*)")?[^>]*>(.*?)<\/h\d>/s.exec(part)
    if (found === null) return []
    const [whole, depth, id, inner = ""] = found
    // A heading that links to its own section has the address of the section.
    const [, own = id] = /^\s*<a href="#([^"]*)"/.exec(inner) ?? []
    const anchor = depth === "1" ? undefined : own
    return [{ depth: Number(depth), anchor, heading: textOf(inner), text: textOf(part.slice(whole.length)) }]
  })
