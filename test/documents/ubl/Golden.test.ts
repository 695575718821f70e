import { assert, describe, test } from "@effect/vitest"
import { hash } from "node:crypto"
import { unsignedDocument } from "../../../src/documents/ubl/UblDocument.ts"
import { examples, ofLength, sale, software } from "../Documents.ts"

/** The SHA-256 of each document without its parties, as in the first release apart from the payment codes. */
const golden: Readonly<Record<string, string>> = {
  sale: "0ccf6088cc3a683f4d1e67d2ff0bf2b2",
  "sale on credit": "e9e895542a3530123a5623cd9c733ab7",
  "contract with administration, contingency and profit": "3ae6ab4e1e27100b72ea3fab4c5c6a19",
  export: "a19b7bc6fe2c2ff05869b0524003bd9b",
  "export without an address": "14ff2de7602e81122ab4c9168f3cac83",
  contingency: "11c77f314c1f4fe2d4db1ff867322700",
  "in dollars": "751f7a61012b15428c842a17dac3207d",
  "without prefix": "896e00a3790e1b43904f658dd1fd6150",
  "of production": "6ba7967163afc8eb173698e0e34292f4",
  "without tax": "03afa08b47d3452eb23a8ea4f5487400",
  "hostile text": "cef35f0b56603546c3a0d3c57d9195e8",
  "credit note": "2c0065757c6a89d029e5a9c1a9c6d14b",
  "credit note in dollars": "052d5ee3dee1b558b586bbef4e339168",
  "debit note": "fafa11cac6b32d3787765521effac24a",
  "debit note in dollars on credit": "1b4c0f9e3d29da476df356e1435a67e8",
  "sale of 50 lines": "aafa17dac1f51ce6ee69e1b2c24a11c5"
}

const written: Readonly<Record<string, (typeof examples)[string]>> = {
  ...examples,
  "sale of 50 lines": ofLength(sale, 50)
}

/** Parties have tests of their own: later releases write more fields of a party. */
const parties = /<cac:AccountingSupplierParty>.*<\/cac:AccountingCustomerParty>/s
const place = /<cac:DeliveryAddress>.*?<\/cac:DeliveryAddress>/s

describe("A document without optional parts", () => {
  test.each(Object.entries(golden))("keeps the bytes of the first release: %s", (name, digest) => {
    const { after, before } = unsignedDocument(written[name]!, software)
    const xml = (before + after).replace(parties, "").replace(place, "<cac:DeliveryAddress/>")
    assert.strictEqual(hash("sha256", xml, "hex").slice(0, 32), digest)
  })
})
