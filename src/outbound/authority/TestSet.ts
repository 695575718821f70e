import type { Effect } from "effect"
import type { Software } from "../../domain/accounts/Software.ts"
import type { AuthorityRefusal, AuthorityUnavailable, DocumentName, Submission, Verdict } from "./Authority.ts"

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
  /**
   * Asks for the verdict by the key of the upload, or by the code of the document where the key is not known (null). Fails with a trouble
   * of the document alone (`in_process`, `no_verdict`, `another_document`) while there is no verdict, and with `number_processed` if the
   * authority has processed another document of the number.
   */
  readonly verdict: (
    document: DocumentName,
    upload: string | null
  ) => Effect.Effect<Verdict, AuthorityUnavailable | AuthorityRefusal>
}
