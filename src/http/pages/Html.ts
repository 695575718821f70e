/** A piece of a page that is markup already. `html` escapes everything else. */
export interface Html {
  readonly markup: string
}

/** What can be put into a page. */
export type Part = string | number | Html | null | ReadonlyArray<Part>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escape = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "")

const markupOf = (part: Part): string => {
  if (part === null) return ""
  if (typeof part === "string") return escape(part)
  if (typeof part === "number") return String(part)
  return "markup" in part ? part.markup : part.map(markupOf).join("")
}

/** A piece of a page. The values in it are escaped, unless they are pieces of a page themselves. */
export const html = (texts: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html => ({
  markup: texts.map((text, index) => text + markupOf(parts[index] ?? null)).join("")
})

/** A line of text in which backticks mark code, as in the descriptions of the OpenAPI document. */
export const words = (text: string): Html => ({ markup: escape(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>") })

/** Attributes of an element, by their names: `true` stands alone, and an undefined value leaves its attribute out. */
export const attributes = (values: Readonly<Record<string, string | boolean | undefined>>): Html => ({
  markup: Object.entries(values)
    .flatMap(([name, value]) =>
      value === undefined || value === false ? [] : [value === true ? name : `${name}="${escape(value)}"`]
    )
    .join(" ")
})
