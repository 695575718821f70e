import { assert } from "@effect/vitest"

const plain = (markup: string) =>
  markup
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")

const attribute = (tag: string, name: string) => {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? undefined : plain(value)
}

/** The first selected option, or else the first. */
const chosen = (options: string) =>
  /<option value="([^"]*)" selected/.exec(options)?.[1] ?? /<option value="([^"]*)"/.exec(options)?.[1] ?? ""

const isSent = (tag: string) =>
  attribute(tag, "type") === "checkbox" ? / checked/.test(tag) : attribute(tag, "type") !== "file"

/**
 * All fields of the form whose URL ends with `action`, as a browser sends them without input. Fails if the page has no
 * such form.
 */
export const untouched = (page: string, action: string): URLSearchParams => {
  const found = [...page.matchAll(/<form method="post" action="([^"]*)"[^>]*>([^]*?)<\/form>/g)].find(
    ([, address = ""]) => address.endsWith(action)
  )
  assert.isDefined(found, `the page has a form for ${action}`)
  const fields = new URLSearchParams()
  const controls = (found?.[2] ?? "").matchAll(/<input\b([^>]*)>|<(select|textarea)\b([^>]*)>([^]*?)<\/\2>/g)
  for (const [, input, tag, others = "", inside = ""] of controls) {
    if (input !== undefined) {
      if (isSent(input)) fields.append(attribute(input, "name") ?? "", attribute(input, "value") ?? "")
    } else {
      // A browser drops the first line break of a text, and ends its lines with CR LF.
      const value = tag === "select" ? chosen(inside) : inside.replace(/^\n/, "").replaceAll("\n", "\r\n")
      fields.append(attribute(others, "name") ?? "", plain(value))
    }
  }
  return fields
}

/** The message next to a field, as text; undefined without one. `name`: the field's name in its id. */
export const beside = (page: string, name: string): string | undefined => {
  const [, message] = new RegExp(`id="field-${name}-error"[^>]*>([^<]*)<`).exec(page) ?? []
  return message === undefined ? undefined : plain(message).trim()
}

/** A form with a file, as a browser sends it; without `bytes` no file was chosen. */
export const withFile = (
  fields: Readonly<Record<string, string>>,
  field: string,
  bytes?: Uint8Array<ArrayBuffer>,
  fileName = "file"
): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  if (bytes !== undefined) form.append(field, new Blob([bytes]), fileName)
  return form
}
