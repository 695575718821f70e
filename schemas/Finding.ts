import { Schema } from "effect"
import { AuthorityTrouble } from "./AuthorityTrouble.ts"
import { AccountId } from "./Id.ts"

/** Whose a finding is. `issuer`: the registered name; null where the account has none in this mode. */
export const FindingOwner = Schema.Struct({
  account_id: AccountId,
  livemode: Schema.Boolean,
  issuer: Schema.NullOr(Schema.String)
})
export type FindingOwner = typeof FindingOwner.Type

/** The facts that findings are made of. `src/domain/incidents/Findings.ts` has the conditions and the words. */
export const findingFacts = {
  endpoint: Schema.Struct({ id: Schema.String, since: Schema.Date }),
  /** `days`: until its end; negative once it has expired. */
  certificate: Schema.Struct({ id: Schema.String, not_after: Schema.Date, days: Schema.Int }),
  /** `days`: for which it is still valid; negative once it has expired. */
  range: Schema.Struct({
    id: Schema.String,
    document_type: Schema.String,
    prefix: Schema.String,
    left: Schema.Finite,
    size: Schema.Finite,
    valid_to: Schema.String,
    days: Schema.Int
  }),
  /** A range that gives no number after a restore. */
  heldRange: Schema.Struct({ id: Schema.String, prefix: Schema.String, since: Schema.Date }),
  /** An account's documents that failed by a fault of the service, and were not retried. */
  failed: Schema.Struct({ count: Schema.Int, since: Schema.Date, ids: Schema.Array(Schema.String) }),
  /**
   * Documents that were issued in contingency and are not transmitted yet. `deadline`: until when the first must be transmitted; null until
   * the authority is back. `left_ms`: milliseconds until then; negative once it has passed.
   */
  contingency: Schema.Struct({
    count: Schema.Int,
    since: Schema.Date,
    deadline: Schema.NullOr(Schema.Date),
    left_ms: Schema.NullOr(Schema.Finite),
    account_ids: Schema.Array(Schema.String)
  }),
  /** The live authority, no call of which has succeeded for long. */
  authority: Schema.Struct({ since: Schema.Date, trouble: AuthorityTrouble }),
  /** An old transaction that holds back all later events. */
  transaction: Schema.Struct({ since: Schema.Date })
}
export type FindingFacts = { readonly [Name in keyof typeof findingFacts]: (typeof findingFacts)[Name]["Type"] }
