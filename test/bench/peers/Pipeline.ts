import { Effect } from "effect"
import { Pool as HttpPool } from "undici"
import type { InvoiceRequest } from "../../../schemas/Invoice.ts"
import { type Certificate, fromPem, makeSelfSigned } from "../../../src/documents/signature/Certificate.ts"
import type { FiscalDocument } from "../../../src/documents/ubl/FiscalDocument.ts"
import { readSignedDocument, signDocument } from "../../../src/documents/signature/SignedDocument.ts"
import type { Software } from "../../../src/documents/ubl/UblSoftware.ts"
import { issueTime, localDate, timestamp } from "../../../src/runtime/AuthorityTime.ts"
import { sandboxIdentification } from "../../../src/documents/rules/parties/CheckDigit.ts"
import { cufeTail } from "../../../src/documents/rules/Cufe.ts"
import { taxTotal, totalsOf } from "../../../src/documents/rules/Totals.ts"
import { colombianSandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import { signatureHeaders } from "../../../src/webhooks/rules/WebhookSignature.ts"
import { variable } from "./Program.ts"
import { newId } from "./Tables.ts"

/*
 * The work of each pipeline step apart from its rows, for any queue: the service's own code for codes, documents and
 * signatures. The account, its customer, its endpoint and its range are fixed and never looked up.
 */
const accountId = newId("acct")
const environment = "2"
const sameOfAll = {
  kind: "invoice",
  in_contingency: false,
  prefix: "SETP",
  environment,
  exchange_rate: null,
  range: {
    number: "18760000001",
    prefix: "SETP",
    from_number: "990000000",
    to_number: "995000000",
    valid_from: "2019-01-19",
    valid_to: "2030-01-19"
  },
  correction: null
} as const
const eventType = "invoice.accepted_by_authority"
const acquirer = {
  identification: sandboxIdentification,
  legal_name: "Cliente de Prueba S.A.S.",
  organization_type: "1"
} as const
const acquirerJson = JSON.stringify(acquirer)

const software: Software = {
  provider: { number: "900373115", check_digit: "3" },
  id: "f0110000-0000-4000-8000-000000000000",
  pin: "12345"
}

const certificate: Certificate = fromPem(await Effect.runPromise(makeSelfSigned("Folio bench", new Date())))

/** Columns of an invoice that the steps after its number read; `issue_date` as text. */
export const invoiceColumns =
  "id, full_number, cufe, issue_date::text as issue_date, issue_time, currency, operation_type, payment_means, lines, totals, acquirer, metadata, version"
export interface NumberedInvoice extends Omit<FiscalDocument, keyof typeof sameOfAll | "issuer"> {
  readonly id: string
  readonly metadata: Record<string, string>
  readonly version: number
}

/** Values of a draft's row, in the order of `draftColumns`. */
export const draftColumns =
  "account_id, livemode, id, customer_id, state, currency, operation_type, payment_means, lines, totals, acquirer, metadata"
export const draftPlaceholders = "$1, false, $2, $3, 'queued', $4, $5, $6, $7, $8, $9, $10"
export const draftOf = (request: InvoiceRequest) => {
  const id = newId("inv")
  const values = [
    accountId,
    id,
    request.customer_id,
    request.currency,
    request.operation_type,
    JSON.stringify(request.payment_means),
    JSON.stringify(request.lines),
    JSON.stringify(totalsOf(request.lines)),
    acquirerJson,
    JSON.stringify(request.metadata ?? {})
  ]
  return { id, values }
}

/**
 * Issue time of an invoice, and the input of its code after the number. The job that numbers the invoice carries it.
 */
export interface Issue {
  readonly issue_date: string
  readonly issue_time: string
  readonly cufe_tail: string
}
export const issueOf = (request: InvoiceRequest): Issue => {
  const now = Date.now()
  const totals = totalsOf(request.lines)
  const issue_date = localDate(now)
  const issue_time = issueTime(now)
  const cufe_tail = cufeTail({
    issue_date,
    issue_time,
    line_extension_amount: totals.line_extension_amount,
    tax_01: taxTotal(totals, "01"),
    tax_04: taxTotal(totals, "04"),
    tax_03: taxTotal(totals, "03"),
    payable_amount: totals.payable_amount,
    supplier_nit: colombianSandbox.issuer.identification.number,
    customer_id: acquirer.identification.number,
    key: colombianSandbox.range.technical_key,
    environment
  })
  return { issue_date, issue_time, cufe_tail }
}

/** The signed bytes of the document. */
export const sign = async (row: NumberedInvoice): Promise<Buffer> => {
  const { id: _id, metadata: _metadata, version: _version, ...rest } = row
  const content: FiscalDocument = { ...rest, ...sameOfAll, issuer: colombianSandbox.issuer }
  return Buffer.from(await Effect.runPromise(signDocument(content, software, certificate)))
}

/** The authority's immediate response, and the event with the outcome. Throws unless the document is accepted. */
export const submit = (row: NumberedInvoice, signed: Buffer) => {
  const document = readSignedDocument(signed)
  if (document === null || document.cufe !== row.cufe) throw new Error(`the authority cannot read ${row.full_number}`)
  const answer = {
    StatusCode: "00",
    IsValid: true,
    StatusDescription: "Procesado Correctamente.",
    StatusMessage: `La Factura electrónica ${document.full_number}, ha sido autorizada.`,
    ErrorMessage: []
  }
  const id = newId("evt")
  const object = {
    id: row.id,
    object: "invoice",
    status: "accepted_by_authority",
    cufe: row.cufe,
    pdf_url: null,
    full_number: row.full_number,
    authority_errors: [],
    authority_notifications: [],
    failure: null,
    metadata: row.metadata,
    version: row.version + 1
  }
  const body = JSON.stringify({
    id,
    object: "event",
    type: eventType,
    created: timestamp(Date.now()),
    livemode: false,
    account: accountId,
    data: { object }
  })
  return { answer: JSON.stringify(answer), event: { id, type: eventType, body }, delivery: newId("whd") }
}

export const endpointId = newId("we")
const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
const receiver = new URL(variable("RECEIVER"))
const connections = new HttpPool(receiver.origin, { connections: 64, pipelining: 1 })

/** Sends the stored bytes over a kept connection. Throws unless the receiver answers 2xx. */
export const deliver = async (event: { readonly id: string; readonly type: string; readonly body: string }) => {
  const startedAt = Date.now()
  const messageId = event.id
  const { body, statusCode } = await connections.request({
    method: "POST",
    path: receiver.pathname,
    headers: {
      ...signatureHeaders({ secret, messageId, timestamp: Math.floor(startedAt / 1_000), body: event.body }),
      "Svc-Event-Id": event.id,
      "Svc-Event-Type": event.type,
      "Svc-Webhook-Id": endpointId,
      "content-type": "application/json"
    },
    body: event.body
  })
  await body.dump()
  if (statusCode < 200 || statusCode > 299) throw new Error(`the receiver answered ${statusCode}`)
  return { startedAt: new Date(startedAt), durationMs: Date.now() - startedAt, status: statusCode }
}

/** Closes the connections to the receiver. */
export const close = (): Promise<void> => connections.close()
