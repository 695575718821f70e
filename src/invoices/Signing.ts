import { Cache, Context, Duration, Effect, Exit, Layer, Option, Redacted, Schema } from "effect"
import type { Issuer } from "../../schemas/Account.ts"
import type { Failure } from "../../schemas/FiscalDocument.ts"
import type { AccountId } from "../../schemas/Id.ts"
import type { FiscalDocument } from "../documents/ubl/FiscalDocument.ts"
import { type Accepted, NationalProfile } from "../documents/NationalProfile.ts"
import { type Certificate, fromPem, isLocal, SandboxCertificate } from "../documents/signature/Certificate.ts"
import { AuthorityRefusal, type DocumentName } from "./authority/Authority.ts"
import { dieOfInterruption, withDeadline } from "../runtime/PortCall.ts"
import { Accounts } from "../accounts/store/Accounts.ts"
import { Certificates } from "../accounts/store/Certificates.ts"
import { Softwares } from "../accounts/store/Softwares.ts"
import type { LoadedInvoice } from "./store/Invoices.ts"
import { certificateLack } from "./enablement/LiveSteps.ts"

/** The error of a live document whose account has no valid certificate. The message is one line that names the fix. */
export class NoCertificate extends Schema.TaggedError<NoCertificate>()("NoCertificate", { message: Schema.String }) {
  get failure(): Failure {
    return { code: "no_certificate", message: this.message, retryable: true }
  }
}

// Signing certificates in memory, read and parsed. A certificate never changes.
const parsedMax = 1_000

const signWithinMs = 15_000

/**
 * The certificate with a time-out. If its key is in a device that never responds, a late signature is a defect of the
 * document's step.
 */
const bounded = (port: Certificate): Certificate =>
  isLocal(port)
    ? port
    : {
        certificate: port.certificate,
        sign: (bytes) =>
          withDeadline(port.sign(bytes), signWithinMs, () =>
            Effect.die(new Error(`SandboxCertificate.sign returned no signature within ${signWithinMs / 1_000} s`))
          )
      }

/**
 * Signs documents from their rows, with the account's certificate and the issuer and software at the time of numbering.
 */
export class Signing extends Context.Service<Signing>()("folio/invoices/Signing", {
  make: Effect.gen(function* () {
    const accounts = yield* Accounts
    const certificates = yield* Certificates
    const softwares = yield* Softwares
    const sandbox = bounded(yield* SandboxCertificate)
    const profile = yield* NationalProfile
    const issuerOf = (row: LoadedInvoice) => accounts.issuer(row, row.issuer_version)
    const softwareOf = (row: LoadedInvoice) =>
      Effect.map(softwares.ofVersion(row, row.issuer_version), Option.getOrUndefined)
    const document = (row: LoadedInvoice) => Effect.map(issuerOf(row), (issuer) => documentOf(row, issuer))

    const parsed = yield* Cache.makeWith(
      (key: string) => {
        const [account_id, id] = key.split("|") as [AccountId, Parameters<typeof certificates.pem>[0]["id"]]
        return Effect.map(certificates.pem({ account_id, id }), (pem) => fromPem(Redacted.value(pem)))
      },
      { capacity: parsedMax, timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : 0) }
    )

    /** The certificate with which an account signs and identifies itself in live mode. */
    const liveCertificate = Effect.fnUntraced(function* (account: AccountId) {
      const found = yield* certificates.current(account)
      const lack = certificateLack(found)
      if (lack !== null || Option.isNone(found)) {
        return yield* new NoCertificate({ message: `The document cannot be signed: ${lack}.` })
      }
      return yield* Cache.get(parsed, `${account}|${found.value.id}`)
    })

    const certificateOf = (row: LoadedInvoice) =>
      row.livemode ? liveCertificate(row.account_id) : Effect.succeed(sandbox)

    const sign = Effect.fn("Signing.sign")(function* (row: LoadedInvoice) {
      return yield* dieOfInterruption(
        profile.sign(yield* document(row), yield* certificateOf(row), yield* softwareOf(row))
      )
    })

    /** The file for the acquirer of an accepted document: the document and the authority's response in one. */
    const attach = Effect.fn("Signing.attach")(function* (row: LoadedInvoice, accepted: Omit<Accepted, "document">) {
      const whole = { ...accepted, document: yield* document(row) }
      return yield* profile.attach(whole, yield* certificateOf(row), yield* softwareOf(row))
    })

    /**
     * The name of a document in a call to the authority. Fails if the account has no valid certificate for the call.
     */
    const nameOf = Effect.fnUntraced(function* (row: LoadedInvoice): Effect.fn.Return<DocumentName, AuthorityRefusal> {
      const { identification } = yield* issuerOf(row)
      return {
        account_id: row.account_id,
        in_contingency: row.contingency_since !== null,
        cufe: row.cufe ?? "",
        kind: row.kind,
        full_number: row.full_number ?? "",
        issue_date: row.issue_date ?? "",
        livemode: row.livemode,
        issuer_nit: identification.number,
        certificate: yield* Effect.mapError(
          certificateOf(row),
          ({ message }) => new AuthorityRefusal({ message, trouble: "certificate_missing" })
        )
      }
    })

    return { document, liveCertificate, sign, attach, nameOf }
  })
}) {
  static readonly layer = Layer.effect(Signing, Signing.make)
}

/**
 * The date of the rate that a note takes from its corrected invoice of the account, unless it is the note's issue date.
 */
const rateDate = ({ corrected, exchange_rate, invoice_id, issue_date, own_rate }: LoadedInvoice) =>
  exchange_rate === null || own_rate || invoice_id === null || corrected === null || corrected.issue_date === issue_date
    ? {}
    : { exchange_rate_date: corrected.issue_date }

/** The content of the fiscal document of a numbered invoice or note. */
export const documentOf = (row: LoadedInvoice, issuer: Issuer): FiscalDocument => ({
  kind: row.kind,
  in_contingency: row.of_type_04,
  full_number: row.full_number ?? "",
  prefix: row.prefix ?? "",
  cufe: row.cufe ?? "",
  issue_date: row.issue_date ?? "",
  issue_time: row.issue_time ?? "",
  environment: row.livemode ? "1" : "2",
  currency: row.currency,
  exchange_rate: row.exchange_rate,
  ...rateDate(row),
  operation_type: row.operation_type,
  issuer,
  acquirer: row.acquirer,
  payment_means: row.payment_means,
  lines: row.lines,
  ...row.details,
  totals: row.totals,
  range: row.kind === "invoice" ? row.range : null,
  correction:
    row.kind === "invoice"
      ? null
      : { code: row.correction_code ?? "", reason: row.reason ?? "", invoice: row.corrected }
})
