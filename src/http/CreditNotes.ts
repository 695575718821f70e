import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { makeNoteHandlers } from "./Notes.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "creditNotes",
  Effect.fn(function* (handlers) {
    const { cancel, create, emails, list, retrieve, retry, sendEmail, timeline } =
      yield* makeNoteHandlers("credit_note")
    return handlers.handleAll({
      createCreditNote: create,
      listCreditNotes: list,
      retrieveCreditNote: retrieve,
      cancelCreditNote: cancel,
      retryCreditNote: retry,
      retrieveCreditNoteTimeline: timeline,
      sendCreditNoteEmail: sendEmail,
      listCreditNoteEmails: emails
    })
  })
)
