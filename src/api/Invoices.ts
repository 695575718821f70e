import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Invoice, InvoiceCreated, InvoiceRequest } from "../../schemas/Invoice.ts"
import { Page, PageQuery } from "../../schemas/Page.ts"
import { Authorization } from "./Authorization.ts"
import { Conventions, IdempotencyKey, requiredKeyHeaders, versionHeader } from "./Conventions.ts"
import { Errors } from "./Errors.ts"

export class InvoicesApi extends HttpApiGroup.make("invoices")
  .add(
    HttpApiEndpoint.post("createInvoice", "/v1/invoices", {
      headers: requiredKeyHeaders,
      payload: InvoiceRequest,
      success: InvoiceCreated.pipe(HttpApiSchema.status(202))
    })
      .annotate(IdempotencyKey, "required")
      .annotate(OpenApi.Summary, "Issue an invoice: answers at once with a draft; the outcome arrives as an event")
      .annotate(
        OpenApi.Description,
        "The invoice is stored and answered as a draft. Then it is numbered, signed and sent to the authority; its outcome is an event."
      )
  )
  .add(
    HttpApiEndpoint.get("listInvoices", "/v1/invoices", {
      headers: versionHeader,
      query: PageQuery,
      success: Page(Invoice, "InvoicePage")
    })
      .annotate(OpenApi.Summary, "List invoices, newest first")
      .annotate(OpenApi.Description, "Go on with `starting_after`, the id of the last one, while `has_more` is true.")
  )
  .add(
    HttpApiEndpoint.get("retrieveInvoice", "/v1/invoices/:id", {
      headers: versionHeader,
      params: { id: Schema.String.annotate({ description: "The id of the object." }) },
      success: Invoice
    })
      .annotate(OpenApi.Summary, "Retrieve an invoice")
      .annotate(
        OpenApi.Description,
        "Shows the number and the CUFE from when it has them, and why it was rejected or failed."
      )
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Invoices")
  .annotate(OpenApi.Description, "Electronic invoices, and what became of them.") {}
