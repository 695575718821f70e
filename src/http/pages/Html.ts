/** A piece of markup. `html` escapes all other values. */
export interface Html {
  readonly markup: string
}

/** A value in a page. */
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

/** Makes a piece of markup. Escapes its values, except other pieces of markup. */
export const html = (texts: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html => ({
  markup: texts.map((text, index) => text + markupOf(parts[index] ?? null)).join("")
})

/** A line of text with code in backticks, as in OpenAPI descriptions. */
export const words = (text: string): Html => ({ markup: escape(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>") })

/** The attributes of an element. `true` writes the name alone. Omits attributes with an undefined or false value. */
export const attributes = (values: Readonly<Record<string, string | boolean | undefined>>): Html => ({
  markup: Object.entries(values)
    .flatMap(([name, value]) =>
      value === undefined || value === false ? [] : [value === true ? name : `${name}="${escape(value)}"`]
    )
    .join(" ")
})
