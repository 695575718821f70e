import { ParseOption, XmlDocument } from "libxml2-wasm"

/** The document, parsed by an independent library. Throws if the document is not well-formed. */
export const parsed = (xml: string): XmlDocument =>
  XmlDocument.fromString(xml, { option: ParseOption.XML_PARSE_NONET | ParseOption.XML_PARSE_HUGE })

/** The document's canonical form (C14N 1.0). Disposes of the document. */
export const canonical = (document: XmlDocument): string => {
  try {
    return document.canonicalizeToString()
  } finally {
    document.dispose()
  }
}
