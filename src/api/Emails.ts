import { Schema } from "effect"
import type { HttpRouter } from "effect/http"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { Email, EmailQuery, EmailRequest, EmailSnapshot } from "../../schemas/Email.ts"
import { Page } from "../../schemas/Page.ts"
import { IdempotencyKey, OptionalBody, requiredKeyHeaders, versionHeader } from "./Conventions.ts"

const params = { id: Schema.String.annotate({ description: "The id of the object." }) }

const emailPage = Page(Email, "EmailPage")

/** `POST …/{id}/email` of invoices or notes. `what`: how such a document is called. */
export const sendEmail = <const Name extends string, const Path extends HttpRouter.PathInput>(
  name: Name,
  path: Path,
  what: string
) =>
  HttpApiEndpoint.post(name, path, {
    headers: requiredKeyHeaders,
    params,
    payload: EmailRequest,
    success: EmailSnapshot.pipe(HttpApiSchema.status(202))
  })
    .annotate(IdempotencyKey, "required")
    .annotate(OptionalBody, true)
    .annotate(OpenApi.Summary, `E-mail ${what} once more, to the customer or to another address`)
    .annotate(
      OpenApi.Description,
      "What is accepted, by the authority or in contingency, is e-mailed to the customer's address by itself. What becomes of each e-mail is an event. A document is e-mailed at most 100 times."
    )

/** `GET …/{id}/emails` of invoices or notes. */
export const listEmails = <const Name extends string, const Path extends HttpRouter.PathInput>(
  name: Name,
  path: Path,
  what: string
) =>
  HttpApiEndpoint.get(name, path, {
    headers: versionHeader,
    params,
    query: EmailQuery,
    success: emailPage
  })
    .annotate(OpenApi.Summary, `List the e-mails of ${what}, newest first, with what they say and carry`)
    .annotate(
      OpenApi.Description,
      "With `content=true` the attachments are shown as well, in base64. In the sandbox this is where e-mails are read: they leave no machine."
    )
