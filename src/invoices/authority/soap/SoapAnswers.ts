import { Result } from "effect"
import { XMLParser } from "fast-xml-parser"
import { namespaces } from "./WsSecurity.ts"

/**
 * An XML element with its namespace resolved. `text` is the value of an element without children; null if `nil` is
 * true.
 */
export interface XmlElement {
  readonly name: string
  readonly namespace: string
  /** By their names as written. */
  readonly attributes: Readonly<Record<string, string>>
  readonly children: ReadonlyArray<XmlElement>
  readonly text: string | null
}

/** The fields of an operation's result as received, by local name: a text, null, or the texts of a list. */
export type SoapFields = Readonly<Record<string, string | null | ReadonlyArray<string>>>

const depthMax = 64
const predefined: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" }

// The parser processes no entities: `parseXml` rejects documents that define entities, and `decoded` resolves the
// predefined ones.
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "",
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  cdataPropName: "#cdata",
  maxNestedTags: depthMax
})

const characterOf = (code: number) => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd")

const decoded = (text: string) =>
  text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex?: string, decimal?: string, name = "") =>
    hex !== undefined
      ? characterOf(Number.parseInt(hex, 16))
      : decimal !== undefined
        ? characterOf(Number(decimal))
        : (predefined[name as string] ?? whole)
  )

type Node = Readonly<Record<string, unknown>>

const nodesOf = (value: unknown) => (Array.isArray(value) ? (value as ReadonlyArray<Node>) : [])

const tagOf = (node: Node) => Object.keys(node).find((key) => key !== ":@") ?? ""

const elementOf = (node: Node, outer: Readonly<Record<string, string>>): XmlElement => {
  const tag = tagOf(node)
  const attributes = Object.entries((node[":@"] ?? {}) as Readonly<Record<string, string>>)
  const declared = attributes.flatMap(([name, value]) => {
    if (name === "xmlns") return [["", decoded(value)] as const]
    return name.startsWith("xmlns:") ? [[name.slice(6), decoded(value)] as const] : []
  })
  const scope = { ...outer, ...Object.fromEntries(declared) }
  const [local = "", prefix = ""] = tag.split(":").toReversed()
  const inner = nodesOf(node[tag])
  const texts = inner.flatMap((child) => {
    if ("#text" in child) return [decoded(String(child["#text"]))]
    return nodesOf(child["#cdata"]).map((part) => String(part["#text"]))
  })
  const isNil = attributes.some(([name, value]) => /(^|:)nil$/.test(name) && value === "true")
  return {
    name: local,
    namespace: scope[prefix] ?? "",
    attributes: Object.fromEntries(attributes.map(([name, value]) => [name, decoded(String(value))])),
    children: inner.filter((child) => !tagOf(child).startsWith("#")).map((child) => elementOf(child, scope)),
    text: isNil ? null : texts.join("")
  }
}

/**
 * Parses a document to its root element. Fails with a description of the fault. Rejects a document type declaration
 * before parsing.
 */
export const parseXml = (text: string): Result.Result<XmlElement, string> => {
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) return Result.fail("an XML document with a document type declaration")
  return Result.try({
    try: () => {
      const roots = nodesOf(parser.parse(text, true)).filter((node) => !tagOf(node).startsWith("#"))
      if (roots.length !== 1) throw new Error("one root is needed")
      return elementOf(roots[0]!, {})
    },
    catch: () => "no XML document"
  })
}

export const childOf = (element: XmlElement | undefined, name: string, namespace?: string) =>
  element?.children.find((child) => child.name === name && (namespace === undefined || child.namespace === namespace))

/** A response that is not the operation's result. */
export interface NoResult {
  /**
   * Set for a fault of the sender, whose message was not processed. `security`: the message's signature or time.
   * `certificate`: no specific reason, which is the authority's response to an untrusted certificate.
   */
  readonly blames: "sender" | "security" | "certificate" | null
  /** A description of the response, of at most 300 characters. */
  readonly message: string
}

const noResult = (message: string): NoResult => ({ blames: null, message })

const localName = (name: string | null | undefined) => name?.trim().split(":").at(-1) ?? ""

// SOAP 1.2 names the sender `Sender`. The authority also writes `Client`, the name in SOAP 1.1.
const faultOf = (fault: XmlElement): NoResult => {
  const code = childOf(fault, "Code")
  const value = childOf(code, "Value")?.text
  const subcode = childOf(childOf(code, "Subcode"), "Value")?.text
  const reason = childOf(childOf(fault, "Reason"), "Text")?.text ?? "no reason given"
  const isSenders = ["Sender", "Client"].includes(localName(value))
  const isOfSecurity =
    /^(Invalid|Failed|Unsupported|Message)?(Security|SecurityToken|Authentication|Check|Expired)/.test(
      localName(subcode)
    )
  return {
    blames: isOfSecurity ? "security" : isSenders ? (subcode === undefined ? "certificate" : "sender") : null,
    message: `a fault (${subcode ?? value ?? "no code"}): ${reason}`.slice(0, 300)
  }
}

/** The result element of an operation in a SOAP response. Fails with a description of any other response. */
export const resultOf = (text: string, operation: string): Result.Result<XmlElement, NoResult> =>
  Result.flatMap(Result.mapError(parseXml(text), noResult), (root) => {
    if (root.name !== "Envelope" || root.namespace !== namespaces.soap) {
      return Result.fail(noResult(root.name.toLowerCase() === "html" ? "an HTML page" : "no SOAP 1.2 envelope"))
    }
    const body = childOf(root, "Body", namespaces.soap)
    const fault = childOf(body, "Fault", namespaces.soap)
    if (fault !== undefined) return Result.fail(faultOf(fault))
    const response = childOf(body, `${operation}Response`, namespaces.service)
    const result = childOf(response, `${operation}Result`, namespaces.service)
    return result === undefined ? Result.fail(noResult(`no ${operation}Result of its service`)) : Result.succeed(result)
  })

/** The fields of a result as received. A field with child elements is the list of their texts. */
export const fieldsOf = (result: XmlElement): SoapFields =>
  Object.fromEntries(
    result.children.map(({ children, name, text }) => [
      name,
      children.length > 0 || name === "ErrorMessage"
        ? children.flatMap((child) => (child.text === null ? [] : [child.text]))
        : text
    ])
  )

/** The trimmed text of a field; empty if the field is absent, nil or a list. */
export const textField = (fields: SoapFields, name: string): string => {
  const value = fields[name]
  return typeof value === "string" ? value.trim() : ""
}
