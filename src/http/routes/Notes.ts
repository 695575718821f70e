import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CreditNote, DebitNote } from "../../../schemas/Note.ts"
import { Api } from "../../api/Api.ts"
import { noteView } from "../../store/documents/Notes.ts"
import { makeAsk } from "../request/Ask.ts"
import { makeDocumentHandlers } from "./Documents.ts"

export const creditNotes = HttpApiBuilder.group(
  Api,
  "creditNotes",
  Effect.fn(function* (handlers) {
    const kind = "credit_note"
    const ask = yield* makeAsk
    const note = yield* makeDocumentHandlers(kind, CreditNote, (row, links) => noteView(kind, row, links))
    return handlers.handleAll({
      createCreditNote: ({ payload }) => ask((actor, context) => actor.CreateNote({ context, kind, request: payload })),
      listCreditNotes: note.list,
      retrieveCreditNote: note.retrieve,
      cancelCreditNote: note.cancel,
      retryCreditNote: note.retry,
      retrieveCreditNoteTimeline: note.timeline,
      sendCreditNoteEmail: note.sendEmail,
      listCreditNoteEmails: note.emails
    })
  })
)

export const debitNotes = HttpApiBuilder.group(
  Api,
  "debitNotes",
  Effect.fn(function* (handlers) {
    const kind = "debit_note"
    const ask = yield* makeAsk
    const note = yield* makeDocumentHandlers(kind, DebitNote, (row, links) => noteView(kind, row, links))
    return handlers.handleAll({
      createDebitNote: ({ payload }) => ask((actor, context) => actor.CreateNote({ context, kind, request: payload })),
      listDebitNotes: note.list,
      retrieveDebitNote: note.retrieve,
      cancelDebitNote: note.cancel,
      retryDebitNote: note.retry,
      retrieveDebitNoteTimeline: note.timeline,
      sendDebitNoteEmail: note.sendEmail,
      listDebitNoteEmails: note.emails
    })
  })
)
