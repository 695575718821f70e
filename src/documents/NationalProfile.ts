import { Context, type Effect, type Result, Schema } from "effect"
import type { Issuer } from "../../schemas/Account.ts"
import type { Violation } from "../../schemas/ApiError.ts"
import type { Acquirer } from "../../schemas/Customer.ts"
import type { DocumentKind, Failure } from "../../schemas/FiscalDocument.ts"
import type { InvoiceRequest } from "../../schemas/Invoice.ts"
import type { Totals } from "../../schemas/Line.ts"
import type { NoteRequest } from "../../schemas/Note.ts"
import type { ResolutionRequest } from "../../schemas/Resolution.ts"
import type { Sandbox } from "./rules/parties/SandboxIds.ts"
import type { Software } from "./rules/parties/SoftwareRules.ts"
import type { Subject } from "./rules/AuthorityRules.ts"
import type { NoteOperation } from "./rules/amounts/NoteRules.ts"
import type { NumberForm } from "./rules/FullNumber.ts"
import { storableText } from "../runtime/json/Storable.ts"
import type { Certificate, SigningUnavailable } from "./signature/Certificate.ts"
import type { FiscalDocument } from "./ubl/FiscalDocument.ts"

/**
 * The error of a document that cannot get its code or its signature until the operator changes something. The document
 * fails with this `code` (for programs) and `message` (one line that names the fix), keeps its number and can be
 * retried.
 */
export class Unsignable extends Schema.TaggedError<Unsignable>()("Unsignable", {
  code: Schema.String,
  message: Schema.String
}) {
  /**
   * The failure that the document stores, with texts that PostgreSQL accepts.
   *
   * @internal
   */
  get failure(): Failure {
    return { code: storableText(this.code, 100), message: storableText(this.message, 500), retryable: true }
  }
}

/** The facts of a document before its number. */
export interface Draft {
  readonly kind: DocumentKind
  readonly livemode: boolean
  /** YYYY-MM-DD, and the time in the form of `issueTime`. */
  readonly issue_date: string
  readonly issue_time: string
  readonly totals: Totals
  /** The numbers of the identifications of issuer and acquirer, without check digits. */
  readonly issuer_number: string
  readonly acquirer_number: string
  /** The `technical_key` of the range; empty for notes, whose ranges the authority does not grant. */
  readonly technical_key: string
  /** The software that the account has registered with the authority; omitted if the account has none of its own. */
  readonly software?: Software
}

/** A document with its number and without its code. */
export interface Numbered extends Omit<FiscalDocument, "cufe"> {
  /** As in `Draft`. */
  readonly technical_key: string
  /** As in `Draft`. */
  readonly software?: Software
}

/** A document that the authority has accepted, and the response with its acceptance. */
export interface Accepted {
  readonly document: FiscalDocument
  /** The signed bytes of the document, exactly as submitted to the authority. */
  readonly signed: Uint8Array
  /** The authority's response in XML. */
  readonly applicationResponse: Uint8Array
  /** The time of the authority's acceptance, in Unix milliseconds. */
  readonly validatedAt: number
}

/**
 * The rules that reject a request before it uses a number. All functions are pure and return every violation together,
 * in the order of the request's fields. A request without violations is carried out.
 */
export interface Rules {
  /** `today`: the date in the authority's zone, YYYY-MM-DD. */
  readonly invoice: (request: InvoiceRequest, today: string) => ReadonlyArray<Violation>
  /**
   * A note. `operation`: the operation type and currency of the account's invoice that the note corrects, and the kind
   * of the note. A note to an invoice of another system, or to the sales of a period, has the standard operation.
   */
  readonly note: (request: NoteRequest, operation: NoteOperation, today: string) => ReadonlyArray<Violation>
  /** The warnings of an accepted invoice, such as an inexact figure; none if omitted. */
  readonly warnings?: (request: InvoiceRequest, today: string) => ReadonlyArray<Violation>
  /** The warnings of an accepted note, with the arguments of `note`. */
  readonly noteWarnings?: Rules["note"]
  /** A customer in the form of documents: of a request to register it, or after a change. */
  readonly customer: (customer: Acquirer, mode: "test" | "live") => ReadonlyArray<Violation>
  readonly issuer: (issuer: Issuer) => ReadonlyArray<Violation>
  /** A range, without a comparison to other ranges: Folio itself rejects ranges that share full numbers. */
  readonly resolution: (request: ResolutionRequest) => ReadonlyArray<Violation>
  /** Adds the authority's rule to a violation of the form that /v1 prescribes, if the authority has one. */
  readonly named: (subject: Subject) => (violation: Violation) => Violation
}

