import { Schema } from "effect"
import { AuthorityTrouble } from "./AuthorityTrouble.ts"
import { AccountId } from "./Id.ts"

/** The account of a finding. `issuer`: the registered name; null if the account has no issuer in this mode. */
export const FindingOwner = Schema.Struct({
  account_id: AccountId,
  livemode: Schema.Boolean,
  issuer: Schema.NullOr(Schema.String)
})
export type FindingOwner = typeof FindingOwner.Type

/** The facts of findings. `src/operations/rules/Findings.ts` has the conditions and the texts. */
export const findingFacts = {
  endpoint: Schema.Struct({ id: Schema.String, since: Schema.Date }),
  /** `days`: the number of days until expiry; negative once it has expired. */
  certificate: Schema.Struct({ id: Schema.String, not_after: Schema.Date, days: Schema.Int }),
  /** `days`: the number of days of validity left; negative once it has expired. */
  range: Schema.Struct({
    id: Schema.String,
    document_type: Schema.String,
    prefix: Schema.String,
    left: Schema.Finite,
    size: Schema.Finite,
    valid_to: Schema.String,
    days: Schema.Int
  }),
  /** A range that is paused after a restore. */
  heldRange: Schema.Struct({ id: Schema.String, prefix: Schema.String, since: Schema.Date }),
  /** An account's documents that failed because of an internal error and were not retried. */
  failed: Schema.Struct({ count: Schema.Int, since: Schema.Date, ids: Schema.Array(Schema.String) }),
  /**
   * Documents that were issued in contingency and are not transmitted yet. `deadline`: the first deadline to transmit;
   * null until the authority is back. `left_ms`: the milliseconds until the deadline; negative once it has passed.
   */
  contingency: Schema.Struct({
    count: Schema.Int,
    since: Schema.Date,
    deadline: Schema.NullOr(Schema.Date),
    left_ms: Schema.NullOr(Schema.Finite),
    account_ids: Schema.Array(Schema.String)
  }),
  /** The live authority, if no call has succeeded for long. */
  authority: Schema.Struct({ since: Schema.Date, trouble: AuthorityTrouble }),
  /** An old transaction that delays all later events. */
  transaction: Schema.Struct({ since: Schema.Date })
}
export type FindingFacts = { readonly [Name in keyof typeof findingFacts]: (typeof findingFacts)[Name]["Type"] }
