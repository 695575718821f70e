import type { HttpRouter } from "effect/http"
import { Email, EmailQuery, EmailRequest, EmailSnapshot } from "../../schemas/Email.ts"
import { Page } from "../../schemas/Page.ts"
import { accepted, get, params, postOnce } from "./Endpoint.ts"

const emailPage = Page(Email, "EmailPage")

/** `POST …/{id}/email` of invoices or notes. `what` names the document in the summary, such as "an invoice". */
export const sendEmail = <const Name extends string, const Path extends HttpRouter.PathInput>(
  name: Name,
  path: Path,
  what: string
) =>
  postOnce(name, path, {
    params,
    payload: EmailRequest,
    success: accepted(EmailSnapshot),
    summary: `Email ${what}`,
    description:
      "Emails the document again, to the customer or to another address. Folio automatically emails each accepted document to the customer's address. An event reports the outcome of each email. You can email a document 100 times.",
    handling: { optionalBody: true }
  })

/** `GET …/{id}/emails` of invoices or notes. `what` names the document in the summary, such as "invoice". */
export const listEmails = <const Name extends string, const Path extends HttpRouter.PathInput>(
  name: Name,
  path: Path,
  what: string
) =>
  get(name, path, {
    params,
    query: EmailQuery,
    success: emailPage,
    summary: `List ${what} emails`,
    description:
      "Lists the emails of the document with text and attachments, newest first. With `content=true`, the response includes the attachments in base64. The sandbox sends no email: read its emails here."
  })
