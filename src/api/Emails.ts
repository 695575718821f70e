import type { HttpRouter } from "effect/http"
import { Email, EmailQuery, EmailRequest, EmailSnapshot } from "../../schemas/Email.ts"
import { Page } from "../../schemas/Page.ts"
import { accepted, get, params, postOnce } from "./Endpoint.ts"

const emailPage = Page(Email, "EmailPage")

/** `POST …/{id}/email` of invoices or notes. `what` is the noun phrase of the document in the summary, such as "an invoice". */
export const sendEmail = <const Name extends string, const Path extends HttpRouter.PathInput>(
  name: Name,
  path: Path,
  what: string
) =>
  postOnce(name, path, {
    params,
    payload: EmailRequest,
    success: accepted(EmailSnapshot),
    summary: `E-mail ${what} again, to the customer or to another address`,
    description:
      "Folio e-mails each accepted document to the customer's address without being asked. This request sends it once more. An event tells what became of each e-mail. A document can be e-mailed 100 times.",
    handling: { optionalBody: true }
  })

/** `GET …/{id}/emails` of invoices or notes. `what` is the noun phrase of the document in the summary. */
export const listEmails = <const Name extends string, const Path extends HttpRouter.PathInput>(
  name: Name,
  path: Path,
  what: string
) =>
  get(name, path, {
    params,
    query: EmailQuery,
    success: emailPage,
    summary: `List the e-mails of ${what} with their text and attachments, newest first`,
    description:
      "With `content=true` the answer holds the attachments, in base64. The sandbox sends no e-mail to anybody: read its e-mails here."
  })
