import { Context, Effect, Schema } from "effect"
import { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { AuthorityError, type DocumentKind } from "../../../schemas/FiscalDocument.ts"
import type { AccountId } from "../../../schemas/Id.ts"
import type { Certificate } from "../../documents/signature/Certificate.ts"
import type { Software } from "../../documents/rules/parties/SoftwareRules.ts"
import type { AuthorityEvent } from "../rules/AcceptanceRules.ts"

/** A document's identity for the authority: the account, the document's code and number, and the calling issuer. */
export interface DocumentName {
  readonly account_id: AccountId
  /** The CUFE, or the CUDE of a note. */
  readonly cufe: string
  readonly kind: DocumentKind
  readonly full_number: string
  /** YYYY-MM-DD */
  readonly issue_date: string
  /** Selects the authority's environment: live or test. */
  readonly livemode: boolean
  /** Whether the document was issued to the buyer during an outage of the authority and is transmitted afterwards. */
  readonly in_contingency: boolean
  /** The issuer's NIT, without check digit. */
  readonly issuer_nit: string
  readonly certificate: CallerCertificate
}

/**
 * An issuer's certificate, and the function that signs with its private key. With both, an issuer proves its identity
 * to the authority. `sign` makes an RSA-SHA256 signature (PKCS #1 v1.5). Without a signature, nothing leaves.
 */
export interface CallerCertificate {
  /** DER in base64. */
  readonly certificate: string
  readonly sign: (bytes: Uint8Array) => Effect.Effect<Uint8Array, AuthorityUnavailable>
}

/**
 * The certificate of an issuer as a caller's.
 *
 * @internal
 */
export const callerOf = ({ certificate, sign }: Certificate): CallerCertificate => ({
  certificate,
  sign: (bytes) =>
    Effect.mapError(sign(bytes), ({ message }) => new AuthorityUnavailable({ message, trouble: "signer_unavailable" }))
})

/**
 * A document to submit to the authority. `signed` has the stored bytes of the signed document. A repeated submission
 * sends the same bytes.
 */
export interface Submission extends DocumentName {
  readonly signed: Uint8Array
}

/**
 * The authority's final verdict on a document. `errors` are the reasons for a rejection. `notifications` are remarks,
 * and never cause a rejection.
 */
export interface Verdict {
  readonly accepted: boolean
  readonly errors: ReadonlyArray<AuthorityError>
  readonly notifications: ReadonlyArray<AuthorityError>
  /** The authority's response as received, stored with the document. */
  readonly answer: unknown
}

/** An issuer's software that is registered with the authority: its id, and its provider's NIT without check digit. */
export interface RegisteredSoftware {
  readonly provider: { readonly number: string }
  readonly id: string
}

/** A numbering range in the authority's records. Every field is a text of the response. Dates are YYYY-MM-DD. */
export interface AuthorityRange {
  readonly number: string
  readonly prefix: string
  readonly from_number: string
  readonly to_number: string
  readonly valid_from: string
  readonly valid_to: string
  readonly technical_key: string
}

/** An issuer's look-up of an acquirer, by the type and the number of its identification, without check digit. */
export interface AcquirerQuestion extends Pick<DocumentName, "livemode" | "issuer_nit" | "certificate"> {
  readonly type: string
  readonly number: string
}

/**
 * An acquirer in the authority's records: its name, and the email address for its documents. Null if unknown to the
 * authority.
 */
export interface AuthorityAcquirer {
  readonly name: string | null
  readonly email: string | null
}

/**
 * The authority's environment for enablement, in which an issuer proves that its documents are in order. It accepts the
 * documents of a test set, and gives their verdicts later.
 */
export interface TestSet {
  /** The software in the test documents of accounts without their own. Omit it if there is none. */
  readonly software?: Software | undefined
  /**
   * Sends a document. Returns the key of the upload, or null if the authority has accepted the test set and accepts no
   * more documents.
   */
  readonly send: (
    submission: Submission,
    test_set_id: string
  ) => Effect.Effect<string | null, AuthorityUnavailable | AuthorityRefusal>
  /**
   * Looks up the verdict by the key of the upload, or by the document's code if the key is unknown (null). Fails with a
   * trouble of the document alone (`in_process`, `no_verdict`, `another_document`) while there is no verdict. Fails
   * with `number_processed` if the authority has processed another document with this number.
   */
  readonly verdict: (
    document: DocumentName,
    upload: string | null
  ) => Effect.Effect<Verdict, AuthorityUnavailable | AuthorityRefusal>
}

/**
 * The tax authority, as the service calls it. The service may repeat every call: `submit` gets the same bytes again,
 * and the authority must give the same verdict again.
 *
 * The service makes calls for many documents concurrently. `Limits.authority` sets the number.
 */
export class Authority extends Context.Service<
  Authority,
  {
    readonly submit: (submission: Submission) => Effect.Effect<Verdict, AuthorityUnavailable | AuthorityRefusal>
    /** Looks up the verdict on a document. Null if the document never arrived, so that the service may send it. */
    readonly verdict: (document: DocumentName) => Effect.Effect<Verdict | null, AuthorityUnavailable | AuthorityRefusal>
    /**
     * The ranges that an issuer may use for live documents with its software. Omit it if there is no authority to call.
     * An issuer without `software` uses the service's software.
     */
    readonly ranges?: (
      issuer: Pick<DocumentName, "issuer_nit" | "certificate"> & { readonly software?: RegisteredSoftware }
    ) => Effect.Effect<ReadonlyArray<AuthorityRange>, AuthorityUnavailable | AuthorityRefusal>
    /**
     * Looks up an acquirer's name and email address. Null if the authority knows neither. Omit it if there is no
     * authority to call.
     */
    readonly acquirer?: (
      question: AcquirerQuestion
    ) => Effect.Effect<AuthorityAcquirer | null, AuthorityUnavailable | AuthorityRefusal>
    /**
     * Looks up the events of an accepted invoice on credit terms, in any order; none before a buyer responds. Called
     * about once a day for 30 days, and must give every event each time. Omit it if there is no authority to call.
     */
    readonly events?: (
      document: DocumentName
    ) => Effect.Effect<ReadonlyArray<AuthorityEvent>, AuthorityUnavailable | AuthorityRefusal>
    /**
     * The authority's environment for enablement, which accepts the documents of test sets. Omit it if there is none.
     */
    readonly testSet?: TestSet
    /** Whether this authority accepts live documents; true if omitted. */
    readonly servesLive?: boolean
  }
>()("@folio-einvoicing/service/Authority") {}

/**
 * Failure of a call without a verdict. `trouble` is the reason, and decides whether the document may have left; if
 * omitted, it may (`no_answer`).
 *
 * If the document may have left, the service looks up its verdict before it submits the document again, and never
 * issues it in contingency. If it did not leave (`connection_refused`, `name_not_found`, `no_route`, `tls_failed`), the
 * service submits it later. After a long outage of this kind, the service issues the document in contingency.
 */
export class AuthorityUnavailable extends Schema.TaggedError<AuthorityUnavailable>()("AuthorityUnavailable", {
  message: Schema.String,
  trouble: Schema.optionalKey(AuthorityTrouble),
  /** True if the failure concerns this document only, so that it does not count as an outage of the authority. */
  of_document: Schema.optionalKey(Schema.Boolean),
  /**
   * True if a later call would not reach the authority either. The service then issues an unsent document in
   * contingency without the wait of five minutes. The simulated authority sets it for a scripted outage.
   */
  lasts: Schema.optionalKey(Schema.Boolean),
  /**
   * The rule by which the authority rejects a number that it has processed with another document. If the authority has
   * no document with this code, the rule finally rejects the document: a corrected document after a few attempts, any
   * other after an hour.
   */
  number_processed: Schema.optionalKey(AuthorityError)
}) {}

/**
 * Rejection of a document because of its sender or its package: the sender is not authorized for the issuer, or the
 * package is unreadable. A repeated submission would fail too, so the document fails until someone fixes the cause.
 */
export class AuthorityRefusal extends Schema.TaggedError<AuthorityRefusal>()("AuthorityRefusal", {
  /** The authority's own message, for the account. */
  message: Schema.String,
  /** The reason (`sender_refused` if omitted), from which the account gets its advice. */
  trouble: Schema.optionalKey(AuthorityTrouble)
}) {}

/**
 * The trouble of a failed call. Without a named trouble, the authority may have the document.
 *
 * @internal
 */
export const troubleOf = (error: AuthorityUnavailable | AuthorityRefusal): AuthorityTrouble =>
  error.trouble ?? (error instanceof AuthorityRefusal ? "sender_refused" : "no_answer")

/**
 * Whether an error is a failure of a call to the authority.
 *
 * @internal
 */
export const isAuthorityFailure = (error: unknown): error is AuthorityUnavailable | AuthorityRefusal =>
  error instanceof AuthorityUnavailable || error instanceof AuthorityRefusal
