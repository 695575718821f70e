import { Effect, Option } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import type { Email } from "../../schemas/Email.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import { DocumentParcel, type Parcel } from "../documents/EmailParcel.ts"
import { timestamp } from "../domain/AuthorityTime.ts"
import type { InvoiceState } from "../domain/InvoiceLifecycle.ts"
import { Emails, emailSnapshot, type StoredEmail } from "../store/Emails.ts"
import { makeRoom, pageRequest, pageView } from "./Paging.ts"

/** The query of a list of e-mails. */
export interface EmailListQuery {
  readonly limit?: string
  readonly starting_after?: string
  readonly ending_before?: string
  readonly content?: "true" | "false"
}

const emailView = (row: StoredEmail, parcel: Parcel | undefined, withContent: boolean): Email => ({
  ...emailSnapshot(row),
  attempts: row.attempts,
  next_attempt_at: row.next_attempt_at === null ? null : timestamp(row.next_attempt_at.getTime()),
  subject: parcel?.subject ?? null,
  text: parcel?.text ?? null,
  archive:
    parcel === undefined
      ? null
      : {
          name: parcel.archive.name,
          size: parcel.archive.bytes.length,
          content: withContent ? Buffer.from(parcel.archive.bytes).toString("base64") : null
        },
  attachments: parcel?.files.map(({ bytes, name }) => ({ name, size: bytes.length })) ?? [],
  created_at: timestamp(row.created_at.getTime())
})

/**
 * Lists the e-mails of a document. They are put together now, as they were when they were sent: all of a page are of one
 * document, which said one thing in contingency and says another once it is accepted.
 */
export const makeListEmails = Effect.gen(function* () {
  const emails = yield* Emails
  const parcels = yield* DocumentParcel

  const parcelOf = (key: AccountMode & { readonly id: string; readonly api_key_id: string }, state: InvoiceState) =>
    parcels.of(key, state, key.api_key_id).pipe(
      Effect.map(Option.getOrUndefined),
      Effect.catchDefect((defect) => Effect.as(Effect.logError("An e-mail cannot be shown whole", defect), undefined))
    )

  /** @param exists whether there is such a document: without one there is no such list */
  return Effect.fn("listEmails")(function* (options: {
    readonly id: string
    readonly query: EmailListQuery
    readonly url: string
    readonly what: string
    readonly exists: Effect.Effect<boolean>
  }) {
    const { exists, id, query, url, what } = options
    const of = yield* CurrentPrincipal
    const request = yield* pageRequest(query)
    if (!(yield* exists)) return yield* ApiError.missing(what, id)
    const page = yield* emails.list(of, id, request)
    const made = new Map<InvoiceState, Parcel | undefined>()
    const shown: Array<Email> = []
    const hasRoom = makeRoom()
    const backwards = request.cursor?.direction === "before"
    for (const row of backwards ? page.rows.toReversed() : page.rows) {
      const { document_state } = row
      if (!made.has(document_state)) made.set(document_state, yield* parcelOf({ ...of, id }, document_state))
      const email = emailView(row, made.get(document_state), query.content === "true")
      if (!hasRoom(email)) break
      shown.push(email)
    }
    const has_more = page.has_more || shown.length < page.rows.length
    return pageView(url, { rows: backwards ? shown.toReversed() : shown, has_more }, (email) => email)
  })
})
