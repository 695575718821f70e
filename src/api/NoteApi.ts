import type { Schema } from "effect"
import {
  CreditNote,
  CreditNoteCreated,
  CreditNoteRequest,
  DebitNote,
  DebitNoteCreated,
  DebitNoteRequest,
  noteQuery
} from "../../schemas/Note.ts"
import { Page } from "../../schemas/Page.ts"
import { TimelinePage } from "../../schemas/Timeline.ts"
import { Validation } from "../../schemas/Validation.ts"
import { listEmails, sendEmail } from "./EmailApi.ts"
import { accepted, get, group, nextPage, params, post, postKeyless, postOnce } from "./Endpoint.ts"

/** The endpoints of a note type. `Name` is its part of an operation name, as in `createCreditNote`. */
const noteEndpoints = <
  const Name extends "CreditNote" | "DebitNote",
  const Path extends `/v1/${string}`,
  Request extends Schema.Top,
  Created extends Schema.Top,
  Note extends Schema.Top
>(kind: {
  readonly name: Name
  /** The name of the note type in a sentence, such as "credit note". */
  readonly noun: string
  readonly object: "credit_note" | "debit_note"
  readonly path: Path
  readonly request: Request
  readonly created: Created
  readonly note: Note
}) => {
  const { created, name, note, noun, path, request } = kind
  const item = `${path}/:id` as const
  return [
    postOnce(`create${name}` as const, path, {
      payload: request,
      success: accepted(created),
      summary: `Create a ${noun}`,
      description: `Stores the ${noun} and returns it as a draft. Folio then numbers it, signs it and transmits it to the tax authority. An event reports the outcome. Send the \`invoice_id\` of an accepted invoice of the account. If you omit it, send the buyer, the currency, and an invoice of another system (\`original\`) or a \`period\` within one calendar month.`,
      handling: { checkedAs: kind.object, wholeDocument: "sent" }
    }),
    postKeyless(`validate${name}` as const, `${path}/validate` as const, {
      payload: request,
      success: Validation,
      summary: `Validate a ${noun}`,
      description: `Checks the body of a new ${noun} by the same rules as its creation, stores nothing and uses no number. Send the same body as to create a ${noun}. \`errors\` is empty if \`valid\` is true.`,
      handling: { validates: true, checkedAs: kind.object, creation: true }
    }),
    get(`list${name}s` as const, path, {
      query: noteQuery(name === "CreditNote" ? "cn" : "dn"),
      success: Page(note, `${name}Page`),
      summary: `List ${noun}s`,
      description: `Lists ${noun}s, newest first. ${nextPage}`
    }),
    get(`retrieve${name}` as const, item, {
      params,
      success: note,
      summary: `Retrieve a ${noun}`,
      description:
        "Returns a note. A numbered note has its full number and CUDE. `authority_errors` explains a rejection, and `failure` explains a failure."
    }),
    post(`cancel${name}` as const, `${item}/cancel` as const, {
      params,
      success: note,
      summary: `Cancel a ${noun}`,
      description: "Cancels a note that has no number yet. You cannot cancel any other note.",
      handling: { wholeDocument: "moved" }
    }),
    postOnce(`retry${name}` as const, `${item}/retry` as const, {
      params,
      success: accepted(note),
      summary: `Retry a failed ${noun}`,
      description:
        "Retries a note whose `status` is `failed` and whose `failure.retryable` is true. Fix the cause first. A note with a number keeps its number.",
      handling: { wholeDocument: "moved" }
    }),
    postOnce(`correct${name}` as const, `${item}/correct` as const, {
      params,
      payload: request,
      success: accepted(note),
      summary: `Correct a rejected ${noun}`,
      description:
        "Corrects a note whose `status` is `rejected_by_authority`. Send the whole corrected note, as for a new note. The corrected note may name another invoice. The note keeps its id and its number, and gets a new issue date, CUDE, signed document and email. Its timeline keeps the rejection.",
      handling: { checkedAs: kind.object, keepsNumber: true, wholeDocument: "sent" }
    }),
    get(`retrieve${name}Timeline` as const, `${item}/timeline` as const, {
      params,
      success: TimelinePage,
      summary: `Retrieve a ${noun} timeline`,
      description:
        "Lists the timeline of a note, oldest first: changes of state, calls to the tax authority, events, and the deliveries of these events."
    }),
    sendEmail(`send${name}Email` as const, `${item}/email` as const, `a ${noun}`),
    listEmails(`list${name}Emails` as const, `${item}/emails` as const, noun)
  ] as const
}

export class CreditNotesApi extends group(
  "creditNotes",
  "Credit notes",
  "Credit notes, which credit an invoice in whole or in part.",
  ...noteEndpoints({
    name: "CreditNote",
    noun: "credit note",
    object: "credit_note",
    path: "/v1/credit-notes",
    request: CreditNoteRequest,
    created: CreditNoteCreated,
    note: CreditNote
  })
) {}

export class DebitNotesApi extends group(
  "debitNotes",
  "Debit notes",
  "Debit notes, which charge more than an invoice did.",
  ...noteEndpoints({
    name: "DebitNote",
    noun: "debit note",
    object: "debit_note",
    path: "/v1/debit-notes",
    request: DebitNoteRequest,
    created: DebitNoteCreated,
    note: DebitNote
  })
) {}
