import { Context, type Effect, Schema } from "effect"
import type { AuthorityError, DocumentKind } from "../../../schemas/FiscalDocument.ts"
import type { AccountId } from "../../../schemas/Id.ts"

/** Identifies a document, its account and the issuer that calls the authority. */
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

/** The certificate and signing function with which an issuer authenticates to the authority. */
export interface CallerCertificate {
  /** DER in base64. */
  readonly certificate: string
  readonly sign: (bytes: Uint8Array) => Effect.Effect<Uint8Array>
}

/** A document to submit to the authority. `signed` holds the stored bytes, so that a repeated submission sends identical bytes. */
export interface Submission extends DocumentName {
  readonly signed: Uint8Array
}

/** The authority's final verdict on a document. Notifications are remarks and never cause a rejection. */
export interface Verdict {
  readonly accepted: boolean
  readonly errors: ReadonlyArray<AuthorityError>
  readonly notifications: ReadonlyArray<AuthorityError>
  /** The authority's answer as received, stored with the document. */
  readonly answer: unknown
}

/** The authority gave no answer, or an answer without a verdict: whether the document arrived is unknown. */
export class AuthorityUnavailable extends Schema.TaggedError<AuthorityUnavailable>()("AuthorityUnavailable", {
  message: Schema.String,
  /** True if only this document gets no answer, so that the failure does not count as an outage of the authority. */
  of_document: Schema.optionalKey(Schema.Boolean)
}) {}

/**
 * A final answer without a verdict: the authority did not judge the document because of its sender or its packaging (a sender not
 * authorized for the issuer, an unreadable package). The same submission would be refused again; the cause must be fixed elsewhere.
 */
export class AuthorityRefusal extends Schema.TaggedError<AuthorityRefusal>()("AuthorityRefusal", {
  /** The authority's own message, for the account to read. */
  message: Schema.String
}) {}

/** A numbering range in the authority's records: every field is text from the authority's answer, dates as YYYY-MM-DD. */
export interface AuthorityRange {
  readonly number: string
  readonly prefix: string
  readonly from_number: string
  readonly to_number: string
  readonly valid_from: string
  readonly valid_to: string
  readonly technical_key: string
}

/** The port to the tax authority. A team replaces the port by providing another layer. */
export class Authority extends Context.Service<
  Authority,
  {
    readonly submit: (submission: Submission) => Effect.Effect<Verdict, AuthorityUnavailable | AuthorityRefusal>
    /** Asks the authority for its verdict on a document: null if the document never arrived and may be sent. */
    readonly verdict: (document: DocumentName) => Effect.Effect<Verdict | null, AuthorityUnavailable | AuthorityRefusal>
    /** The ranges from which an issuer may number live documents with this software; left out if no authority can be asked. */
    readonly ranges?: (
      issuer: Pick<DocumentName, "issuer_nit" | "certificate">
    ) => Effect.Effect<ReadonlyArray<AuthorityRange>, AuthorityUnavailable | AuthorityRefusal>
    /** Whether this authority accepts live documents; true if left out. */
    readonly servesLive?: boolean
  }
>()("folio/outbound/Authority") {}
