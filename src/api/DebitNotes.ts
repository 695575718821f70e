import { HttpApiGroup, OpenApi } from "effect/http-api"
import { DebitNote, DebitNoteCreated, DebitNoteRequest } from "../../schemas/Note.ts"
import { Authorization } from "./Authorization.ts"
import { Conventions } from "./Conventions.ts"
import { Errors } from "./Errors.ts"
import { noteEndpoints } from "./Notes.ts"

export class DebitNotesApi extends HttpApiGroup.make("debitNotes")
  .add(
    ...noteEndpoints({
      name: "DebitNote",
      noun: "debit note",
      path: "/v1/debit-notes",
      request: DebitNoteRequest,
      created: DebitNoteCreated,
      note: DebitNote
    })
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Debit notes")
  .annotate(OpenApi.Description, "They charge more than an invoice did.") {}
