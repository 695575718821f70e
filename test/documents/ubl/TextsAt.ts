import { parsed } from "../signature/Canonical.ts"

const namespaces = {
  cac: "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2",
  cbc: "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2",
  sts: "dian:gov:co:facturaelectronica:Structures-2-1"
}

/** The texts at a path, of elements or attributes, as another library reads them. */
export const textsAt = (xml: string, path: string): ReadonlyArray<string> => {
  const document = parsed(xml)
  try {
    return document.find(path, namespaces).map(({ content }) => content)
  } finally {
    document.dispose()
  }
}
