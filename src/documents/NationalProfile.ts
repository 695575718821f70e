import { Context, type Effect, type Result, Schema } from "effect"
import type { Issuer } from "../../schemas/Account.ts"
import type { Violation } from "../../schemas/ApiError.ts"
import type { Acquirer } from "../../schemas/Customer.ts"
import type { DocumentKind, Failure } from "../../schemas/FiscalDocument.ts"
import type { InvoiceRequest } from "../../schemas/Invoice.ts"
import type { Totals } from "../../schemas/Line.ts"
import type { NoteRequest } from "../../schemas/Note.ts"
import type { ResolutionRequest } from "../../schemas/Resolution.ts"
import type { Sandbox } from "../domain/accounts/Sandbox.ts"
import type { Software } from "../domain/accounts/Software.ts"
import type { Subject } from "../domain/documents/AuthorityRules.ts"
import type { NoteOperation } from "../domain/documents/rules/NoteRules.ts"
import type { NumberForm } from "../domain/documents/FullNumber.ts"
import { storableText } from "../domain/requests/Storable.ts"
import type { Certificate } from "./signature/Certificate.ts"
import type { FiscalDocument } from "./ubl/FiscalDocument.ts"

/**
 * The service cannot give a document its code, or cannot sign the document, until its operator changes something. The document fails
 * with this `code` (for programs) and `message` (one line that says what to do), keeps the number it has and can be retried.
 */
export class Unsignable extends Schema.TaggedError<Unsignable>()("Unsignable", {
  code: Schema.String,
  message: Schema.String
}) {
  /**
   * The failure that the document keeps, with texts that PostgreSQL can store.
   *
   * @internal
   */
  get failure(): Failure {
    return { code: storableText(this.code, 100), message: storableText(this.message, 500), retryable: true }
  }
}

/** What is known of a document before it has its number. */
export interface Draft {
  readonly kind: DocumentKind
  readonly livemode: boolean
  /** YYYY-MM-DD, and the time as `issueTime` writes it. */
  readonly issue_date: string
  readonly issue_time: string
  readonly totals: Totals
  /** The numbers of the identifications of issuer and acquirer, without check digits. */
  readonly issuer_number: string
  readonly acquirer_number: string
  /** The `technical_key` of the range; empty for notes, whose ranges the authority does not grant. */
  readonly technical_key: string
  /** The software that the account has registered with the authority; left out when the account has none of its own. */
  readonly software?: Software
}

/** A document that has its number and does not yet have its code. */
export interface Numbered extends Omit<FiscalDocument, "cufe"> {
  /** As in `Draft`. */
  readonly technical_key: string
  /** As in `Draft`. */
  readonly software?: Software
}

/** A document that the authority has accepted, and the answer by which the authority did so. */
export interface Accepted {
  readonly document: FiscalDocument
  /** The signed bytes of the document, exactly as submitted to the authority. */
  readonly signed: Uint8Array
  /** The authority's answer in XML. */
  readonly applicationResponse: Uint8Array
  /** The time of the authority's acceptance, in Unix milliseconds. */
  readonly validatedAt: number
}

/**
 * The rules by which a request is refused before it uses up a number. All functions are pure and give every violation at once,
 * in the order of the request's fields; a request without violations is carried out.
 */
export interface Rules {
  /** `today`: the date in the authority's zone, YYYY-MM-DD. */
  readonly invoice: (request: InvoiceRequest, today: string) => ReadonlyArray<Violation>
  /**
   * A note. `operation`: of which operation type and currency the invoice of the account is that the note corrects, and the kind of
   * the note. A note to an invoice of another system, or to the sales of a period, is of the standard operation.
   */
  readonly note: (request: NoteRequest, operation: NoteOperation, today: string) => ReadonlyArray<Violation>
  /** What is remarkable of an invoice that is accepted, such as a figure that is not exact; nothing if omitted. */
  readonly warnings?: (request: InvoiceRequest, today: string) => ReadonlyArray<Violation>
  /** The same of a note, with the arguments of `note`. */
  readonly noteWarnings?: Rules["note"]
  /** A customer as documents would carry it: of a request to register it, or as a change would leave it. */
  readonly customer: (customer: Acquirer, mode: "test" | "live") => ReadonlyArray<Violation>
  readonly issuer: (issuer: Issuer) => ReadonlyArray<Violation>
  /** A range by itself: ranges that share full numbers are refused by the service. */
  readonly resolution: (request: ResolutionRequest) => ReadonlyArray<Violation>
  /** Adds the authority's name of the rule to a violation of the form that /v1 prescribes, where the authority has such a rule. */
  readonly named: (subject: Subject) => (violation: Violation) => Violation
}

