import { HttpApiGroup, OpenApi } from "effect/http-api"
import { CreditNote, CreditNoteCreated, CreditNoteRequest } from "../../schemas/Note.ts"
import { Authorization } from "./Authorization.ts"
import { Conventions } from "./Conventions.ts"
import { Errors } from "./Errors.ts"
import { noteEndpoints } from "./Notes.ts"

export class CreditNotesApi extends HttpApiGroup.make("creditNotes")
  .add(
    ...noteEndpoints({
      name: "CreditNote",
      noun: "credit note",
      path: "/v1/credit-notes",
      request: CreditNoteRequest,
      created: CreditNoteCreated,
      note: CreditNote
    })
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Credit notes")
  .annotate(OpenApi.Description, "They take back a part of an invoice, or all of it.") {}
