import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { makeNoteHandlers } from "./Notes.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "debitNotes",
  Effect.fn(function* (handlers) {
    const { cancel, create, emails, list, retrieve, retry, sendEmail, timeline } = yield* makeNoteHandlers("debit_note")
    return handlers.handleAll({
      createDebitNote: create,
      listDebitNotes: list,
      retrieveDebitNote: retrieve,
      cancelDebitNote: cancel,
      retryDebitNote: retry,
      retrieveDebitNoteTimeline: timeline,
      sendDebitNoteEmail: sendEmail,
      listDebitNoteEmails: emails
    })
  })
)
