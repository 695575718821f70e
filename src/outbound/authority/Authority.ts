import { Context, type Effect } from "effect"
import type { AcceptanceCode, ClaimCode } from "../../../schemas/Acceptance.ts"
import type { AuthorityError, DocumentKind } from "../../../schemas/FiscalDocument.ts"
import type { AccountId } from "../../../schemas/Id.ts"
import type { AuthorityRefusal, AuthorityUnavailable } from "./AuthorityFailures.ts"
import type { TestSet } from "./TestSet.ts"

export { AuthorityRefusal, AuthorityUnavailable, isAuthorityFailure, troubleOf } from "./AuthorityFailures.ts"
export type { TestSet, TestSetAnswer } from "./TestSet.ts"

/**
 * Names a document to the authority: the account, the document's code and number, and the issuer that calls.
 *
 * @example
 * ```ts
 * import type { DocumentName } from "@folio-einvoicing/service/Authority"
 *
 * // The folder of an archive in which a team keeps what it sends of a document.
 * export const folderOf = ({ cufe, full_number, issuer_nit, livemode }: DocumentName) =>
 *   [livemode ? "live" : "test", issuer_nit, full_number, cufe.slice(0, 8)].join("/")
 * ```
 */
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
 *
 * @example
 * ```ts
 * import type { CallerCertificate } from "@folio-einvoicing/service/Authority"
 * import { Effect } from "effect"
 *
 * // A header that an authority checks with the certificate.
 * export const signatureOf = (caller: CallerCertificate, body: string) =>
 *   Effect.map(caller.sign(Buffer.from(body)), (signature) => ({
 *     "X-Certificate": caller.certificate,
 *     "X-Signature": Buffer.from(signature).toString("base64")
 *   }))
 * ```
 */
export interface CallerCertificate {
  /** DER in base64. */
  readonly certificate: string
  readonly sign: (bytes: Uint8Array) => Effect.Effect<Uint8Array>
}

/**
 * A document to submit to the authority. `signed` are the stored bytes of the signed document: a repeated submission sends the
 * same bytes.
 *
 * @example
 * ```ts
 * import type { Submission } from "@folio-einvoicing/service/Authority"
 * import { createHash } from "node:crypto"
 *
 * // Lets an authority see that a repeated submission is the same document.
 * export const requestIdOf = ({ full_number, signed }: Submission) =>
 *   `${full_number}-${createHash("sha256").update(signed).digest("hex")}`
 * ```
 */
export interface Submission extends DocumentName {
  readonly signed: Uint8Array
}

/**
 * What the authority has decided on a document, for good. `errors` are why it rejects a document; `notifications` are remarks,
 * and never cause a rejection.
 *
 * @example
 * ```ts
 * import type { Verdict } from "@folio-einvoicing/service/Authority"
 *
 * // Reads the answer of an authority that speaks JSON.
 * export const verdictOf = (answer: { readonly ok: boolean; readonly reasons: ReadonlyArray<string> }): Verdict => ({
 *   accepted: answer.ok,
 *   errors: answer.reasons.map((message) => ({ rule: "R1", severity: "rejection", message, path: null, hint: null })),
 *   notifications: [],
 *   answer
 * })
 * ```
 */
export interface Verdict {
  readonly accepted: boolean
  readonly errors: ReadonlyArray<AuthorityError>
  readonly notifications: ReadonlyArray<AuthorityError>
  /** The authority's answer as received, stored with the document. */
  readonly answer: unknown
}

/**
 * The software that an issuer has registered with the authority: its id, and the NIT of its provider without check digit.
 *
 * @example
 * ```ts
 * import type { RegisteredSoftware } from "@folio-einvoicing/service/Authority"
 *
 * export const lineOf = ({ id, provider }: RegisteredSoftware) => `${id} of NIT ${provider.number}`
 * ```
 */
export interface RegisteredSoftware {
  readonly provider: { readonly number: string }
  readonly id: string
}

/**
 * A numbering range in the records of the authority. Every field is text of the authority's answer; dates are YYYY-MM-DD.
 *
 * @example
 * ```ts
 * import type { AuthorityRange } from "@folio-einvoicing/service/Authority"
 *
 * // One line for a page that lists ranges.
 * export const lineOf = ({ from_number, number, prefix, to_number, valid_to }: AuthorityRange) =>
 *   `${number}: ${prefix}${from_number} to ${prefix}${to_number}, until ${valid_to}`
 * ```
 */
