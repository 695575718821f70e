import { invoiceBody, noteBody, originalNoteBody, periodNoteBody } from "../../support/apps/Invoices.ts"
import { get, post, refused } from "./Refused.ts"

const credit = (fields: object) => post("/v1/credit-notes", { ...noteBody("inv_1"), ...fields })
const debit = (fields: object) => post("/v1/debit-notes", { ...noteBody("inv_1"), ...fields })
const annul = (body: unknown) => post("/v1/invoices/inv_1/annul", body)

const ofAnother = { ...originalNoteBody("cust_1"), invoice_id: undefined }
const ofPeriod = { ...periodNoteBody("cust_1"), invoice_id: undefined }
const twoMonths = { period: { start_date: "2026-09-30", end_date: "2026-10-01" } }
const numbered = (full_number: string) => ({ original: { ...ofAnother.original, full_number } })

/** The faults of notes, and of an invoice's prefix. */
export const badNotes = [
  ...refused("parameter_missing", [
    [
      "a note to an unknown invoice",
      credit({ invoice_id: undefined }),
      /invoice_id is required, or else original/,
      "invoice_id"
    ],
    ["a note without a reason", debit({ reason: undefined }), /reason is required/, "reason"],
    ["a note without a code", debit({ correction_code: undefined }), /required/, "correction_code"],
    ["a note without lines", credit({ lines: undefined }), /lines is required/, "lines"],
    ["an annulment without a reason", annul({}), /reason is required/, "reason"]
  ]),
  ...refused("parameter_missing", [
    [
      "a note to another system's invoice, without a buyer",
      credit({ ...ofAnother, customer_id: undefined }),
      /required/,
      "customer_id"
    ],
    ["a note of a period, without a currency", debit({ ...ofPeriod, currency: undefined }), /required/, "currency"]
  ]),
  ...refused("parameter_invalid", [
    [
      "a note of two months",
      credit({ ...ofPeriod, ...twoMonths }),
      /the month of start_date, 2026-09/,
      "period.end_date"
    ],
    [
      "a number without an invoice",
      credit({ ...ofAnother, ...numbered("POS-1") }),
      /letters and digits/,
      "original.full_number"
    ]
  ]),
  ...refused("parameter_invalid_empty", [
    ["a note without lines", debit({ lines: [] }), /at least one line/, "lines"],
    ["an empty reason", credit({ reason: "" }), /must not be empty/, "reason"]
  ]),
  ...refused("parameter_too_long", [
    ["a reason of 501 characters", credit({ reason: "x".repeat(501) }), /at most 500/, "reason"]
  ]),
  ...refused("parameter_unknown", [
    ["an annulment with lines", annul({ reason: "x", lines: [] }), /not known/, "lines"],
    ["a filter by customer", get("/v1/credit-notes?customer_id=cust_1"), /not known/, "customer_id"]
  ]),
  ...refused("unknown_catalog_code", [
    ["a debit reason for a credit", credit({ correction_code: "7" }), /concepto-nota-credito/, "correction_code"],
    ["a credit reason for a debit", debit({ correction_code: "5" }), /concepto-nota-debito/, "correction_code"]
  ]),
  ...refused("parameter_invalid", [
    ["a status that no note has", get("/v1/debit-notes?status=numbered"), /one of draft/, "status"],
    [
      "a prefix in small letters",
      post("/v1/invoices", { ...invoiceBody("cust_1"), prefix: "fe" }),
      /capital letters/,
      "prefix"
    ],
    [
      "a prefix without a range",
      post("/v1/invoices", { ...invoiceBody("cust_1"), prefix: "ZZ" }),
      /no numbering range for invoices with the prefix "ZZ"/,
      "prefix"
    ],
    [
      "a prefix of a notes' range",
      post("/v1/invoices", { ...invoiceBody("cust_1"), prefix: "NC" }),
      /no numbering range for invoices with the prefix "NC"/,
      "prefix"
    ]
  ]),
  ...refused("resource_missing", [
    ["a note to a missing invoice", credit({}), /no invoice "inv_1"/, "invoice_id"],
    ["an annulment of a missing invoice", annul({ reason: "x" }), /no invoice "inv_1"/],
    ["a missing credit note", get("/v1/credit-notes/cn_1"), /no credit note "cn_1"/],
    ["a missing debit note", get("/v1/debit-notes/dn_1"), /no debit note "dn_1"/],
    ["a debit note at the credit notes' path", get("/v1/credit-notes/dn_1"), /no credit note "dn_1"/],
    ["a retry of a missing note", post("/v1/debit-notes/dn_1/retry"), /no debit note "dn_1"/],
    ["a cancellation of a missing note", post("/v1/credit-notes/cn_1/cancel"), /no credit note "cn_1"/],
    ["the timeline of a missing note", get("/v1/credit-notes/cn_1/timeline"), /no credit note "cn_1"/]
  ])
]
