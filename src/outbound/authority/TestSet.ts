import type { Effect } from "effect"
import type { Software } from "../../domain/accounts/Software.ts"
import type { AuthorityRefusal, AuthorityUnavailable, DocumentName, Submission, Verdict } from "./Authority.ts"

/**
 * What the authority says of a document of a test set: its verdict, that the number belongs to another document, or that there is no
 * verdict yet.
 */
export type TestSetAnswer =
  | { readonly _tag: "judged"; readonly verdict: Verdict }
  | { readonly _tag: "number_processed" }
  | { readonly _tag: "pending"; readonly message: string }

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
  /** Asks for the verdict by the key of the upload, or by the code of the document where the key is not known (null). */
  readonly verdict: (
    document: DocumentName,
    upload: string | null
  ) => Effect.Effect<TestSetAnswer, AuthorityUnavailable | AuthorityRefusal>
}
