import { Context, type Effect } from "effect"
import type { AcceptanceCode, ClaimCode } from "../../../schemas/Acceptance.ts"
import type { AuthorityError, DocumentKind } from "../../../schemas/FiscalDocument.ts"
import type { AccountId } from "../../../schemas/Id.ts"
import type { Software } from "../../domain/accounts/Software.ts"
import type { AuthorityRefusal, AuthorityUnavailable } from "./AuthorityFailures.ts"

export { AuthorityRefusal, AuthorityUnavailable, isAuthorityFailure, troubleOf } from "./AuthorityFailures.ts"

/** Names a document to the authority: the account, the document's code and number, and the issuer that calls. */
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
  /** The document was issued to the buyer while the authority could not be reached, and is transmitted afterwards. */
  readonly in_contingency: boolean
  /** The issuer's NIT, without check digit. */
  readonly issuer_nit: string
  readonly certificate: CallerCertificate
}

/**
 * The certificate of an issuer, and the function that signs with the certificate's private key. With both, an issuer proves to
 * the authority who calls. `sign` makes an RSA-SHA256 signature (PKCS #1 v1.5).
 */
export interface CallerCertificate {
  /** DER in base64. */
  readonly certificate: string
  readonly sign: (bytes: Uint8Array) => Effect.Effect<Uint8Array>
}

/**
 * A document to submit to the authority. `signed` are the stored bytes of the signed document: a repeated submission sends the
 * same bytes.
 */
export interface Submission extends DocumentName {
  readonly signed: Uint8Array
}

/**
 * What the authority has decided on a document, for good. `errors` are why it rejects a document; `notifications` are remarks,
 * and never cause a rejection.
 */
export interface Verdict {
  readonly accepted: boolean
  readonly errors: ReadonlyArray<AuthorityError>
  readonly notifications: ReadonlyArray<AuthorityError>
  /** The authority's answer as received, stored with the document. */
  readonly answer: unknown
}

/** The software that an issuer has registered with the authority: its id, and the NIT of its provider without check digit. */
export interface RegisteredSoftware {
  readonly provider: { readonly number: string }
  readonly id: string
}

/** A numbering range in the records of the authority. Every field is text of the authority's answer; dates are YYYY-MM-DD. */
export interface AuthorityRange {
  readonly number: string
  readonly prefix: string
  readonly from_number: string
  readonly to_number: string
  readonly valid_from: string
  readonly valid_to: string
  readonly technical_key: string
}

/** Whom an issuer asks the authority about: an acquirer by the type and the number of its identification, without check digit. */
export interface AcquirerQuestion extends Pick<DocumentName, "livemode" | "issuer_nit" | "certificate"> {
  readonly type: string
  readonly number: string
}

/**
 * An acquirer in the records of the authority: its name, and the address that its documents are e-mailed to; null what the authority
 * does not know.
 */
export interface AuthorityAcquirer {
  readonly name: string | null
  readonly email: string | null
}

/**
 * What a buyer has answered to an invoice on credit terms, or the issuer has stated about it, as the authority has registered it. `at`
 * is the time of the registration in Unix milliseconds; `by` names who registered it, and `claim` is the code of a claim's reason: null
 * what the authority does not say.
 */
export interface AuthorityEvent {
  readonly code: AcceptanceCode
  readonly at: number
  readonly by: string | null
  readonly claim: ClaimCode | null
}

/**
 * The authority's environment for enablement, where an issuer shows that its documents are in order before it issues: it takes the
 * documents of a test set, and judges them later.
 */
export interface TestSet {
  /** The software that documents of test sets name whose account has none of its own; left out when there is none. */
  readonly software?: Software | undefined
  /** Sends a document. Gives the key of the upload; null if the authority has accepted the test set, and takes no more of it. */
  readonly send: (
    submission: Submission,
    test_set_id: string
  ) => Effect.Effect<string | null, AuthorityUnavailable | AuthorityRefusal>
  /**
   * Asks for the verdict by the key of the upload, or by the code of the document where the key is not known (null). Fails with a trouble
   * of the document alone (`in_process`, `no_verdict`, `another_document`) while there is no verdict, and with `number_processed` if the
   * authority has processed another document of the number.
   */
  readonly verdict: (
    document: DocumentName,
    upload: string | null
  ) => Effect.Effect<Verdict, AuthorityUnavailable | AuthorityRefusal>
}

/**
 * The tax authority, as the service calls it. Every call may be repeated: `submit` gets the same bytes again, and an authority
 * that has judged them gives the same verdict. Calls are made on behalf of many documents at a time; `Limits.authority` says how
 * many.
 */
export class Authority extends Context.Service<
  Authority,
  {
    readonly submit: (submission: Submission) => Effect.Effect<Verdict, AuthorityUnavailable | AuthorityRefusal>
    /** Asks the authority for its verdict on a document: null if the document never arrived and may be sent. */
    readonly verdict: (document: DocumentName) => Effect.Effect<Verdict | null, AuthorityUnavailable | AuthorityRefusal>
    /**
     * The ranges from which an issuer may number live documents with its software; left out if no authority can be asked. An issuer
     * without `software` uses that of the service.
     */
    readonly ranges?: (
      issuer: Pick<DocumentName, "issuer_nit" | "certificate"> & { readonly software?: RegisteredSoftware }
    ) => Effect.Effect<ReadonlyArray<AuthorityRange>, AuthorityUnavailable | AuthorityRefusal>
    /** Name and e-mail address of an acquirer; null if the authority knows neither. Left out if no authority can be asked. */
    readonly acquirer?: (
      question: AcquirerQuestion
    ) => Effect.Effect<AuthorityAcquirer | null, AuthorityUnavailable | AuthorityRefusal>
    /**
     * The events of an accepted invoice on credit terms, in any order; none while nobody has answered. Asked about once a day for 30 days,
     * and every event at each time. Left out if no authority can be asked.
     */
    readonly events?: (
      document: DocumentName
    ) => Effect.Effect<ReadonlyArray<AuthorityEvent>, AuthorityUnavailable | AuthorityRefusal>
    /** The authority's environment for enablement, which takes the documents of test sets; left out if none can be asked. */
    readonly testSet?: TestSet
    /** Whether this authority accepts live documents; true if left out. */
    readonly servesLive?: boolean
  }
>()("@folio-einvoicing/service/Authority") {}
