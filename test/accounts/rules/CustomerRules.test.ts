import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Issuer } from "../../../schemas/Account.ts"
import type { CustomerRequest } from "../../../schemas/Customer.ts"
import { checkDigit, sandboxIdentification } from "../../../src/documents/rules/parties/CheckDigit.ts"
import { customerViolations, issuerViolations, lacksOfIssuer } from "../../../src/documents/rules/parties/PartyRules.ts"
import {
  countryCodes,
  departments,
  municipalities,
  postalCodes
} from "../../../src/documents/rules/parties/Territories.ts"
import { invalidNits, nits } from "../../documents/rules/vectors.ts"

const customer: CustomerRequest = {
  identification: { type: "31", number: "900373115", check_digit: "3" },
  legal_name: "Comercial Andina SAS",
  organization_type: "1",
  email: "facturas@example.com",
  address: "Calle 1 # 2-3",
  city_code: "11001",
  department_code: "11",
  country_code: "CO"
}

const modes = ["test", "live"] as const
const violationsOf = (change: Partial<CustomerRequest>, mode: "test" | "live" = "live") =>
  customerViolations({ ...customer, ...change }, mode).map(({ param, code }) => [param, code])
const ofIdentification = (type: CustomerRequest["identification"]["type"], number: string, check_digit?: string) =>
  violationsOf({ identification: { type, number, ...(check_digit === undefined ? {} : { check_digit }) } })

const wrongDigit = ["identification.check_digit", "invalid_check_digit"]
const wrongNumber = ["identification.number", "parameter_invalid"]

