import { Cache, Context, Duration, Effect, Exit, Layer, Option, Predicate, Redacted, Schema } from "effect"
import { verify } from "node:crypto"
import type { Issuer } from "../../schemas/Account.ts"
import type { Failure } from "../../schemas/FiscalDocument.ts"
import type { AccountId } from "../../schemas/Id.ts"
import type { FiscalDocument } from "../documents/ubl/FiscalDocument.ts"
import { type Accepted, NationalProfile } from "../documents/NationalProfile.ts"
import {
  type Certificate,
  isLocal,
  SandboxCertificate,
  SigningUnavailable
} from "../documents/signature/Certificate.ts"
import { knownCertificate } from "../documents/signature/XadesSignature.ts"
import { certificatesFrom } from "../documents/signature/Pkcs12.ts"
import { type AccountCertificate, SigningKeys, SigningRefused } from "../documents/signature/SigningKeys.ts"
import { AuthorityRefusal, AuthorityUnavailable, callerOf, type DocumentName } from "./authority/Authority.ts"
import { callPort, dieOfInterruption, PortBroken, type PortMethod } from "../runtime/PortCall.ts"
import { Accounts } from "../accounts/store/Accounts.ts"
import { Certificates } from "../accounts/store/Certificates.ts"
import { Softwares } from "../accounts/store/Softwares.ts"
import type { LoadedInvoice } from "./store/Invoices.ts"
import { refusalMessage } from "./rules/AuthorityTroubles.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import { certificateLack } from "./enablement/LiveSteps.ts"

/** The error of a live document whose account has no valid certificate. The message is one line that names the fix. */
export class NoCertificate extends Schema.TaggedError<NoCertificate>()("NoCertificate", { message: Schema.String }) {
  get failure(): Failure {
    return { code: "no_certificate", message: this.message, retryable: true }
  }
}

// Signing certificates in memory, read and parsed. A certificate never changes.
const parsedMax = 1_000

const signWithin = Duration.seconds(15)

/** The error of a request that needs a signature while the signer returns none. */
export const noSignature = ({ message }: { readonly message: string }) =>
  new ApiError({
    code: "service_unavailable",
    message: `${refusalMessage("signer_unavailable", message)} Retry later.`,
    headers: { "Retry-After": "30", "Svc-Should-Retry": "true" }
  })

const late = new SigningUnavailable({ message: `no response within ${Duration.toSeconds(signWithin)} s` })
const wrong = new SigningUnavailable({ message: "the signature does not match the certificate" })

/** Calls a method of a signer. A late response fails like an absent one; any other bug is a defect of the caller. */
const called = <A, E>(method: PortMethod, call: () => Effect.Effect<A, E>): Effect.Effect<A, E | SigningUnavailable> =>
  Effect.catchIf(
    callPort({ ...method, within: signWithin }, call),
    (error) => error instanceof PortBroken,
    (error) => ((error as PortBroken).isLate ? Effect.fail(late) : Effect.failCause((error as PortBroken).cause))
  )

const signing: PortMethod = {
  name: "Certificate.sign",
  isAnswer: () => true,
  isFailure: (error) => error instanceof SigningUnavailable
}

const finding: PortMethod = {
  name: "SigningKeys.signer",
  isAnswer: Predicate.hasProperty("sign"),
  isFailure: (error) => error instanceof SigningUnavailable || error instanceof SigningRefused
}

const isSignature = (certificate: string, bytes: Uint8Array, signature: unknown) => {
  const known = knownCertificate(certificate)
  return known !== null && signature instanceof Uint8Array && verify("sha256", bytes, known.key, signature)
}

/**
 * The certificate (DER in base64) with a signer outside this process, whose signatures have a time-out and are
 * verified: the authority would reject a document with a wrong signature, and the document's number would be used up.
 */
const guarded = (certificate: string, signer: Certificate): Certificate =>
  isLocal(signer)
    ? signer
    : {
        certificate,
        sign: (bytes) =>
          Effect.flatMap(
            called(signing, () => signer.sign(bytes)),
            (signature) => (isSignature(certificate, bytes, signature) ? Effect.succeed(signature) : Effect.fail(wrong))
          )
      }

