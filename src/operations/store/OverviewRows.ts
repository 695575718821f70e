import { Schema } from "effect"
import { WaitingCode } from "../../../schemas/AuthorityTrouble.ts"
import { AccountId } from "../../../schemas/Id.ts"
import { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import { LocalDate } from "../../../schemas/Money.ts"
import { states } from "../../invoices/rules/InvoiceLifecycle.ts"
import type { CertificateRow, TestSetRow } from "./AccountFaults.ts"

/* The overview of an account, as the store returns it. A count at its maximum means that there may be more. */

/** The maximum number of today's documents of one kind that the overview reads, newest first. */
export const todayMax = 10_000
/** The maximum number of documents of one kind that the overview counts for one day. */
export const dayMax = 10_000
/** The maximum number of documents, deliveries and emails that the overview counts for one kind of trouble. */
export const troubledMax = 1_000

const State = Schema.Literals(states)

/** A group of documents: its size, and its oldest document. */
const troubled = {
  count: Schema.Int,
  id: Schema.String,
  full_number: Schema.NullOr(Schema.String),
  oldest: Schema.Date
}

/** Today's documents in one state. `late` is the number of documents that were created at least ten minutes ago. */
export const TodayRow = Schema.Struct({ state: State, count: Schema.Int, late: Schema.Int })
export type TodayRow = typeof TodayRow.Type

/** Documents that failed or were rejected. */
export const UnacceptedRow = Schema.Struct({ state: Schema.Literals(["failed", "rejected_by_authority"]), ...troubled })
export type UnacceptedRow = typeof UnacceptedRow.Type

/**
 * Documents that wait for the authority, by authority trouble. `code` is null for documents in contingency without a
 * trouble.
 */
export const WaitingRow = Schema.Struct({
  is_contingency: Schema.Boolean,
  code: Schema.NullOr(WaitingCode),
  ...troubled,
  /** The earliest deadline to transmit one of the documents. Null if none has a deadline. */
  transmit_before: Schema.NullOr(Schema.Date)
})
export type WaitingRow = typeof WaitingRow.Type

export const EndpointRow = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  is_active: Schema.Boolean,
  failing_since: Schema.NullOr(Schema.Date),
  full_since: Schema.NullOr(Schema.Date),
  /** Failed deliveries of the last day that Folio does not retry. */
  failed: Schema.Int,
  /** Deliveries that wait for an attempt. */
  pending: Schema.Int
})
export type EndpointRow = typeof EndpointRow.Type

/** An active numbering range. */
export const RangeRow = Schema.Struct({
  id: Schema.String,
  document_type: DocumentKind,
  prefix: Schema.String,
  from_number: Schema.BigInt,
  to_number: Schema.BigInt,
  next_number: Schema.BigInt,
  valid_from: LocalDate,
  valid_to: LocalDate,
  is_active: Schema.Boolean
})
export type RangeRow = typeof RangeRow.Type

/** Documents whose newest email bounced or was reported as spam. */
export const BouncedRow = Schema.Struct({ count: Schema.Int, id: Schema.NullOr(Schema.String) })
export type BouncedRow = typeof BouncedRow.Type

/** A document in the list of the newest documents. */
export const LatestRow = Schema.Struct({
  id: Schema.String,
  kind: DocumentKind,
  state: State,
  full_number: Schema.NullOr(Schema.String),
  buyer: Schema.String,
  currency: Schema.String,
  total: Schema.String,
  created_at: Schema.Date
})
export type LatestRow = typeof LatestRow.Type

/** Documents of the last 30 days that failed or were rejected, of one account among many, at most `problemsMax`. */
export const UnacceptedCount = Schema.Struct({ account_id: AccountId, unaccepted: Schema.Int })
/** The maximum number of these documents that Folio counts for one account. */
export const problemsMax = 100

export const PartiesRow = Schema.Struct({ customers: Schema.Int })
export type PartiesRow = typeof PartiesRow.Type

/** The overview of an account in one mode. */
export interface AccountOverview {
  /** The documents that were created today, by state, at most `todayMax` of each kind. */
  readonly today: ReadonlyArray<TodayRow>
  /** The number of documents created on each of the last days, oldest first. The last day is today. */
  readonly days: ReadonlyArray<{ readonly date: string; readonly count: number }>
  /** Documents of these days that failed or were rejected. */
  readonly unaccepted: ReadonlyArray<UnacceptedRow>
  readonly waiting: ReadonlyArray<WaitingRow>
  readonly endpoints: ReadonlyArray<EndpointRow>
  readonly ranges: ReadonlyArray<RangeRow>
  /** The certificate that ends last. Null without a certificate, and in test mode. */
  readonly certificate: typeof CertificateRow.Type | null
  /** The outcome of the test set. Null without an outcome, and if the account has a range for invoices. */
  readonly test_set: typeof TestSetRow.Type | null
  /** Emails returned in the last seven days. */
  readonly bounced: BouncedRow
  readonly latest: ReadonlyArray<LatestRow>
  readonly customers: number
}
