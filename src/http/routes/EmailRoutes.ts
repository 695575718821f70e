import { Cause, Effect, Option, type Schema } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { ApiError } from "../../../schemas/ApiError.ts"
import type { Email, EmailQuery } from "../../../schemas/Email.ts"
import { CurrentPrincipal } from "../../api/Authorization.ts"
import { DocumentFiles } from "../../invoices/DocumentFiles.ts"
import type { EmailPackage } from "../../documents/email/EmailPackage.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"
import type { InvoiceState } from "../../invoices/rules/InvoiceLifecycle.ts"
import { Emails, emailSnapshot, type StoredEmail } from "../../invoices/store/Emails.ts"
import { makeRoom, pageRequest, pageView } from "../request/Paging.ts"
import { portInTime } from "../../runtime/PortCall.ts"

export type EmailListQuery = Schema.Struct.Type<typeof EmailQuery>

const emailView = (row: StoredEmail, emailPackage: EmailPackage | undefined, withContent: boolean): Email => ({
  ...emailSnapshot(row),
  attempts: row.attempts,
  next_attempt_at: row.next_attempt_at === null ? null : timestamp(row.next_attempt_at.getTime()),
  subject: emailPackage?.subject ?? null,
  text: emailPackage?.text ?? null,
  archive:
    emailPackage === undefined
      ? null
      : {
          name: emailPackage.archive.name,
          size: emailPackage.archive.bytes.length,
          content: withContent ? Buffer.from(emailPackage.archive.bytes).toString("base64") : null
        },
  attachments: emailPackage?.files.map(({ bytes, name }) => ({ name, size: bytes.length })) ?? [],
  created_at: timestamp(row.created_at.getTime())
})

/**
 * Makes the handler that lists the emails of a document. Folio renders each email at the request, with its content at
 * the time of sending.
 *
 * All emails of a page belong to one document, so their content depends only on the document's state. For example, an
 * email in contingency differs from one after acceptance.
 */
export const makeListEmails = Effect.gen(function* () {
  const emails = yield* Emails
  const files = yield* DocumentFiles

  const packageOf = (key: AccountMode & { readonly id: string; readonly api_key_id: string }, state: InvoiceState) =>
    portInTime(Effect.suspend(() => files.emailPackage(key, state, key.api_key_id))).pipe(
      Effect.map(Option.getOrUndefined),
      Effect.catchCauseIf(
        (cause) => !Cause.hasFails(cause),
        (cause) => Effect.as(Effect.logError("Cannot render the content of an email", cause), undefined)
      )
    )

  /** @param options.found fails with `resource_missing` if the document doesn't exist */
  return Effect.fn("listEmails")(function* (options: {
    readonly id: string
    readonly query: EmailListQuery
    readonly url: string
    readonly found: Effect.Effect<unknown, ApiError, CurrentPrincipal>
  }) {
    const { found, id, query, url } = options
    const principal = yield* CurrentPrincipal
    const request = yield* pageRequest(query)
    yield* found
    const page = yield* emails.list(principal, id, request)
    const made = new Map<InvoiceState, EmailPackage | undefined>()
    const shown: Array<Email> = []
    const hasRoom = makeRoom()
    const backwards = request.cursor?.direction === "before"
    for (const row of backwards ? page.rows.toReversed() : page.rows) {
      const { document_state } = row
      if (!made.has(document_state)) made.set(document_state, yield* packageOf({ ...principal, id }, document_state))
      const email = emailView(row, made.get(document_state), query.content === "true")
      if (!hasRoom(email)) break
      shown.push(email)
    }
    const has_more = page.has_more || shown.length < page.rows.length
    return pageView(url, { rows: backwards ? shown.toReversed() : shown, has_more }, (email) => email)
  })
})