describe("customerViolations", () => {
  it.each(modes)("finds nothing wrong with a valid customer in %s mode", (mode) => {
    assert.deepStrictEqual(customerViolations(customer, mode), [])
    const { identification, legal_name, organization_type } = customer
    assert.deepStrictEqual(customerViolations({ identification, legal_name, organization_type }, mode), [])
  })

  it.each(nits)("accepts the NIT %s-%s", (number, digit) => {
    assert.deepStrictEqual(ofIdentification("31", number, digit), [])
  })

  it.each(invalidNits)("rejects the NIT %s-%s", (number, digit) => {
    assert.deepStrictEqual(ofIdentification("31", number, digit), [wrongDigit])
  })

  const number = Schema.String.check(Schema.isPattern(/^[1-9]\d{0,14}$/))
  const digit = Schema.String.check(Schema.isPattern(/^\d$/))
  it.prop("accepts only the right check digit, and names it in the error", [number, digit], ([nit, given]) => {
    const expected = checkDigit(nit)
    const violations = customerViolations(
      { ...customer, identification: { type: "31", number: nit, check_digit: given } },
      "live"
    )
    if (given === expected) assert.deepStrictEqual(violations, [])
    else assert.include(violations[0]?.message, `it is "${expected}"`)
  })

  it("names a missing check digit", () => {
    const violations = customerViolations({ ...customer, identification: { type: "31", number: "900373115" } }, "test")
    assert.deepStrictEqual(violations, [
      {
        param: "identification.check_digit",
        code: "invalid_check_digit",
        message: 'check_digit is required for a NIT (type 31): for the number 900373115 it is "3".',
        rule: "FAK24"
      }
    ])
  })

  it("accepts the sandbox identification in test mode, and no similar one", () => {
    assert.deepStrictEqual(violationsOf({ identification: sandboxIdentification }, "test"), [])
    assert.deepStrictEqual(violationsOf({ identification: sandboxIdentification }, "live"), [wrongDigit])
    assert.deepStrictEqual(violationsOf({ identification: { ...sandboxIdentification, check_digit: "2" } }, "test"), [])
    assert.deepStrictEqual(violationsOf({ identification: { ...sandboxIdentification, check_digit: "3" } }, "test"), [
      wrongDigit
    ])
    assert.deepStrictEqual(
      violationsOf({ identification: { ...sandboxIdentification, number: "900000003" } }, "test"),
      [wrongDigit]
    )
    assert.deepStrictEqual(violationsOf({ identification: { ...sandboxIdentification, type: "13" } }, "test"), [
      wrongDigit
    ])
  })

  it.each([
    ["test", "1"],
    ["live", "2"]
  ] as const)("names in %s mode the digit %s of the sandbox identification", (mode, right) => {
    const identification = { ...sandboxIdentification, check_digit: "3" }
    const [found] = customerViolations({ ...customer, identification }, mode)
    assert.include(found?.message, `it is "${right}"`)
  })

  it("checks the other fields of a sandbox customer", () => {
    assert.deepStrictEqual(violationsOf({ identification: sandboxIdentification, country_code: "XX" }, "test"), [
      ["country_code", "unknown_catalog_code"]
    ])
  })

  it("requires digits in a NIT, at most as many as have a weight", () => {
    assert.deepStrictEqual(ofIdentification("31", "900-373115", "3"), [wrongNumber])
    assert.deepStrictEqual(ofIdentification("31", "1234567890123456", "3"), [wrongNumber])
    assert.deepStrictEqual(ofIdentification("31", "9003A"), [wrongNumber, wrongDigit])
  })

  it("rejects zeros before the first digit of a NIT", () => {
    const identification = { type: "31", number: "0900373115", check_digit: "3" } as const
    const [found, ...others] = customerViolations({ ...customer, identification }, "live")
    assert.deepStrictEqual([found?.param, others], ["identification.number", []])
    assert.include(found?.message, "leave out the zeros before its first digit")
    assert.deepStrictEqual(ofIdentification("13", "0900373115"), [])
  })

  it.each(["12", "13", "47", "48"] as const)("requires digits in an identification of type %s", (type) => {
    assert.deepStrictEqual(ofIdentification(type, "1020304050"), [])
    assert.deepStrictEqual(ofIdentification(type, "AB123"), [wrongNumber])
    assert.deepStrictEqual(ofIdentification(type, "10-20"), [wrongNumber])
    assert.deepStrictEqual(ofIdentification(type, "1020304050", "1"), [wrongDigit])
    assert.deepStrictEqual(ofIdentification(type, "AB123", "1"), [wrongNumber, wrongDigit])
  })

  it.each(["11", "21", "22", "41", "42", "50", "91"] as const)(
    "allows letters in an identification of type %s",
    (type) => {
      assert.deepStrictEqual(ofIdentification(type, "AB-123"), [])
      assert.deepStrictEqual(ofIdentification(type, "123"), [])
      assert.deepStrictEqual(ofIdentification(type, "--"), [wrongNumber])
      assert.deepStrictEqual(ofIdentification(type, "AB123", "1"), [wrongDigit])
    }
  )

  it("requires city and department to agree in Colombia", () => {
    const disagree = ["department_code", "parameter_invalid"]
    assert.deepStrictEqual(violationsOf({ city_code: "05001" }), [disagree])
    const { country_code: _, ...unsaid } = customer
    assert.deepStrictEqual(
      customerViolations({ ...unsaid, city_code: "05001" }, "live").map((found) => found.message),
      ['department_code must be "05", the first two digits of city_code, and is "11".']
    )
    assert.deepStrictEqual(violationsOf({ city_code: "05001", country_code: "US" }), [])
    assert.deepStrictEqual(violationsOf({ city_code: "99999" }), [["city_code", "unknown_catalog_code"]])
  })

  it("rejects unknown countries and departments", () => {
    assert.deepStrictEqual([countryCodes.size, departments.size], [249, 33])
    assert.deepStrictEqual(violationsOf({ country_code: "ZZ" }), [["country_code", "unknown_catalog_code"]])
    assert.deepStrictEqual(violationsOf({ country_code: "SE" }), [])
    assert.deepStrictEqual(violationsOf({ city_code: "99001", department_code: "99" }), [])
    assert.strictEqual(municipalities.size, 1122)
    assert.deepStrictEqual(violationsOf({ city_code: "11002" }), [["city_code", "unknown_catalog_code"]])
    assert.deepStrictEqual(violationsOf({ city_code: "11002", country_code: "US" }), [])
    assert.deepStrictEqual(violationsOf({ city_code: "98001", department_code: "98" }), [
      ["city_code", "unknown_catalog_code"],
      ["department_code", "unknown_catalog_code"]
    ])
  })

  it("rejects unknown postal codes of Colombia, and checks no others", () => {
    assert.deepStrictEqual([postalCodes.size, [...postalCodes].every((code) => /^\d{6}$/.test(code))], [3679, true])
    assert.deepStrictEqual(violationsOf({ postal_code: "110111" }), [])
    assert.deepStrictEqual(violationsOf({ postal_code: "110999" }), [["postal_code", "unknown_catalog_code"]])
    assert.deepStrictEqual(violationsOf({ postal_code: "SW1A 1AA", country_code: "GB" }), [])
    const issuer = { ...customer, tax_responsibilities: ["O-13"], postal_code: "110999" } as Issuer
    assert.deepStrictEqual(
      issuerViolations(issuer).map(({ param, rule }) => [param, rule]),
      [["postal_code", "FAJ73"]]
    )
  })

  it("requires an issuer to state whether it charges the value added tax, before it issues live", () => {
    const issuer = { ...customer, tax_responsibilities: ["O-13"] } as Issuer
    assert.lengthOf(lacksOfIssuer(issuer), 1)
    assert.deepStrictEqual(lacksOfIssuer({ ...issuer, vat_responsible: true }), [])
    assert.deepStrictEqual(lacksOfIssuer({ ...issuer, vat_responsible: false }), [])
  })

  it("lists all violations together, in the order of the document", () => {
    assert.deepStrictEqual(
      violationsOf({
        identification: { type: "13", number: "X", check_digit: "1" },
        city_code: "05001",
        postal_code: "1"
      }),
      [wrongNumber, wrongDigit, ["department_code", "parameter_invalid"], ["postal_code", "unknown_catalog_code"]]
    )
  })
})
