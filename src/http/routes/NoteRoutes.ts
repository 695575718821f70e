import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CreditNote, DebitNote, type NoteRequest } from "../../../schemas/Note.ts"
import { Api } from "../../api/Api.ts"
import { CurrentPrincipal } from "../../api/Authorization.ts"
import * as NoteChecks from "../../invoices/commands/NoteChecks.ts"
import type { NoteKind } from "../../../schemas/DocumentKinds.ts"
import { noteView } from "../../invoices/store/Notes.ts"
import { makeAsk } from "../request/Ask.ts"
import * as BodyChecks from "../request/BodyChecks.ts"
import { validationOf } from "../request/Validation.ts"
import { makeDocumentHandlers } from "./DocumentRoutes.ts"
import { withBody } from "../request/Pipeline.ts"

const makeValidate = Effect.fnUntraced(function* (kind: NoteKind) {
  const checks = yield* BodyChecks.make
  const warningsOf = yield* NoteChecks.makeWarnings
  return Effect.fn("validateNote")(function* ({ payload }: { readonly payload: NoteRequest }) {
    const principal = yield* CurrentPrincipal
    return validationOf(yield* checks.whole(kind, principal, payload), yield* warningsOf(principal, kind, payload))
  })
})

export const creditNotes = HttpApiBuilder.group(
  Api,
  "creditNotes",
  Effect.fn(function* (handlers) {
    const kind = "credit_note"
    const ask = yield* makeAsk
    const note = yield* makeDocumentHandlers(kind, CreditNote, (row, links) => noteView(kind, row, links))
    return withBody(handlers).handleAll({
      createCreditNote: ({ payload }) => ask((actor, context) => actor.CreateNote({ context, kind, request: payload })),
      validateCreditNote: yield* makeValidate(kind),
      listCreditNotes: note.list,
      retrieveCreditNote: note.retrieve,
      cancelCreditNote: note.cancel,
      retryCreditNote: note.retry,
      correctCreditNote: ({ params, payload }) =>
        note.correct(params.id, (actor, about) => actor.CorrectNote({ ...about, request: payload })),
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
    return withBody(handlers).handleAll({
      createDebitNote: ({ payload }) => ask((actor, context) => actor.CreateNote({ context, kind, request: payload })),
      validateDebitNote: yield* makeValidate(kind),
      listDebitNotes: note.list,
      retrieveDebitNote: note.retrieve,
      cancelDebitNote: note.cancel,
      retryDebitNote: note.retry,
      correctDebitNote: ({ params, payload }) =>
        note.correct(params.id, (actor, about) => actor.CorrectNote({ ...about, request: payload })),
      retrieveDebitNoteTimeline: note.timeline,
      sendDebitNoteEmail: note.sendEmail,
      listDebitNoteEmails: note.emails
    })
  })
)
