import { Invoice, InvoiceCreated, InvoiceQuery, InvoiceRequest } from "../../schemas/Invoice.ts"
import { Validation } from "../../schemas/Validation.ts"
import { AnnulRequest, CreditNoteCreated } from "../../schemas/Note.ts"
import { Page } from "../../schemas/Page.ts"
import { TimelinePage } from "../../schemas/Timeline.ts"
import { accepted, get, group, nextPage, params, post, postKeyless, postOnce } from "./Endpoint.ts"
import { listEmails, sendEmail } from "./EmailApi.ts"

const item = "/v1/invoices/:id"

export class InvoicesApi extends group(
  "invoices",
  "Invoices",
  "Electronic invoices: create, list, cancel, retry, correct, annul and email them.",
  postOnce("createInvoice", "/v1/invoices", {
    payload: InvoiceRequest,
    success: accepted(InvoiceCreated),
    summary: "Create an invoice",
    description:
      "Stores the invoice and returns it as a draft. Folio then numbers it, signs it and transmits it to the tax authority. An event reports the outcome.",
    handling: { rules: "invoice", checkedAs: "invoice", creation: true, wholeDocument: "sent" }
  }),
  postKeyless("validateInvoice", "/v1/invoices/validate", {
    payload: InvoiceRequest,
    success: Validation,
    summary: "Validate an invoice",
    description:
      "Checks the body of a new invoice by the same rules as its creation, stores nothing and uses no number. Send the same body as to create an invoice. `errors` is empty if `valid` is true. `warnings` lists notifications that the authority would give without rejecting the invoice.",
    handling: { validates: true, creation: true, rules: "invoice", checkedAs: "invoice" }
  }),
  get("listInvoices", "/v1/invoices", {
    query: InvoiceQuery,
    success: Page(Invoice, "InvoicePage"),
    summary: "List invoices",
    description: `Lists invoices, newest first. ${nextPage}`
  }),
  get("retrieveInvoice", item, {
    params,
    success: Invoice,
    summary: "Retrieve an invoice",
    description:
      "Returns an invoice. A numbered invoice has its full number and CUFE. `authority_errors` explains a rejection, and `failure` explains a failure."
  }),
  post("cancelInvoice", `${item}/cancel`, {
    params,
    success: Invoice,
    summary: "Cancel an invoice",
    description:
      "Cancels a draft that has no number yet. You cannot cancel any other invoice. Correct an accepted invoice with a credit note.",
    handling: { wholeDocument: "moved" }
  }),
  postOnce("retryInvoice", `${item}/retry`, {
    params,
    success: accepted(Invoice),
    summary: "Retry a failed invoice",
    description:
      "Retries an invoice whose `status` is `failed` and whose `failure.retryable` is true. Fix the cause first. An invoice with a number keeps its number.",
    handling: { wholeDocument: "moved" }
  }),
  postOnce("correctInvoice", `${item}/correct`, {
    params,
    payload: InvoiceRequest,
    success: accepted(Invoice),
    summary: "Correct a rejected invoice",
    description:
      'Corrects an invoice whose `status` is `rejected_by_authority`. Send the whole corrected invoice, as for a new invoice: omitted fields are removed. The invoice keeps its id and its number, and gets a new issue date, CUFE, signed document and email. Its timeline keeps the rejection. If you send a `prefix`, it must be the prefix of the number. You cannot correct an invoice that broke rule 90 ("Documento procesado anteriormente"), because the authority has another document with its number.',
    handling: { rules: "invoice", checkedAs: "invoice", keepsNumber: true, wholeDocument: "sent" }
  }),
  postOnce("annulInvoice", `${item}/annul`, {
    params,
    payload: AnnulRequest,
    success: accepted(CreditNoteCreated),
    summary: "Annul an invoice",
    description:
      "Annuls an accepted invoice. Folio creates and returns a credit note over all lines of the invoice, with correction code 2. The invoice keeps its status. You cannot annul an invoice that is partly credited.",
    handling: { wholeDocument: "copied" }
  }),
  get("retrieveInvoiceTimeline", `${item}/timeline`, {
    params,
    success: TimelinePage,
    summary: "Retrieve an invoice timeline",
    description:
      "Lists the timeline of an invoice, oldest first: changes of state, calls to the tax authority, events, and the deliveries of these events."
  }),
  sendEmail("sendInvoiceEmail", `${item}/email`, "an invoice"),
  listEmails("listInvoiceEmails", `${item}/emails`, "invoice")
) {}
