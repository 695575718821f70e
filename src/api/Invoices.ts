import { Invoice, InvoiceCreated, InvoiceQuery, InvoiceRequest } from "../../schemas/Invoice.ts"
import { Validation } from "../../schemas/Validation.ts"
import { AnnulRequest, CreditNoteCreated } from "../../schemas/Note.ts"
import { Page } from "../../schemas/Page.ts"
import { TimelinePage } from "../../schemas/Timeline.ts"
import { accepted, get, group, nextPage, params, post, postKeyless, postOnce } from "./Endpoint.ts"
import { listEmails, sendEmail } from "./Emails.ts"

const item = "/v1/invoices/:id"

export class InvoicesApi extends group(
  "invoices",
  "Invoices",
  "Electronic invoices: created, listed, canceled, retried, annulled and e-mailed.",
  postOnce("createInvoice", "/v1/invoices", {
    payload: InvoiceRequest,
    success: accepted(InvoiceCreated),
    summary: "Create an invoice; it is issued after the answer, and an event tells the outcome",
    description:
      "The invoice is stored and answered as a draft. Folio then numbers it, signs it and submits it to the tax authority; an event tells the outcome.",
    handling: { rules: "invoice", checkedAs: "invoice", creation: true, wholeDocument: "sent" }
  }),
  postKeyless("validateInvoice", "/v1/invoices/validate", {
    payload: InvoiceRequest,
    success: Validation,
    summary: "Check an invoice without creating it",
    description:
      "The body is that of an invoice to create, and is checked against the same rules. Nothing is stored and no number is used. `errors` is empty when `valid` is true. `warnings` says what the authority would remark on without rejecting the invoice.",
    handling: { judged: true, creation: true, rules: "invoice", checkedAs: "invoice" }
  }),
  get("listInvoices", "/v1/invoices", {
    query: InvoiceQuery,
    success: Page(Invoice, "InvoicePage"),
    summary: "List invoices, newest first",
    description: nextPage
  }),
  get("retrieveInvoice", item, {
    params,
    success: Invoice,
    summary: "Retrieve an invoice",
    description:
      "The full number and the CUFE are shown once the invoice is numbered. `authority_errors` says why it was rejected, and `failure` why it failed."
  }),
  post("cancelInvoice", `${item}/cancel`, {
    params,
    success: Invoice,
    summary: "Cancel a draft that has no number yet",
    description:
      "Only a draft that has no number can be canceled. An invoice that was accepted is corrected by a credit note.",
    handling: { wholeDocument: "moved" }
  }),
  postOnce("retryInvoice", `${item}/retry`, {
    params,
    success: accepted(Invoice),
    summary: "Retry a failed invoice",
    description:
      "For an invoice whose `status` is `failed` and whose `failure.retryable` is true, once the cause is repaired. The invoice keeps its number, if it has one.",
    handling: { wholeDocument: "moved" }
  }),
  postOnce("correctInvoice", `${item}/correct`, {
    params,
    payload: InvoiceRequest,
    success: accepted(Invoice),
    summary: "Correct an invoice that the authority rejected; it keeps its number",
    description:
      'For an invoice whose `status` is `rejected_by_authority`. The body is the whole corrected invoice, as if it were created: what is left out is gone. The invoice keeps its id and its number, and gets a new issue date, CUFE, signed document and e-mail; its timeline keeps the rejection. A `prefix`, if it is sent, is that of the number. An invoice that broke rule 90 ("Documento procesado anteriormente") cannot be corrected: the authority has a document of its number.',
    handling: { rules: "invoice", checkedAs: "invoice", keepsNumber: true, wholeDocument: "sent" }
  }),
  postOnce("annulInvoice", `${item}/annul`, {
    params,
    payload: AnnulRequest,
    success: accepted(CreditNoteCreated),
    summary: "Annul an accepted invoice by a credit note over all of its lines",
    description:
      "Creates a credit note over all lines of the invoice, with correction code 2, and answers with it. The invoice keeps its status. An invoice of which a part was credited before cannot be annulled.",
    handling: { wholeDocument: "copied" }
  }),
  get("retrieveInvoiceTimeline", `${item}/timeline`, {
    params,
    success: TimelinePage,
    summary: "List everything that happened to an invoice, oldest first",
    description:
      "The entries are changes of state, calls to the tax authority, events, and the deliveries of these events."
  }),
  sendEmail("sendInvoiceEmail", `${item}/email`, "an invoice"),
  listEmails("listInvoiceEmails", `${item}/emails`, "an invoice")
) {}
