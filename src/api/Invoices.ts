import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Invoice, InvoiceCreated, InvoiceQuery, InvoiceRequest, Validation } from "../../schemas/Invoice.ts"
import { Page } from "../../schemas/Page.ts"
import { Authorization } from "./Authorization.ts"
import { Conventions, IdempotencyKey, Judging, requiredKeyHeaders, Rules, versionHeader } from "./Conventions.ts"
import { Errors } from "./Errors.ts"

export class InvoicesApi extends HttpApiGroup.make("invoices")
  .add(
    HttpApiEndpoint.post("createInvoice", "/v1/invoices", {
      headers: requiredKeyHeaders,
      payload: InvoiceRequest,
      success: InvoiceCreated.pipe(HttpApiSchema.status(202))
    })
      .annotate(IdempotencyKey, "required")
      .annotate(Rules, "invoice")
      .annotate(OpenApi.Summary, "Issue an invoice: answers at once with a draft; the outcome arrives as an event")
  )
  .add(
    HttpApiEndpoint.post("validateInvoice", "/v1/invoices/validate", {
      headers: versionHeader,
      payload: InvoiceRequest,
      success: Validation
    })
      .middleware(Judging)
      .annotate(Rules, "invoice")
      .annotate(OpenApi.Summary, "Tell all that is wrong with an invoice; nothing is stored, and no number is used")
  )
  .add(
    HttpApiEndpoint.get("listInvoices", "/v1/invoices", {
      headers: versionHeader,
      query: InvoiceQuery,
      success: Page(Invoice, "InvoicePage")
    }).annotate(OpenApi.Summary, "List invoices, newest first")
  )
  .add(
    HttpApiEndpoint.get("retrieveInvoice", "/v1/invoices/:id", {
      headers: versionHeader,
      params: { id: Schema.String },
      success: Invoice
    }).annotate(OpenApi.Summary, "Retrieve an invoice")
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Invoices") {}