export interface AuthorityRange {
  readonly number: string
  readonly prefix: string
  readonly from_number: string
  readonly to_number: string
  readonly valid_from: string
  readonly valid_to: string
  readonly technical_key: string
}

/**
 * Whom an issuer asks the authority about: an acquirer by the type and the number of its identification, without check digit.
 *
 * @example
 * ```ts
 * import type { AcquirerQuestion } from "@folio-einvoicing/service/Authority"
 *
 * export const pathOf = ({ number, type }: AcquirerQuestion) => `/taxpayers/${type}/${encodeURIComponent(number)}`
 * ```
 */
export interface AcquirerQuestion extends Pick<DocumentName, "livemode" | "issuer_nit" | "certificate"> {
  readonly type: string
  readonly number: string
}

/**
 * An acquirer in the records of the authority: its name, and the address that its documents are e-mailed to; null what the authority
 * does not know.
 *
 * @example
 * ```ts
 * import type { AuthorityAcquirer } from "@folio-einvoicing/service/Authority"
 *
 * export const lineOf = ({ email, name }: AuthorityAcquirer) => `${name ?? "nameless"} <${email ?? "no address"}>`
 * ```
 */
export interface AuthorityAcquirer {
  readonly name: string | null
  readonly email: string | null
}

/**
 * What a buyer has answered to an invoice on credit terms, or the issuer has stated about it, as the authority has registered it. `at`
 * is the time of the registration in Unix milliseconds; `by` names who registered it, and `claim` is the code of a claim's reason: null
 * what the authority does not say.
 *
 * @example
 * ```ts
 * import type { AuthorityEvent } from "@folio-einvoicing/service/Authority"
 *
 * // Reads an event of an authority that speaks JSON: acceptances alone.
 * export const acceptanceOf = (answer: { readonly accepted_at: string; readonly buyer: string }): AuthorityEvent => ({
 *   code: "033",
 *   at: Date.parse(answer.accepted_at),
 *   by: answer.buyer,
 *   claim: null
 * })
 * ```
 */
export interface AuthorityEvent {
  readonly code: AcceptanceCode
  readonly at: number
  readonly by: string | null
  readonly claim: ClaimCode | null
}

/**
 * The tax authority, as the service calls it. Every call may be repeated: `submit` gets the same bytes again, and an authority
 * that has judged them gives the same verdict. Calls are made on behalf of many documents at a time; `AuthorityLimits` says how
 * many.
 *
 * @example
 * ```ts
 * import { Authority, AuthorityUnavailable } from "@folio-einvoicing/service/Authority"
 * import { main } from "@folio-einvoicing/service/node"
 * import { Effect, Layer, Schema } from "effect"
 *
 * const Answer = Schema.fromJsonString(Schema.Struct({ accepted: Schema.Boolean }))
 *
 * const call = (cufe: string, request: RequestInit) =>
 *   Effect.tryPromise(async (signal) => {
 *     const response = await fetch(`https://tax.example.com/documents/${cufe}`, { ...request, signal })
 *     return response.status === 404 ? null : await response.text()
 *   }).pipe(Effect.timeout("60 seconds"))
 *
 * const verdictOf = (text: string) =>
 *   Effect.map(Schema.decodeEffect(Answer)(text), (answer) => ({ ...answer, errors: [], notifications: [], answer }))
 *
 * const unknown = ({ message }: { readonly message: string }) => new AuthorityUnavailable({ message })
 *
 * // An authority that takes a document by PUT, and gives the verdict on the document again by GET; 404: it has no such document.
 * const authority = Layer.succeed(Authority, {
 *   submit: ({ cufe, signed }) =>
 *     call(cufe, { method: "PUT", body: new Uint8Array(signed) }).pipe(
 *       Effect.flatMap((text) => verdictOf(text ?? "")),
 *       Effect.mapError(unknown)
 *     ),
 *   verdict: ({ cufe }) =>
 *     call(cufe, { method: "GET" }).pipe(
 *       Effect.flatMap((text) => (text === null ? Effect.succeed(null) : verdictOf(text))),
 *       Effect.mapError(unknown)
 *     )
 * })
 *
 * main({ authority })
 * ```
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
