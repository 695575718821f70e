import { isOnCredit } from "../domain/documents/Acceptance.ts"
import type { Verdict } from "../outbound/authority/Authority.ts"
import { callAlarmMs } from "./AuthorityCalls.ts"
import type { Change, Document } from "./Steps.ts"

/* What the steps of a document store. */

// Milliseconds after which the sweeper reminds the actor of a document that the actor is working on.
const workAlarmMs = 5_000

/** A document whose bytes were signed just now, and are not stored yet. */
export type Signed = Document & { readonly signed: Uint8Array }

export interface Judged {
  readonly row: Document
  readonly verdict: Verdict
}

/** What is stored before the first byte of a call leaves: the attempt, and the alarm for the case that this process dies. */
export const leaving = { attempt: true, leaves: true, alarmMs: callAlarmMs, held: true } as const

/** The signed bytes alone. */
export const signedOnly = (row: Signed): Change<Document> => ({
  row,
  command: "Sign",
  details: { signed: row.signed, alarmMs: workAlarmMs, held: true }
})

/** The signed bytes and the submission in one statement. */
export const signedAndSubmitted = (row: Signed): Change<Document> => ({
  row,
  command: "Submit",
  details: { signs: true, signed: row.signed, ...leaving }
})

export const conclusion = ({ row, verdict }: Judged): Change<Document> => ({
  row,
  command: verdict.accepted ? "Accept" : "Reject",
  details: {
    errors: verdict.errors,
    notifications: verdict.notifications,
    authorityAnswer: verdict.answer,
    asksBuyer: verdict.accepted && isOnCredit(row),
    alarmMs: null
  }
})
