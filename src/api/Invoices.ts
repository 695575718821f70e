import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Invoice, InvoiceCreated, InvoiceQuery, InvoiceRequest, Validation } from "../../schemas/Invoice.ts"
import { Page } from "../../schemas/Page.ts"
import { TimelineEntry } from "../../schemas/Timeline.ts"
import { Authorization } from "./Authorization.ts"
import {
  Conventions,
  honouredKeyHeaders,
  IdempotencyKey,
  Judging,
  requiredKeyHeaders,
  Rules,
  versionHeader
} from "./Conventions.ts"
import { Errors } from "./Errors.ts"

const item = "/v1/invoices/:id"
const params = { id: Schema.String }

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
    HttpApiEndpoint.get("retrieveInvoice", item, {
      headers: versionHeader,
      params,
      success: Invoice
    }).annotate(OpenApi.Summary, "Retrieve an invoice")
  )
  .add(
    HttpApiEndpoint.post("cancelInvoice", `${item}/cancel`, {
      headers: honouredKeyHeaders,
      params,
      success: Invoice
    })
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Cancel a draft that has no number yet")
  )
  .add(
    HttpApiEndpoint.post("retryInvoice", `${item}/retry`, {
      headers: requiredKeyHeaders,
      params,
      success: Invoice.pipe(HttpApiSchema.status(202))
    })
      .annotate(IdempotencyKey, "required")
      .annotate(OpenApi.Summary, "Try a failed invoice again; it keeps the number it has")
  )
  .add(
    HttpApiEndpoint.get("retrieveInvoiceTimeline", `${item}/timeline`, {
      headers: versionHeader,
      params,
      success: Page(TimelineEntry, "TimelinePage")
    }).annotate(OpenApi.Summary, "All that has happened to an invoice, oldest first")
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Invoices") {}