/**
 * A country's documents: the rules, dates, numbers, codes, files and links of its authority. To issue for another
 * country, a team provides a layer of this service, of `Authority` and, for PDF and email, of `Printer`. The Colombian
 * layers are `ColombianProfile.layer`, `AuthorityLive.layer` and `Printer.layer`.
 *
 * Folio calls the functions for each document, so none may wait for other systems, except `sign` and `attach` for the
 * certificate. A function that throws is a defect of the request or the document. Folio does not check results against
 * these types. It sets a time-out only for a certificate whose key is in another process or device.
 *
 * No profile changes these facts:
 *
 * - The interface /v1: its fields (a code is `cufe` or `cude` in every country), its code lists and the forms of its
 *   fields, such as a range's prefix and technical key. A signed document is served as `….xml`, and the times of a
 *   response have the offset -05:00.
 * - The kinds of document (invoice, credit and debit note), their lifecycle, contingency
 *   (`FiscalDocument.in_contingency`) and its 48 hours. Notes have counters with the prefixes NC… and ND… if the
 *   account registers no range of notes.
 * - Numbers have no gap, and a signed document has its code.
 */
export class NationalProfile extends Context.Service<
  NationalProfile,
  {
    /**
     * Unix milliseconds → the date in the authority's zone, YYYY-MM-DD. A document gets a new date if this date has
     * changed.
     */
    readonly localDate: (epochMs: number) => string
    /** Unix milliseconds → the time of day in the authority's zone, in the form of documents. */
    readonly issueTime: (epochMs: number) => string
    readonly rules: Rules
    /** The account of the first start, and the range of every account in test mode from the start. */
    readonly sandbox: Sandbox
    /**
     * The form of full numbers. If it changes later, numbers of two prefixes can be equal: Folio never gives the same
     * full number to another document.
     */
    readonly numbering: NumberForm
    /** The unique code of a numbered document. */
    readonly code: (document: Numbered) => Result.Result<string, Unsignable>
    /**
     * If `code` is the SHA-384 (hex) of the full number and a text known before the number: that text, never empty. The
     * database then computes the code in the statement that assigns the number. Without `tail`, a document gets its
     * code in a separate step before its signature (`Redate` in its timeline).
     */
    readonly tail?: (draft: Draft) => Result.Result<string, Unsignable>
    /** The URL of a document on the authority's public site; null if there is none. */
    readonly pageOf: (document: {
      readonly kind: DocumentKind
      readonly livemode: boolean
      readonly full_number: string
      readonly cufe: string
    }) => string | null
    /**
     * The rule of a rejection for a number that the authority has already processed. The authority never replaces its
     * document, so a document that was rejected by this rule cannot be corrected. Omitted if there is no such rule.
     */
    readonly processedBefore?: string
    /**
     * The missing requirements for live documents, each a phrase for an error message. Empty if nothing is missing.
     */
    readonly lacks: ReadonlyArray<string>
    /**
     * The missing requirements of an issuer without violations of `rules.issuer`. Omitted if every issuer may issue
     * live documents.
     */
    readonly lacksOf?: (issuer: Issuer) => ReadonlyArray<string>
    /**
     * The missing requirement of an account without its own software, a phrase as in `lacks`. Omitted if accounts need
     * no software.
     */
    readonly lackOfSoftware?: string
    /**
     * The signed bytes of a document for the authority. The same document, certificate and software give the same
     * bytes. `software`: the account's software, as in `Draft`.
     */
    readonly sign: (
      document: FiscalDocument,
      certificate: Certificate,
      software?: Software
    ) => Effect.Effect<Uint8Array, SigningUnavailable | Unsignable>
    /**
     * The file for the acquirer of an accepted document, instead of the signed bytes. Called if `Verdict.answer` has
     * the authority's response in XML, in base64 as `XmlBase64Bytes`.
     */
    readonly attach: (
      accepted: Accepted,
      certificate: Certificate,
      software?: Software
    ) => Effect.Effect<Uint8Array, SigningUnavailable | Unsignable>
  }
>()("@folio-einvoicing/service/NationalProfile") {}
