/*
 * XML as text, written directly in canonical form (C14N 1.0), so that signatures cover the written bytes and Folio
 * needs no canonicalizer. Therefore no element is self-closing, attributes are in the order of their names, and only
 * the special characters in the canonical form's list are escaped.
 */

/** The beginning of a document in transit. The canonical form, and so the signature, does not cover this prolog. */
export const prolog = '<?xml version="1.0" encoding="UTF-8"?>'

// XML 1.0 cannot represent these characters. The API rejects them. In text from other sources they are removed here.
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

// Calls the string's own method, so that a value that is not a string, as in a corrupted row, throws and is not
// written.
const isPlain = (text: string) => text.search(special) === -1

/** Escapes text between two tags, and removes characters that XML 1.0 cannot represent. */
export const escaped = (text: string): string =>
  isPlain(text) ? text : written(text).replaceAll(/[&<>\r]/g, (character) => textEscapes[character] ?? "")

const escapedValue = (value: string): string =>
  isPlain(value) ? value : written(value).replaceAll(/[&<"\t\n\r]/g, (character) => attributeEscapes[character] ?? "")

/** An attribute with the space before it. */
export const attribute = (name: string, value: string): string => ` ${name}="${escapedValue(value)}"`

/** An element that contains elements. `content` is already XML. */
export const element = (name: string, ...content: ReadonlyArray<string>): string =>
  `<${name}>${content.join("")}</${name}>`

/** Like `element`, but an empty string without content. */
export const filled = (name: string, content: string): string => (content === "" ? "" : element(name, content))

/** An element with text, which is escaped. `attributes`: the results of `attribute`, in the order of their names. */
export const leaf = (name: string, text: string, attributes = ""): string =>
  `<${name}${attributes}>${escaped(text)}</${name}>`

/** Like `leaf`, but an empty string if the text is null, undefined or empty. */
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

/** Reverses the escaping of text and of attribute values. */
export const unescaped = (xml: string): string =>
  xml.includes("&") ? xml.replaceAll(/&[#a-zA-Z0-9]+;/g, (reference) => references[reference] ?? reference) : xml

/**
 * Text in CDATA sections, so that a document inside the text stays readable for people. Its canonical form is
 * `escaped`.
 */
export const cdata = (text: string): string => `<![CDATA[${written(text).replaceAll("]]>", "]]]]><![CDATA[>")}]]>`
