import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { NoteQuery } from "../../schemas/Note.ts"
import { Page } from "../../schemas/Page.ts"
import { TimelinePage } from "../../schemas/Timeline.ts"
import { honouredKeyHeaders, IdempotencyKey, requiredKeyHeaders, versionHeader, WholeDocument } from "./Conventions.ts"
import { listEmails, sendEmail } from "./Emails.ts"

const params = { id: Schema.String.annotate({ description: "The id of the object." }) }

/** The endpoints of a kind of notes, `Name` as in `createCreditNote`. */
export const noteEndpoints = <
  const Name extends "CreditNote" | "DebitNote",
  const Path extends `/v1/${string}`,
  Request extends Schema.Top,
  Created extends Schema.Top,
  Note extends Schema.Top
>(kind: {
  readonly name: Name
  /** As in a sentence. */
  readonly noun: string
  readonly path: Path
  readonly request: Request
  readonly created: Created
  readonly note: Note
}) => {
  const { created, name, note, noun, path, request } = kind
  const item = `${path}/:id` as const
  return [
    HttpApiEndpoint.post(`create${name}` as const, path, {
      headers: requiredKeyHeaders,
      payload: request,
      success: created.pipe(HttpApiSchema.status(202))
    })
      .annotate(IdempotencyKey, "required")
      .annotate(WholeDocument, "sent")
      .annotate(OpenApi.Summary, `Issue a ${noun} to an invoice that was accepted`)
      .annotate(
        OpenApi.Description,
        `The ${noun} is stored and answered as a draft. Then it is numbered, signed and sent to the authority; its outcome is an event.`
      ),
    HttpApiEndpoint.get(`list${name}s` as const, path, {
      headers: versionHeader,
      query: NoteQuery,
      success: Page(note, `${name}Page`)
    })
      .annotate(OpenApi.Summary, `List ${noun}s, newest first`)
      .annotate(OpenApi.Description, "Go on with `starting_after`, the id of the last one, while `has_more` is true."),
    HttpApiEndpoint.get(`retrieve${name}` as const, item, { headers: versionHeader, params, success: note })
      .annotate(OpenApi.Summary, `Retrieve a ${noun}`)
      .annotate(
        OpenApi.Description,
        "Shows the number and the CUDE from when it has them, and why it was rejected or failed."
      ),
    HttpApiEndpoint.post(`cancel${name}` as const, `${item}/cancel` as const, {
      headers: honouredKeyHeaders,
      params,
      success: note
    })
      .annotate(IdempotencyKey, "honoured")
      .annotate(WholeDocument, "moved")
      .annotate(OpenApi.Summary, `Cancel a ${noun} that has no number yet`)
      .annotate(OpenApi.Description, "Once it has its number it can no longer be canceled."),
    HttpApiEndpoint.post(`retry${name}` as const, `${item}/retry` as const, {
      headers: requiredKeyHeaders,
      params,
      success: note.pipe(HttpApiSchema.status(202))
    })
      .annotate(IdempotencyKey, "required")
      .annotate(WholeDocument, "moved")
      .annotate(OpenApi.Summary, `Try a failed ${noun} again; it keeps the number it has`)
      .annotate(OpenApi.Description, "For one whose `status` is `failed`, when its cause is mended."),
    HttpApiEndpoint.get(`retrieve${name}Timeline` as const, `${item}/timeline` as const, {
      headers: versionHeader,
      params,
      success: TimelinePage
    })
      .annotate(OpenApi.Summary, `All that has happened to a ${noun}, oldest first`)
      .annotate(OpenApi.Description, "Changes of its state, calls to the authority, events and their deliveries."),
    sendEmail(`send${name}Email` as const, `${item}/email` as const, `a ${noun}`),
    listEmails(`list${name}Emails` as const, `${item}/emails` as const, `a ${noun}`)
  ] as const
}
