/*
 * The national profile of Syldavia: numbers have eight digits after a hyphen, codes have check digits, and a signed
 * document is JSON (a JWS).
 */
import { type Certificate, NationalProfile, type Numbered, type Violation } from "@folio-einvoicing/service/ports"
import { Effect, Layer, Result } from "effect"
import { hash } from "node:crypto"

// "2026-11-22 23:59:59" in Klow, which has the time zone of Prague, with summer time.
const klow = new Intl.DateTimeFormat("sv-SE", { timeZone: "Europe/Prague", dateStyle: "short", timeStyle: "medium" })

const violation = (param: string, message: string, rule: string): Violation => ({
  param,
  code: "parameter_invalid",
  message,
  rule
})

const numberViolations = ({ identification }: { readonly identification: { readonly number: string } }) =>
  /^\d{8}$/.test(identification.number)
    ? []
    : [violation("identification.number", "number must be the eight digits of the register in Klow.", "S-1")]

/** The code of a document: "SY", two check digits as in an IBAN, and twenty digits from a hash of its facts. */
const codeOf = ({ full_number, issue_date, issuer, totals }: Numbered) => {
  const text = [issuer.identification.number, full_number, issue_date, totals.payable_amount].join("|")
  const digits = BigInt(`0x${hash("sha256", text).slice(0, 16)}`)
  const check = 98n - ((digits * 100n) % 97n)
  return `SY${String(check).padStart(2, "0")}${String(digits).padStart(20, "0")}`
}

/** The content as a JWS (RFC 7515) with its certificate. The same content and certificate give the same bytes. */
const signed = Effect.fnUntraced(function* (content: object, certificate: Certificate) {
  const header = { alg: "RS256", x5c: [certificate.certificate] }
  const [head, body] = [header, content].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  const signature = yield* certificate.sign(Buffer.from(`${head}.${body}`))
  return new Uint8Array(Buffer.from(`${head}.${body}.${Buffer.from(signature).toString("base64url")}`))
})

export const profile = Layer.succeed(
  NationalProfile,
  NationalProfile.of({
    localDate: (epochMs) => klow.format(epochMs).slice(0, 10),
    issueTime: (epochMs) => klow.format(epochMs).slice(11),
    rules: {
      invoice: ({ currency }) =>
        currency === "SYK" ? [] : [violation("currency", 'currency must be "SYK", the khôr.', "S-2")],
      note: () => [],
      customer: numberViolations,
      issuer: numberViolations,
      resolution: ({ prefix }) => (prefix === "" ? [violation("prefix", "prefix must not be empty.", "S-3")] : []),
      named: () => (broken) => broken
    },
    sandbox: {
      issuer: {
        identification: { type: "31", number: "10000008" },
        legal_name: "Klow Sandbox Ltd",
        organization_type: "1",
        email: "invoices@klow.test",
        address: "Muskar Square 1",
        city_code: "10000",
        department_code: "10",
        country_code: "XS",
        tax_responsibilities: []
      },
      range: {
        number: "1",
        prefix: "KLOW",
        from_number: 1,
        to_number: 9_999_999,
        valid_from: "2026-01-01",
        valid_to: "2035-12-31",
        technical_key: "0".repeat(40)
      },
      customer: {
        identification: { type: "31", number: "20000006" },
        legal_name: "Zlip Mining Ltd",
        organization_type: "1"
      }
    },
    numbering: { separator: "-", digits: 8 },
    code: (document) => Result.succeed(codeOf(document)),
    pageOf: ({ cufe }) => `https://tax.syldavia.test/documents/${cufe}`,
    lacks: [],
    sign: signed,
    attach: ({ applicationResponse, signed: bytes }, certificate) =>
      signed(
        { document: Buffer.from(bytes).toString(), receipt: Buffer.from(applicationResponse).toString() },
        certificate
      )
  })
)
