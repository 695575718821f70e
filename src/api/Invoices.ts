import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Invoice, InvoiceCreated, InvoiceQuery, InvoiceRequest } from "../../schemas/Invoice.ts"
import { Validation } from "../../schemas/Validation.ts"
import { AnnulRequest, CreditNoteCreated } from "../../schemas/Note.ts"
import { Page } from "../../schemas/Page.ts"
import { TimelinePage } from "../../schemas/Timeline.ts"
import { Authorization } from "./Authorization.ts"
import {
  Conventions,
  honouredKeyHeaders,
  IdempotencyKey,
  Judged,
  requiredKeyHeaders,
  Rules,
  versionHeader,
  WholeDocument
} from "./Conventions.ts"
import { listEmails, sendEmail } from "./Emails.ts"
import { Errors } from "./Errors.ts"

const item = "/v1/invoices/:id"
const params = { id: Schema.String.annotate({ description: "The id of the object." }) }

export class InvoicesApi extends HttpApiGroup.make("invoices")
  .add(
    HttpApiEndpoint.post("createInvoice", "/v1/invoices", {
      headers: requiredKeyHeaders,
      payload: InvoiceRequest,
      success: InvoiceCreated.pipe(HttpApiSchema.status(202))
    })
      .annotate(IdempotencyKey, "required")
      .annotate(Rules, "invoice")
      .annotate(WholeDocument, "sent")
      .annotate(OpenApi.Summary, "Issue an invoice: answers at once with a draft; the outcome arrives as an event")
      .annotate(
        OpenApi.Description,
        "The invoice is stored and answered as a draft. Then it is numbered, signed and sent to the authority; its outcome is an event."
      )
  )
  .add(
    HttpApiEndpoint.post("validateInvoice", "/v1/invoices/validate", {
      headers: versionHeader,
      payload: InvoiceRequest,
      success: Validation
    })
      .annotate(Judged, true)
      .annotate(Rules, "invoice")
      .annotate(OpenApi.Summary, "Tell all that is wrong with an invoice; nothing is stored, and no number is used")
      .annotate(OpenApi.Description, "The rules are those of creation. `errors` is empty when `valid` is true.")
  )
  .add(
    HttpApiEndpoint.get("listInvoices", "/v1/invoices", {
      headers: versionHeader,
      query: InvoiceQuery,
      success: Page(Invoice, "InvoicePage")
    })
      .annotate(OpenApi.Summary, "List invoices, newest first")
      .annotate(OpenApi.Description, "Go on with `starting_after`, the id of the last one, while `has_more` is true.")
  )
  .add(
    HttpApiEndpoint.get("retrieveInvoice", item, {
      headers: versionHeader,
      params,
      success: Invoice
    })
      .annotate(OpenApi.Summary, "Retrieve an invoice")
      .annotate(
        OpenApi.Description,
        "Shows the number and the CUFE from when it has them, and why it was rejected or failed."
      )
  )
  .add(
    HttpApiEndpoint.post("cancelInvoice", `${item}/cancel`, {
      headers: honouredKeyHeaders,
      params,
      success: Invoice
    })
      .annotate(IdempotencyKey, "honoured")
      .annotate(WholeDocument, "moved")
      .annotate(OpenApi.Summary, "Cancel a draft that has no number yet")
      .annotate(
        OpenApi.Description,
        "Once an invoice has its number it can no longer be canceled: correct it by a credit note."
      )
  )
  .add(
    HttpApiEndpoint.post("retryInvoice", `${item}/retry`, {
      headers: requiredKeyHeaders,
      params,
      success: Invoice.pipe(HttpApiSchema.status(202))
    })
      .annotate(IdempotencyKey, "required")
      .annotate(WholeDocument, "moved")
      .annotate(OpenApi.Summary, "Try a failed invoice again; it keeps the number it has")
      .annotate(OpenApi.Description, "For an invoice whose `status` is `failed`, when its cause is mended.")
  )
  .add(
    HttpApiEndpoint.post("annulInvoice", `${item}/annul`, {
      headers: requiredKeyHeaders,
      params,
      payload: AnnulRequest,
      success: CreditNoteCreated.pipe(HttpApiSchema.status(202))
    })
      .annotate(IdempotencyKey, "required")
      .annotate(WholeDocument, "copied")
      .annotate(OpenApi.Summary, "Annul an accepted invoice: credit all its lines")
      .annotate(
        OpenApi.Description,
        "Answers with the credit note, of correction code 2. The invoice keeps its status. Only one of which nothing was credited can be annulled."
      )
  )
  .add(
    HttpApiEndpoint.get("retrieveInvoiceTimeline", `${item}/timeline`, {
      headers: versionHeader,
      params,
      success: TimelinePage
    })
      .annotate(OpenApi.Summary, "All that has happened to an invoice, oldest first")
      .annotate(OpenApi.Description, "Changes of its state, calls to the authority, events and their deliveries.")
  )
  .add(sendEmail("sendInvoiceEmail", `${item}/email`, "an invoice"))
  .add(listEmails("listInvoiceEmails", `${item}/emails`, "an invoice"))
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Invoices")
  .annotate(OpenApi.Description, "Electronic invoices, and what became of them.") {}
