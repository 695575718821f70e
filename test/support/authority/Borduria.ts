import { Effect, Layer, Result } from "effect"
import { verify, X509Certificate } from "node:crypto"
import type { Violation } from "../../../schemas/ApiError.ts"
import type { AuthorityError } from "../../../schemas/FiscalDocument.ts"
import { type Accepted, NationalProfile, type Numbered } from "../../../src/documents/NationalProfile.ts"
import type { Certificate } from "../../../src/documents/signature/Certificate.ts"
import type { FiscalDocument } from "../../../src/documents/ubl/FiscalDocument.ts"
import { colombianSandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import { Authority, type Submission, type Verdict } from "../../../src/invoices/authority/Authority.ts"

/*
 * An invented country. Its day begins at another time; its numbers have a hyphen and twelve digits; a code contains the
 * number and ends with a check digit; a document is JSON with a signature on its last line.
 */

export const currency = "XBO"

const offsetMs = (9 * 60 + 30) * 60_000
const local = (epochMs: number) => new Date(epochMs + offsetMs).toISOString()

/** Unix milliseconds → the date in Borduria, whose midnight is 14:30 UTC. */
export const localDate = (epochMs: number) => local(epochMs).slice(0, 10)
const issueTime = (epochMs: number) => local(epochMs).slice(11, 19)

/** 0 to 9, by the ISBN's weights over the characters. */
const checkDigit = (text: string) => {
  const sum = [...text].reduce(
    (total, character, index) => total + character.charCodeAt(0) * (index % 2 === 0 ? 1 : 3),
    0
  )
  return String((10 - (sum % 10)) % 10)
}

type Coded = Pick<Numbered, "environment" | "full_number" | "issue_date" | "issuer" | "kind">

/** "BO:1:invoice:2026-11-22:900373115:SETP-000000000001:7" */
export const codeOf = ({ environment, full_number, issue_date, issuer, kind }: Coded) => {
  const text = ["BO", environment, kind, issue_date, issuer.identification.number, full_number].join(":")
  return `${text}:${checkDigit(text)}`
}

const refused = (param: string, message: string): Violation => ({
  param,
  code: "parameter_invalid",
  message,
  rule: "BO-1"
})

export const pageOf = (cufe: string) => `https://tax.borduria.test/documents?code=${encodeURIComponent(cufe)}`

const signed = Effect.fnUntraced(function* (content: unknown, certificate: Certificate) {
  const text = JSON.stringify(content)
  const signature = yield* certificate.sign(Buffer.from(text))
  return new Uint8Array(Buffer.from(`${text}\n${Buffer.from(signature).toString("base64")}\n`))
})

export const profile = NationalProfile.of({
  localDate,
  issueTime,
  rules: {
    invoice: (request) =>
      request.currency === currency
        ? []
        : [refused("currency", `currency must be "${currency}", the only money here.`)],
    note: ({ lines }) => (lines.length > 1 ? [refused("lines", "A note has one line.")] : []),
    customer: ({ identification }) =>
      /^\d{9}$/.test(identification.number) ? [] : [refused("identification.number", "number must be nine digits.")],
    issuer: ({ legal_name }) =>
      legal_name.startsWith("B") ? [] : [refused("legal_name", "legal_name must begin with B.")],
    resolution: ({ prefix }) => (prefix === "" ? [refused("prefix", "prefix must not be empty.")] : []),
    named: () => (violation) => ({ ...violation, rule: "BO-2" })
  },
  sandbox: colombianSandbox,
  numbering: { separator: "-", digits: 12 },
  code: (document) => Result.succeed(codeOf(document)),
  pageOf: ({ cufe }) => pageOf(cufe),
  lacks: [],
  sign: (document, certificate) => signed(document, certificate),
  attach: ({ applicationResponse, document, signed: bytes }: Accepted, certificate) =>
    signed(
      {
        of: document.full_number,
        document: Buffer.from(bytes).toString(),
        answer: Buffer.from(applicationResponse).toString()
      },
      certificate
    )
})

export const layer = Layer.succeed(NationalProfile, profile)

/** The content of signed bytes; null if the signature is not the certificate's. */
export const read = (bytes: Uint8Array, certificate: string): FiscalDocument | null => {
  const [text = "", signature = ""] = Buffer.from(bytes).toString().split("\n")
  const { publicKey } = new X509Certificate(Buffer.from(certificate, "base64"))
  return verify("sha256", Buffer.from(text), publicKey, Buffer.from(signature, "base64")) ? JSON.parse(text) : null
}

const wrong = (rule: string, message: string): AuthorityError => ({
  rule,
  severity: "rejection",
  message,
  path: null,
  hint: null
})

/** The verdict of Borduria's authority on a document. */
export const judge = ({ certificate, cufe, full_number, signed: bytes }: Submission): Verdict => {
  const document = read(bytes, certificate.certificate)
  const errors = [
    ...(document === null ? [wrong("BO-3", "The signature is not the issuer's.")] : []),
    ...(document?.cufe === cufe && codeOf(document) === cufe ? [] : [wrong("BO-4", "The code is not the document's.")]),
    ...(document?.full_number === full_number && /^[A-Z0-9]+-\d{12}$/.test(full_number)
      ? []
      : [wrong("BO-5", "The number has another form.")]),
    ...(document?.currency === currency && document.exchange_rate === null ? [] : [wrong("BO-6", "Another money.")])
  ]
  const accepted = errors.length === 0
  const XmlBase64Bytes = Buffer.from("<accepted/>").toString("base64")
  return { accepted, errors, notifications: [], answer: accepted ? { XmlBase64Bytes } : {} }
}

/** The authority of Borduria, which records each submission. */
export const authorityOf = (submissions: Array<Submission>) =>
  Layer.succeed(
    Authority,
    Authority.of({
      submit: (submission) =>
        Effect.sync(() => {
          submissions.push(submission)
          return judge(submission)
        }),
      verdict: ({ cufe }) =>
        Effect.sync(() => {
          const known = submissions.find((one) => one.cufe === cufe)
          return known === undefined ? null : judge(known)
        })
    })
  )