/**
 * What the documents of a country are: how its authority's rules, dates, numbers, codes, files and links are made. A team issues for
 * another country by a layer of this service, of `Authority` and, for PDF and e-mail, of `Printer`; the Colombian layers are
 * `ColombianProfile.layer`, `AuthorityLive.layer` and `Printer.layer`.
 *
 * The service calls the functions for each document, so that none may wait for other systems, except `sign` and `attach` for the
 * certificate. A function that throws is a defect of the request or the document. Folio does not check answers against these types, and
 * sets a time-out only for a certificate whose key is in another process or device.
 *
 * What no profile changes:
 * - the interface /v1: its fields (a code is `cufe` or `cude`, whatever the country calls it), its code lists and the forms of its
 *   fields, such as a range's prefix and technical key; a signed document is served as `….xml`, an answer's times have the offset -05:00;
 * - the kinds of document (invoice, credit and debit note), their lifecycle, contingency (`FiscalDocument.in_contingency`) and its
 *   48 hours, and that notes have counters with the prefixes NC… and ND… where the account registers no range of notes;
 * - that numbers have no gap, and that a signed document has its code.
 */
export class NationalProfile extends Context.Service<
  NationalProfile,
  {
    /** Unix milliseconds → the date in the authority's zone, YYYY-MM-DD. A document is dated anew when this date has changed. */
    readonly localDate: (epochMs: number) => string
    /** Unix milliseconds → the time of day in the authority's zone, as documents carry it. */
    readonly issueTime: (epochMs: number) => string
    readonly rules: Rules
    /** The account of the first start, and the range with which every account begins in test mode. */
    readonly sandbox: Sandbox
    /** Changing the form later can make numbers of two prefixes meet: a full number that was given is refused to another document. */
    readonly numbering: NumberForm
    /** The unique code of a numbered document. */
    readonly code: (document: Numbered) => Result.Result<string, Unsignable>
    /**
     * Where `code` is the SHA-384 (hex) of the full number and a text that is known before the number: that text, never empty. The
     * database then computes the code in the statement that numbers. Without `tail`, a document gets its code in a step of its own
     * before it is signed (`Redate` in its timeline).
     */
    readonly tail?: (draft: Draft) => Result.Result<string, Unsignable>
    /** The URL of the authority's public page on a document; null when there is none. */
    readonly pageOf: (document: {
      readonly kind: DocumentKind
      readonly livemode: boolean
      readonly full_number: string
      readonly cufe: string
    }) => string | null
    /**
     * The rule of a rejection that says that the authority has processed a document of this number before. What the authority has is
     * never replaced, so that a document that was rejected by this rule cannot be corrected. Left out where there is no such rule.
     */
    readonly processedBefore?: string
    /** What the service lacks to issue live documents, each a phrase for an error message; empty when it lacks nothing. */
    readonly lacks: ReadonlyArray<string>
    /** The same of an issuer that `rules.issuer` lets pass; left out when every issuer may issue live documents. */
    readonly lacksOf?: (issuer: Issuer) => ReadonlyArray<string>
    /** What an account lacks that has no software of its own, a phrase as in `lacks`; left out when such an account lacks nothing. */
    readonly lackOfSoftware?: string
    /**
     * The bytes of a document as the authority gets them, signed. The same document, certificate and software give the same bytes.
     * `software`: that of the account, as in `Draft`.
     */
    readonly sign: (
      document: FiscalDocument,
      certificate: Certificate,
      software?: Software
    ) => Effect.Effect<Uint8Array, Unsignable>
    /**
     * The file that the acquirer of an accepted document gets in place of the signed bytes; asked for when `Verdict.answer` has the
     * authority's answer in XML, in base64 as `XmlBase64Bytes`.
     */
    readonly attach: (
      accepted: Accepted,
      certificate: Certificate,
      software?: Software
    ) => Effect.Effect<Uint8Array, Unsignable>
  }
>()("@folio-einvoicing/service/NationalProfile") {}