const accountCertificate = (account_id: AccountId, pem: string): AccountCertificate => {
  const at = certificatesFrom(pem)
  const chain = pem.slice(at)
  const [, leaf = ""] = /-----BEGIN CERTIFICATE-----([^-]+)-/.exec(chain) ?? []
  return {
    account_id,
    certificate: leaf.replaceAll(/\s/g, ""),
    chain,
    key: at === 0 ? null : Redacted.make(pem.slice(0, at))
  }
}

// Signed at an upload, to prove that the signer has the key.
const proof = Buffer.from("Folio verifies that the signer has the key of this certificate.")

/**
 * Signs documents from their rows, with the account's certificate and the issuer and software at the time of numbering.
 */
export class Signing extends Context.Service<Signing>()("folio/invoices/Signing", {
  make: Effect.gen(function* () {
    const accounts = yield* Accounts
    const certificates = yield* Certificates
    const softwares = yield* Softwares
    const keys = yield* SigningKeys
    const own = yield* SandboxCertificate
    const sandbox = guarded(own.certificate, own)
    const profile = yield* NationalProfile
    const issuerOf = (row: LoadedInvoice) => accounts.issuer(row, row.issuer_version)
    const softwareOf = (row: LoadedInvoice) =>
      Effect.map(softwares.ofVersion(row, row.issuer_version), Option.getOrUndefined)
    const document = (row: LoadedInvoice) => Effect.map(issuerOf(row), (issuer) => documentOf(row, issuer))

    const signerOf = (certificate: AccountCertificate) =>
      Effect.map(
        called(finding, () => keys.signer(certificate)),
        (signer) => guarded(certificate.certificate, signer)
      )

    const parsed = yield* Cache.makeWith(
      (key: string) => {
        const [account_id, id] = key.split("|") as [AccountId, Parameters<typeof certificates.pem>[0]["id"]]
        return Effect.flatMap(certificates.pem({ account_id, id }), (pem) =>
          signerOf(accountCertificate(account_id, Redacted.value(pem)))
        )
      },
      { capacity: parsedMax, timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : 0) }
    )

    /**
     * Checks that an uploaded certificate (PEM) has a signer. Returns the PEM text to store, which includes the key
     * only if this process signs with it.
     */
    const checkSigner = Effect.fn("Signing.checkSigner")(function* (
      account: AccountId,
      pem: Redacted.Redacted<string>
    ) {
      const certificate = accountCertificate(account, Redacted.value(pem))
      const signer = yield* signerOf(certificate)
      if (isLocal(signer)) return pem
      yield* signer.sign(proof)
      return Redacted.make(certificate.chain)
    })

    /** The certificate with which an account signs and identifies itself in live mode. */
    const liveCertificate = Effect.fnUntraced(function* (account: AccountId) {
      const found = yield* certificates.current(account)
      const lack = certificateLack(found)
      if (lack !== null || Option.isNone(found)) {
        return yield* new NoCertificate({ message: `The document cannot be signed: ${lack}.` })
      }
      return yield* Effect.mapError(
        Cache.get(parsed, `${account}|${found.value.id}`),
        ({ message }) => new SigningUnavailable({ message })
      )
    })

    /** `liveCertificate` for a call to the authority. Without a signer, the call itself fails. */
    const liveCaller = (account: AccountId) =>
      Effect.map(liveCertificate(account), callerOf).pipe(
        Effect.catchTag("SigningUnavailable", ({ message }) =>
          Effect.fail(new AuthorityUnavailable({ message, trouble: "signer_unavailable" }))
        )
      )

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
    const nameOf = Effect.fnUntraced(function* (
      row: LoadedInvoice
    ): Effect.fn.Return<DocumentName, AuthorityRefusal | AuthorityUnavailable> {
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
        certificate: row.livemode
          ? yield* Effect.catchTag(liveCaller(row.account_id), "NoCertificate", ({ message }) =>
              Effect.fail(new AuthorityRefusal({ message, trouble: "certificate_missing" }))
            )
          : callerOf(sandbox)
      }
    })

    return { document, checkSigner, liveCaller, liveCertificate, sign, attach, nameOf }
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
