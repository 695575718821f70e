/*
 * XML as text, written in its canonical form (C14N 1.0): what is signed are the very bytes, and nobody needs a
 * canonicaliser. So no element closes itself, attributes stand in the order of their names, and of the special characters
 * just those are escaped that the form names.
 */

// XML 1.0 has no way to write these; the interface refuses them, and whatever else brings them loses them here.
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g
const special = /[&<>"\t\n\r\u0000-\u001f\ufffe\uffff]/

const textEscapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;" }
const attributeEscapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  '"': "&quot;",
  "\t": "&#x9;",
  "\n": "&#xA;",
  "\r": "&#xD;"
}

const written = (text: string) => text.toWellFormed().replaceAll(unwritable, "")

// Searched by the text itself, so that what is no text, in a row that somebody has spoiled, throws and is not written.
const isPlain = (text: string) => text.search(special) === -1

/** Text between two tags. */
export const escaped = (text: string): string =>
  isPlain(text) ? text : written(text).replaceAll(/[&<>\r]/g, (character) => textEscapes[character] ?? "")

const escapedValue = (value: string): string =>
  isPlain(value) ? value : written(value).replaceAll(/[&<"\t\n\r]/g, (character) => attributeEscapes[character] ?? "")

/** An attribute with the space before it. */
export const attribute = (name: string, value: string): string => ` ${name}="${escapedValue(value)}"`

/** An element that holds elements, which are XML already. */
export const element = (name: string, ...content: ReadonlyArray<string>): string =>
  `<${name}>${content.join("")}</${name}>`

/** An element that holds text. `attributes` is XML already: spaces first, in the order of their names. */
export const leaf = (name: string, text: string, attributes = ""): string =>
  `<${name}${attributes}>${escaped(text)}</${name}>`

/** `leaf`, or nothing where there is no text. */
export const optional = (name: string, text: string | null | undefined, attributes = ""): string =>
  text === undefined || text === null || text === "" ? "" : leaf(name, text, attributes)

const references: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x9;": "\t",
  "&#xA;": "\n",
  "&#xD;": "\r"
}

/** The text that was escaped. */
export const unescaped = (xml: string): string =>
  xml.includes("&") ? xml.replaceAll(/&[#a-zA-Z0-9]+;/g, (reference) => references[reference] ?? reference) : xml

/** Text that may hold whole documents, written so that people can read them; the canonical form of it is `escaped`. */
export const cdata = (text: string): string => `<![CDATA[${written(text).replaceAll("]]>", "]]]]><![CDATA[>")}]]>`
