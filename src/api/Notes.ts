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
import { listEmails, sendEmail } from "./Emails.ts"
import { accepted, get, group, nextPage, params, post, postKeyless, postOnce } from "./Endpoint.ts"

/** The endpoints of one kind of note. `Name` is the kind's part of an operation name, as in `createCreditNote`. */
const noteEndpoints = <
  const Name extends "CreditNote" | "DebitNote",
  const Path extends `/v1/${string}`,
  Request extends Schema.Top,
  Created extends Schema.Top,
  Note extends Schema.Top
>(kind: {
  readonly name: Name
  /** The kind's name within a sentence, such as "credit note". */
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
      summary: `Issue a ${noun} to an invoice that was accepted`,
      description: `The ${noun} is stored and answered as a draft. Then it is numbered, signed and sent to the authority; its outcome is an event. The body names an accepted invoice of the account (\`invoice_id\`), or else a buyer and a currency with an invoice of another system (\`original\`) or a \`period\` within one calendar month.`,
      handling: { checkedAs: kind.object, wholeDocument: "sent" }
    }),
    postKeyless(`validate${name}` as const, `${path}/validate` as const, {
      payload: request,
      success: Validation,
      summary: `Check a ${noun} without creating it`,
      description: `The body is that of a ${noun} to create, and is checked against the same rules. Nothing is stored and no number is used. \`errors\` is empty when \`valid\` is true.`,
      handling: { judged: true, checkedAs: kind.object, creation: true }
    }),
    get(`list${name}s` as const, path, {
      query: noteQuery(name === "CreditNote" ? "cn" : "dn"),
      success: Page(note, `${name}Page`),
      summary: `List ${noun}s, newest first`,
      description: nextPage
    }),
    get(`retrieve${name}` as const, item, {
      params,
      success: note,
      summary: `Retrieve a ${noun}`,
      description:
        "The full number and the CUDE are shown once the note is numbered. `authority_errors` says why it was rejected, and `failure` why it failed."
    }),
    post(`cancel${name}` as const, `${item}/cancel` as const, {
      params,
      success: note,
      summary: `Cancel a ${noun} that has no number yet`,
      description: "Only a note that has no number can be canceled.",
      handling: { wholeDocument: "moved" }
    }),
    postOnce(`retry${name}` as const, `${item}/retry` as const, {
      params,
      success: accepted(note),
      summary: `Try a failed ${noun} again; it keeps the number it has`,
      description:
        "For a note whose `status` is `failed` and whose `failure.retryable` is true, once the cause is repaired. The note keeps its number, if it has one.",
      handling: { wholeDocument: "moved" }
    }),
    postOnce(`correct${name}` as const, `${item}/correct` as const, {
      params,
      payload: request,
      success: accepted(note),
      summary: `Correct a ${noun} that the authority rejected; it keeps its number`,
      description:
        "For a note whose `status` is `rejected_by_authority`. The body is the whole corrected note, as if it were created, and may name another invoice. The note keeps its id and its number, and gets a new issue date, CUDE, signed document and e-mail; its timeline keeps the rejection.",
      handling: { checkedAs: kind.object, keepsNumber: true, wholeDocument: "sent" }
    }),
    get(`retrieve${name}Timeline` as const, `${item}/timeline` as const, {
      params,
      success: TimelinePage,
      summary: `All that has happened to a ${noun}, oldest first`,
      description:
        "The entries are changes of state, calls to the tax authority, events, and the deliveries of these events."
    }),
    sendEmail(`send${name}Email` as const, `${item}/email` as const, `a ${noun}`),
    listEmails(`list${name}Emails` as const, `${item}/emails` as const, `a ${noun}`)
  ] as const
}

export class CreditNotesApi extends group(
  "creditNotes",
  "Credit notes",
  "Credit notes, which take back a part of an invoice or all of it.",
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
