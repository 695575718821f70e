import { ParseOption, XmlDocument } from "libxml2-wasm"

/** The document, read by a library that knows nothing of how it was written. Throws when it is not well-formed. */
export const parsed = (xml: string): XmlDocument =>
  XmlDocument.fromString(xml, { option: ParseOption.XML_PARSE_NONET | ParseOption.XML_PARSE_HUGE })

/** Its canonical form (C14N 1.0). The document is given back to the library. */
export const canonical = (document: XmlDocument): string => {
  try {
    return document.canonicalizeToString()
  } finally {
    document.dispose()
  }
}
