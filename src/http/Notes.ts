import { Effect, Option, type Schema } from "effect"
import { ApiError } from "../../schemas/ApiError.ts"
import type { EmailRequest } from "../../schemas/Email.ts"
import { CreditNote, DebitNote, type NoteRequest } from "../../schemas/Note.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import { documentKinds, isOfKind, type NoteKind } from "../domain/DocumentKinds.ts"
import { FileLinks } from "../store/FileLinks.ts"
import { Invoices } from "../store/Invoices.ts"
import { noteView } from "../store/Notes.ts"
import { makeAsk } from "./Ask.ts"
import { type DocumentQuery, filterOf, makeTimeline } from "./Documents.ts"
import { type EmailListQuery, makeListEmails } from "./Emails.ts"
import { pageRequest, writePage } from "./Paging.ts"

interface Named {
  readonly params: { readonly id: string }
}

/** What answers the requests of a kind of notes. An id of another kind is not there. */
export const makeNoteHandlers = Effect.fnUntraced(function* <Kind extends NoteKind>(kind: Kind) {
  const { noun, path } = documentKinds[kind]
  const note: Schema.Codec<unknown, unknown> = kind === "credit_note" ? CreditNote : DebitNote
  const invoices = yield* Invoices
  const links = yield* FileLinks
  const ask = yield* makeAsk
  const listEmails = yield* makeListEmails
  const named = ({ params: { id } }: Named) =>
    isOfKind(kind, id) ? Effect.succeed(id) : Effect.fail(ApiError.missing(noun, id))

  return {
    create: ({ payload }: { readonly payload: NoteRequest }) =>
      ask((account, context) => account.CreateNote({ context, kind, request: payload })),
    list: Effect.fn("listNotes")(function* ({ query }: { readonly query: DocumentQuery }) {
      const rows = yield* invoices.list(yield* CurrentPrincipal, yield* pageRequest(query), filterOf(kind, query))
      const linksOf = yield* links.inAnswers
      return yield* writePage(note, path, rows, (row) => noteView(kind, row, linksOf(row)))
    }),
    retrieve: Effect.fn("retrieveNote")(function* (request: Named) {
      const id = yield* named(request)
      const found = yield* invoices.find(yield* CurrentPrincipal, id)
      const row = yield* Effect.mapError(Effect.fromOption(found), () => ApiError.missing(noun, id))
      return noteView(kind, row, (yield* links.inAnswers)(row))
    }),
    cancel: (request: Named) =>
      Effect.flatMap(named(request), (id) => ask((account, context) => account.CancelInvoice({ context, id }))),
    retry: (request: Named) =>
      Effect.flatMap(named(request), (id) => ask((account, context) => account.RetryInvoice({ context, id }))),
    timeline: yield* makeTimeline(kind),
    sendEmail: ({ params, payload }: Named & { readonly payload: EmailRequest }) =>
      Effect.flatMap(named({ params }), (id) =>
        ask((account, context) => account.SendEmail({ context, id, request: payload }))
      ),
    emails: Effect.fn("listNoteEmails")(function* ({
      params: { id },
      query
    }: Named & { readonly query: EmailListQuery }) {
      const found = Effect.map(invoices.find(yield* CurrentPrincipal, id), Option.isSome)
      const exists = isOfKind(kind, id) ? found : Effect.succeed(false)
      return yield* listEmails({ id, query, url: `${path}/${id}/emails`, what: noun, exists })
    })
  }
})
