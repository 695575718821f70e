import { Schema } from "effect"
import { WaitingCode } from "../../../schemas/AuthorityTrouble.ts"
import { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import { LocalDate } from "../../../schemas/Money.ts"
import { states } from "../../domain/documents/InvoiceLifecycle.ts"

/* An account at a glance, as the store returns it. A count at its maximum means that there may be more. */

/** The most documents of today that are looked at, newest first. */
export const todayMax = 10_000
/** The most documents of one kind that are counted for one day. */
export const dayMax = 10_000
/** The most documents, deliveries and e-mails that are counted as being in one kind of trouble. */
export const troubledMax = 1_000

const State = Schema.Literals(states)

/** Documents with something in common: how many, and the oldest of them. */
const troubled = {
  count: Schema.Int,
  id: Schema.String,
  full_number: Schema.NullOr(Schema.String),
  oldest: Schema.Date
}

/** The documents of today in one state. `late`: how many of these were created ten minutes ago or earlier. */
export const TodayRow = Schema.Struct({ state: State, count: Schema.Int, late: Schema.Int })
export type TodayRow = typeof TodayRow.Type

/** Documents that failed or were rejected. */
export const UnacceptedRow = Schema.Struct({ state: Schema.Literals(["failed", "rejected_by_authority"]), ...troubled })
export type UnacceptedRow = typeof UnacceptedRow.Type

/** Documents that wait for the authority, by the trouble; in contingency without a trouble, `code` is null. */
export const WaitingRow = Schema.Struct({
  is_contingency: Schema.Boolean,
  code: Schema.NullOr(WaitingCode),
  ...troubled,
  /** The first time by which one of them must be transmitted; null while none has such a time. */
  transmit_before: Schema.NullOr(Schema.Date)
})
export type WaitingRow = typeof WaitingRow.Type

export const EndpointRow = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  is_active: Schema.Boolean,
  failing_since: Schema.NullOr(Schema.Date),
  full_since: Schema.NullOr(Schema.Date),
  /** Deliveries that have failed for good, of events of the last day. */
  failed: Schema.Int,
  /** Deliveries that are still to be made. */
  pending: Schema.Int
})
export type EndpointRow = typeof EndpointRow.Type

/** An active range of numbers. */
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

/** Documents whose newest e-mail came back or was taken for spam. */
export const BouncedRow = Schema.Struct({ count: Schema.Int, id: Schema.NullOr(Schema.String) })
export type BouncedRow = typeof BouncedRow.Type

/** A row of the newest documents. */
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

export const PartiesRow = Schema.Struct({ customers: Schema.Int })
export type PartiesRow = typeof PartiesRow.Type

/** An account in one mode at a glance. */
export interface AccountOverview {
  /** The documents that were created today, by state, at most `todayMax` of each kind. */
  readonly today: ReadonlyArray<TodayRow>
  /** How many documents were created on each of the last days, oldest first; the last one is today. */
  readonly days: ReadonlyArray<{ readonly date: string; readonly count: number }>
  /** Documents of these days that failed or were rejected. */
  readonly unaccepted: ReadonlyArray<UnacceptedRow>
  readonly waiting: ReadonlyArray<WaitingRow>
  readonly endpoints: ReadonlyArray<EndpointRow>
  readonly ranges: ReadonlyArray<RangeRow>
  /** The end of the certificate that signs live documents; null without one, and in test mode. */
  readonly certificate_ends: Date | null
  /** E-mails returned in the last seven days. */
  readonly bounced: BouncedRow
  readonly latest: ReadonlyArray<LatestRow>
  /** The number of customers. */
  readonly customers: number
}
