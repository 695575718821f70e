import { unescaped } from "../../src/documents/ubl/Xml.ts"

/** An element of a parsed document. */
export interface XmlElement {
  readonly name: string
  /** The attributes as written, each after a space. */
  readonly attributes: string
  /** The content between the tags, still escaped; empty for an element that contains elements. */
  readonly text: string
  readonly children: ReadonlyArray<XmlElement>
}

interface Open {
  readonly name: string
  readonly attributes: string
  readonly children: Array<XmlElement>
  text: string
}

/**
 * Parses canonical XML: without comments, CDATA sections, self-closing elements, and text next to elements. Returns
 * null for any other text. An XML prolog may precede the root.
 */
export const parsedXml = (xml: string): XmlElement | null => {
  const stack: Array<Open> = []
  let at = xml.startsWith("<?xml ") ? xml.indexOf("?>") + 2 : 0
  while (xml[at] === "<") {
    const end = xml.indexOf(">", at)
    if (end === -1) return null
    const next = xml.indexOf("<", end)
    const top = stack.at(-1)
    if (xml[at + 1] === "/") {
      if (top === undefined || xml.slice(at + 2, end) !== top.name) return null
      stack.pop()
      const parent = stack.at(-1)
      if (parent === undefined) return end + 1 === xml.length ? top : null
      parent.children.push(top)
      if (next !== end + 1) return null
    } else {
      const tag = xml.slice(at + 1, end)
      const space = tag.indexOf(" ")
      const name = space === -1 ? tag : tag.slice(0, space)
      // Canonical UBL has no text next to elements and no tags that close themselves.
      if (next === -1 || tag.endsWith("/") || (top !== undefined && top.text !== "")) return null
      const text = xml.slice(end + 1, next)
      stack.push({ name, attributes: space === -1 ? "" : tag.slice(space), children: [], text })
    }
    at = next
  }
  return null
}

/** The elements called `name` directly within an element. */
export const all = (element: XmlElement | undefined, name: string): ReadonlyArray<XmlElement> =>
  element === undefined ? [] : element.children.filter((child) => child.name === name)

/** The first element at a path of names below an element; undefined if there is none. */
export const at = (element: XmlElement | undefined, ...path: ReadonlyArray<string>): XmlElement | undefined => {
  let found = element
  for (const name of path) {
    if (found === undefined) return undefined
    let next: XmlElement | undefined
    for (const child of found.children) {
      if (child.name !== name) continue
      next = child
      break
    }
    found = next
  }
  return found
}

/** The text of the first element at a path of names; undefined if there is none. */
export const textAt = (element: XmlElement | undefined, ...path: ReadonlyArray<string>): string | undefined => {
  const found = at(element, ...path)
  return found === undefined ? undefined : unescaped(found.text)
}

/** The value of an attribute; undefined if the element does not have the attribute. */
export const attributeOf = (element: XmlElement | undefined, name: string): string | undefined => {
  const start = ` ${name}="`
  const from = element?.attributes.indexOf(start) ?? -1
  if (element === undefined || from === -1) return undefined
  const value = from + start.length
  return unescaped(element.attributes.slice(value, element.attributes.indexOf('"', value)))
}
