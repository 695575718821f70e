import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { applicationResponse } from "../../../src/documents/email/ApplicationResponse.ts"
import { attachedDocument } from "../../../src/documents/email/AttachedDocument.ts"
import { signDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { answered, certificate, documents, examples, ofLength, software } from "../Documents.ts"
import { fullDocuments } from "./FullDocuments.ts"
import { sequences } from "./UblSequences.ts"
import { it } from "../../support/Tests.ts"

/** The allowed children of an element, as an expression over their names, each followed by a space. */
const allowed = new Map(
  Object.entries(sequences).map(([name, sequence]) => {
    const parts = sequence.split(" ").map((part) => {
      const [, child = "", mark = ""] = /^(.*?)([?*+]?)$/.exec(part) ?? []
      return `(?:${child} )${mark}`
    })
    return [name, new RegExp(`^${parts.join("")}$`)]
  })
)

/** Elements with children that UBL does not allow, or in another order or number. Ignores the signature. */
const misplaced = (xml: string): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const open: Array<{ readonly name: string; children: string; text: string }> = []
  const plain = xml
    .replace(/^<\?xml[^>]*>/, "")
    .replace(/<ds:Signature .*?<\/ds:Signature>/s, "")
    .replaceAll(/<!\[CDATA\[.*?\]\]>/gs, "text")
  for (const [, closes, name = "", after = ""] of plain.matchAll(/<(\/?)([\w:]+)[^>]*>([^<]*)/g)) {
    const top = open.at(-1)
    if (closes === "") {
      if (top !== undefined) top.children += `${name} `
      open.push({ name, children: "", text: after })
      continue
    }
    open.pop()
    const sequence = allowed.get(name)
    if (top?.name !== name) faults.push(`</${name}> closes <${top?.name}>`)
    else if (name === "ext:ExtensionContent") continue
    else if (sequence === undefined ? top.children !== "" : !sequence.test(top.children)) {
      faults.push(`${name}: ${top.children}`)
    } else if (sequence === undefined && top.text === "") faults.push(`${name} is empty`)
    if (after !== "") faults.push(`text behind ${name}`)
  }
  if (open.length > 0) faults.push("not all is closed")
  return faults
}

const wellOrdered = (bytes: Uint8Array, name: string) =>
  assert.deepStrictEqual(misplaced(Buffer.from(bytes).toString()), [], name)

const rejection = { rule: "FAK24", severity: "rejection", message: "DV", path: null, hint: null } as const

describe("Documents", () => {
  it.effect("keep the sequences in all kinds, with one line and with 500", function* () {
    const one = yield* certificate
    for (const [name, document] of Object.entries({ ...examples, ...fullDocuments })) {
      const signed = yield* signDocument(document, software, one)
      wellOrdered(signed, name)
      wellOrdered(yield* signDocument(ofLength(document, 500), software, one), name)
      const accepted = answered(document, signed)
      wellOrdered(accepted.applicationResponse, name)
      wellOrdered(yield* attachedDocument(accepted, software, one), name)
      const refused = { accepted: false, errors: [rejection, rejection], notifications: [rejection] }
      wellOrdered(applicationResponse(document, refused, 0), name)
    }
  })

  it.effect.prop("keep the sequences in any content", [documents], ([document]) =>
    Effect.gen(function* () {
      const signed = yield* signDocument(document, software, yield* same)
      wellOrdered(signed, document.kind)
      wellOrdered(yield* attachedDocument(answered(document, signed), software, yield* same), document.kind)
    })
  )

  it.effect("break the sequences if a part is misplaced", function* () {
    const xml = Buffer.from(yield* signDocument(examples["sale"]!, software, yield* certificate)).toString()
    const move = (name: string, before: string) => {
      const [element = ""] = new RegExp(`<${name}>.*?</${name}>`).exec(xml) ?? []
      assert.notStrictEqual(element, "")
      return xml.replace(element, "").replace(`<${before}>`, `${element}<${before}>`)
    }
    for (const wrong of [
      move("cbc:IssueTime", "cbc:IssueDate"),
      move("cac:TaxTotal", "cac:PaymentMeans"),
      xml.replace(/<cbc:IssueDate>.*?<\/cbc:IssueDate>/, ""),
      xml.replace(/(<cbc:LineCountNumeric>.*?<\/cbc:LineCountNumeric>)/, "$1$1"),
      xml.replace("<cbc:Line>", "<cbc:Lines>").replace("</cbc:Line>", "</cbc:Lines>"),
      xml.replace("</cac:Item>", "x</cac:Item>").replace("</cac:Item>", "</cac:Item>x")
    ]) {
      assert.isNotEmpty(misplaced(wrong))
    }
  })
})

const same = Effect.runSync(Effect.cached(certificate))
