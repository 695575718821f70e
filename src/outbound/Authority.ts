import { Context, type Effect, Schema } from "effect"
import type { AuthorityError, DocumentKind } from "../../schemas/FiscalDocument.ts"
import type { AccountId } from "../../schemas/Id.ts"

/** Which document is meant, and who asks. */
export interface DocumentName {
  readonly account_id: AccountId
  /** The CUFE, or the CUDE of a note. */
  readonly cufe: string
  readonly kind: DocumentKind
  readonly full_number: string
  /** YYYY-MM-DD */
  readonly issue_date: string
  /** Decides the authority's environment. */
  readonly livemode: boolean
  /** It was given to its buyer already, because the authority could not be reached, and is transmitted now. */
  readonly in_contingency: boolean
  /** The issuer's, without check digit. */
  readonly issuer_nit: string
  readonly certificate: CallerCertificate
}

/** What an issuer identifies itself with. */
export interface CallerCertificate {
  /** DER in base64. */
  readonly certificate: string
  readonly sign: (bytes: Uint8Array) => Effect.Effect<Uint8Array>
}

/** A document on its way to the authority. `signed` are the stored bytes: a repetition sends the very same. */
export interface Submission extends DocumentName {
  readonly signed: Uint8Array
}

/** The authority's final word on a document. Notifications are remarks: they never make it rejected. */
export interface Verdict {
  readonly accepted: boolean
  readonly errors: ReadonlyArray<AuthorityError>
  readonly notifications: ReadonlyArray<AuthorityError>
  /** The answer as received, kept beside the document. */
  readonly answer: unknown
}

/** No answer, or none that says anything: whether the document arrived is not known. */
export class AuthorityUnavailable extends Schema.TaggedError<AuthorityUnavailable>()("AuthorityUnavailable", {
  message: Schema.String,
  /** It is this document alone that gets no answer: that says nothing of the authority's service. */
  of_document: Schema.optionalKey(Schema.Boolean)
}) {}

/**
 * A final answer that is no verdict: the document was not judged, because of who sends it or how (not authorised for the issuer,
 * a package that cannot be read). Sent again as it is, it would be refused again; what is wrong is put right elsewhere.
 */
export class AuthorityRefusal extends Schema.TaggedError<AuthorityRefusal>()("AuthorityRefusal", {
  /** What the authority says, for the account to read. */
  message: Schema.String
}) {}

/** A numbering range as the authority has it: all texts as received, dates as YYYY-MM-DD. */
export interface AuthorityRange {
  readonly number: string
  readonly prefix: string
  readonly from_number: string
  readonly to_number: string
  readonly valid_from: string
  readonly valid_to: string
  readonly technical_key: string
}

/** The tax authority. Teams bring their own by providing another layer. */
export class Authority extends Context.Service<
  Authority,
  {
    readonly submit: (submission: Submission) => Effect.Effect<Verdict, AuthorityUnavailable | AuthorityRefusal>
    /** What the authority knows of a document: its verdict, or null when it never arrived and may be sent. */
    readonly verdict: (document: DocumentName) => Effect.Effect<Verdict | null, AuthorityUnavailable | AuthorityRefusal>
    /** The ranges that an issuer may number live documents from with our software; left out where nobody can be asked. */
    readonly ranges?: (
      issuer: Pick<DocumentName, "issuer_nit" | "certificate">
    ) => Effect.Effect<ReadonlyArray<AuthorityRange>, AuthorityUnavailable | AuthorityRefusal>
    /** Whether live documents can be sent to it; left out, they can. */
    readonly servesLive?: boolean
  }
>()("folio/outbound/Authority") {}
