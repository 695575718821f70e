import { units } from "../../schemas/Code.ts"
import { itemStandards } from "../../src/documents/ubl/AuthorityCodes.ts"
import { elementNames } from "../../src/documents/ubl/UblProfile.ts"
import { figure, figureAt } from "./Figures.ts"
import type { Received, Rule } from "./Rules.ts"
import { all, at, attributeOf, textAt, type XmlElement } from "./XmlTree.ts"

/** A line at its position, from 0. */
export interface PlacedLine {
  readonly line: XmlElement
  readonly index: number
}

const unitCodes: ReadonlySet<string> = new Set(units.map(({ code }) => code))

const standards: ReadonlyMap<string, string> = new Map(
  Object.entries(itemStandards).map(([scheme, { name }]) => [scheme, name])
)

const quantityOf = (line: XmlElement, { kind }: Received) => at(line, elementNames[kind].quantity)

const mandate = "11"
const forSomebody = "1"
const whose: ReadonlyArray<string> = ["0", forSomebody]
const customization = ({ root }: Received) => textAt(root, "cbc:CustomizationID")
const ownerOf = (line: XmlElement) => attributeOf(at(line, "cbc:ID"), "schemeID") ?? ""

const principal = [
  "cac:Item",
  "cac:InformationContentProviderParty",
  "cac:PowerOfAttorney",
  "cac:AgentParty",
  "cac:PartyIdentification",
  "cbc:ID"
] as const

const reference = ["cac:PricingReference", "cac:AlternativeConditionPrice", "cbc:PriceAmount"] as const
const standard = ["cac:Item", "cac:StandardItemIdentification", "cbc:ID"] as const

/** The rules of a line. */
export const lineRules: ReadonlyArray<Rule<PlacedLine>> = [
  {
    rule: "FAV02b",
    path: "cbc:ID",
    isBroken: ({ index, line }) => textAt(line, "cbc:ID") !== String(index + 1)
  },
  { rule: "FAV04a", path: "", isBroken: ({ line }, document) => quantityOf(line, document) === undefined },
  {
    rule: "FAV04b",
    path: "",
    isBroken: ({ line }, document) => figure(quantityOf(line, document)?.text) < 0n
  },
  {
    rule: "FAV05",
    path: "",
    severity: "notification",
    isBroken: ({ line }, document) => !unitCodes.has(attributeOf(quantityOf(line, document), "unitCode") ?? "")
  },
  {
    rule: "FAV08a",
    path: "cbc:ID/@schemeID",
    kinds: ["invoice"],
    isBroken: ({ line }, document) => customization(document) === mandate && !whose.includes(ownerOf(line))
  },
  {
    rule: "FBA01",
    path: principal.join("/"),
    kinds: ["invoice"],
    isBroken: ({ line }, document) =>
      customization(document) === mandate && ownerOf(line) === forSomebody && (textAt(line, ...principal) ?? "") === ""
  },
  {
    rule: "FAW01",
    path: "cac:PricingReference",
    isBroken: ({ line }) =>
      figureAt(line, "cbc:LineExtensionAmount") === 0n && at(line, "cac:PricingReference") === undefined
  },
  {
    rule: "FAW03",
    path: reference.join("/"),
    isBroken: ({ line }) => at(line, "cac:PricingReference") !== undefined && figureAt(line, ...reference) === 0n
  },
  {
    rule: "FAZ02",
    path: "cac:Item/cbc:Description",
    isBroken: ({ line }) => !textAt(line, "cac:Item", "cbc:Description")
  },
  {
    rule: "FAZ09",
    path: "cac:Item/cac:StandardItemIdentification",
    severity: "notification",
    isBroken: ({ line }) => at(line, ...standard) === undefined
  },
  {
    rule: "FAZ12",
    path: `${standard.join("/")}/@schemeName`,
    severity: "notification",
    isBroken: ({ line }) => {
      const id = at(line, ...standard)
      return id !== undefined && standards.get(attributeOf(id, "schemeID") ?? "") !== attributeOf(id, "schemeName")
    }
  }
]

const aiu = "09"
const contract = "Contrato de servicios AIU por concepto de: "

/** The rules of the lines together. */
export const linesRules: ReadonlyArray<Rule<XmlElement>> = [
  { rule: "FAV01", path: "", isBroken: (_root, { lines }) => lines.length === 0 },
  {
    rule: "FAV03",
    path: "cac:InvoiceLine/cbc:Note",
    kinds: ["invoice"],
    isBroken: (_root, document) =>
      customization(document) === aiu &&
      !document.lines.some((line) => all(line, "cbc:Note").some(({ text }) => text.startsWith(contract)))
  },
  {
    rule: "FAD16",
    path: "cbc:LineCountNumeric",
    isBroken: (root, { lines }) => textAt(root, "cbc:LineCountNumeric") !== String(lines.length)
  }
]
