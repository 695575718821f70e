import { isOnCredit } from "./rules/AcceptanceRules.ts"
import type { Verdict } from "./authority/Authority.ts"
import { callAlarmMs } from "./AuthorityCalls.ts"
import type { Change, Document } from "./Steps.ts"

/* The changes that the steps of a document store. */

// Milliseconds until the sweeper notifies the actor of a document in progress again.
const workAlarmMs = 5_000

/** A document with newly signed bytes that are not stored yet. */
export type Signed = Document & { readonly signed: Uint8Array }

export interface DocumentVerdict {
  readonly row: Document
  readonly verdict: Verdict
}

/** Stored before the first byte of a call leaves: the attempt, and the alarm for a process that dies. */
export const leaving = { attempt: true, leaves: true, alarmMs: callAlarmMs, held: true } as const

/** Stores only the signed bytes. */
export const signedOnly = (row: Signed): Change<Document> => ({
  row,
  command: "Sign",
  details: { signed: row.signed, alarmMs: workAlarmMs, held: true }
})

/** Stores the signed bytes and the submission in one statement. */
export const signedAndSubmitted = (row: Signed): Change<Document> => ({
  row,
  command: "Submit",
  details: { signs: true, signed: row.signed, ...leaving }
})

export const conclusion = ({ row, verdict }: DocumentVerdict): Change<Document> => ({
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
