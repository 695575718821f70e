import { Arbitrary, Effect } from "effect"
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { ParseOption, XmlDocument, XmlElement, XsdValidator } from "libxml2-wasm"
import { xmlRegisterFsInputProviders } from "libxml2-wasm/lib/nodejs.mjs"
import { applicationResponse } from "../../../src/documents/email/ApplicationResponse.ts"
import { attachedDocument } from "../../../src/documents/email/AttachedDocument.ts"
import { signDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { runFinding, say } from "../../support/processes/CommandLine.ts"
import { parsed } from "../signature/Canonical.ts"
import { answered, certificate, documents, examples, ofLength, software } from "../Documents.ts"
import { fullDocuments } from "./FullDocuments.ts"

/**
 * Validates documents of all kinds against the schemas of UBL 2.1 and of the authority's extension. Exits with 1 if a
 * document is not valid.
 *
 *   npm run xsd -- <folder>
 *
 * The folder is the content of os-UBL-2.1/xsd from OASIS (`maindoc` and `common`), with the authority's
 * DIAN_UBL_Structures.xsd in `maindoc`. The project does not contain these files.
 */
const folder = process.argv[2]
const generated = 200

const namespaces = {
  ds: "http://www.w3.org/2000/09/xmldsig#",
  sts: "dian:gov:co:facturaelectronica:Structures-2-1",
  xades: "http://uri.etsi.org/01903/v1.3.2#"
}

// The authority's schema uses this attribute for the type of an identification. Its annex, examples and rules use it
// for the check digit, and schemeName for the type.
const isKnown = /(ProviderID|AuthorizationProviderID)', attribute 'schemeID': \[facet 'enumeration'\]/

const schema = (...path: ReadonlyArray<string>) => {
  const file = Path.resolve(folder ?? ".", ...path)
  return XsdValidator.fromDoc(
    XmlDocument.fromBuffer(readFileSync(file), { url: file, option: ParseOption.XML_PARSE_NONET })
  )
}

const schemas = () => ({
  documents: new Map(
    ["Invoice", "CreditNote", "DebitNote", "AttachedDocument", "ApplicationResponse"].map((root) => [
      root,
      schema("maindoc", `UBL-${root}-2.1.xsd`)
    ])
  ),
  // UBL allows any content in an extension. That content has schemas of its own.
  parts: [
    ["//sts:DianExtensions", schema("maindoc", "DIAN_UBL_Structures.xsd")],
    ["//ds:Signature", schema("common", "UBL-xmldsig-core-schema-2.1.xsd")],
    ["//xades:QualifyingProperties", schema("common", "UBL-XAdESv132-2.1.xsd")]
  ] as const
})

const validate = ({ documents: whole, parts }: ReturnType<typeof schemas>, xml: string): ReadonlyArray<string> => {
  const findings: Array<string> = []
  const attempt = (what: string, run: () => void) => {
    try {
      run()
    } catch (cause) {
      const messages = (cause instanceof Error ? cause.message : String(cause)).split("\n")
      findings.push(
        ...messages
          .filter((message) => message !== "" && !isKnown.test(message))
          .map((message) => `${what}: ${message}`)
      )
    }
  }
  const document = parsed(xml)
  const root = document.root.name
  attempt(root, () => whole.get(root)!.validate(document))
  for (const [path, validator] of parts) {
    for (const node of document.find(path, namespaces)) {
      if (node instanceof XmlElement) attempt(path, () => validator.validate(node))
    }
  }
  document.dispose()
  return findings
}

/** The document before its signature. UBL requires an element in the place of the signature. */
const unsigned = (xml: string) => xml.replace(/<ds:Signature .*?<\/ds:Signature>/s, '<place xmlns="urn:place"></place>')

runFinding(
  Effect.gen(function* () {
    if (folder === undefined) return ["name the folder that holds the schemas"]
    xmlRegisterFsInputProviders()
    const known = schemas()
    const one = yield* certificate
    const findings: Array<string> = []
    const counts = new Map<string, number>()
    const check = (name: string, bytes: Uint8Array) => {
      const xml = Buffer.from(bytes).toString()
      const root = /^(?:<\?xml[^>]*>)?<(\w+)/.exec(xml)?.[1] ?? ""
      counts.set(root, (counts.get(root) ?? 0) + 1)
      findings.push(...validate(known, xml).map((finding) => `${name}: ${finding}`))
    }
    const checkAll = Effect.fnUntraced(function* (name: string, document: (typeof examples)[string]) {
      const signed = yield* signDocument(document, software, one)
      check(name, signed)
      const accepted = answered(document, signed)
      check(`${name}, answered`, accepted.applicationResponse)
      check(`${name}, attached`, yield* attachedDocument(accepted, software, one))
      check(`${name}, unsigned`, Buffer.from(unsigned(Buffer.from(signed).toString())))
    })
    for (const [name, document] of Object.entries({ ...examples, ...fullDocuments })) {
      yield* checkAll(name, document)
      yield* checkAll(`${name} of 500 lines`, ofLength(document, 500))
    }
    const refusal = { rule: "FAK24", severity: "rejection", message: "DV", path: null, hint: null } as const
    const refused = { accepted: false, errors: [refusal, refusal], notifications: [] }
    check("refused", applicationResponse(examples["sale"]!, refused, 0))
    const some = yield* Arbitrary.sampleEffect(documents, { count: generated, seed: "xsd" })
    for (const [index, document] of some.entries()) yield* checkAll(`generated ${index}`, document)
    for (const [root, count] of counts) say(`${count}\t${root}`)
    for (const finding of findings.slice(0, 20)) say(finding)
    return findings
  })
)
