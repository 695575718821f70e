import { Effect } from "effect"
import { EmailId, InvoiceId, ResolutionId } from "../../../schemas/Id.ts"
import type { InvoiceState } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import type { KeyRights } from "../../../src/accounts/rules/KeyRights.ts"
import type { StoredInvoice } from "../../../src/invoices/store/Invoices.ts"
import { emailsMax } from "../../../src/invoices/store/Emails.ts"
import { resolutionsMax } from "../../../src/accounts/store/Resolutions.ts"
import { endpointsPerAccountMax } from "../../../src/webhooks/store/WebhookEndpoints.ts"
import {
  customerBody,
  endpointBody,
  invoiceBody,
  noteBody,
  partialNoteBody,
  resolutionBody
} from "../../support/apps/Invoices.ts"
import { apiKeyIds, keys, testMode } from "../../support/apps/Accounts.ts"
import { addCustomer, addEndpoint, addNote, addNumbered } from "../../support/apps/MemoryRows.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { bearer, send } from "../../support/apps/Requests.ts"
import { customer, get, post, refused } from "./Refused.ts"
import { atCalls } from "../../support/memory/Calls.ts"

const used = (key: string) => customer(customerBody(), { "idempotency-key": key })

const breakCall = (name: string) => atCalls(name, Effect.die(new Error("select password from secrets")))

const endpoint = endpointBody("https://hooks.example.com/folio")

const numberedId = InvoiceId.make(`inv_${"9".repeat(26)}`)

/** A document with this id and a number, in this state. */
const numbered = Effect.fnUntraced(function* (
  state: InvoiceState,
  authority_errors: StoredInvoice["authority_errors"] = []
) {
  const { tables } = yield* MemoryTables
  const { id } = yield* addNumbered(yield* addCustomer())
  const row = tables.invoices.get(id)
  if (row !== undefined)
    tables.invoices.set(numberedId, {
      ...row,
      id: numberedId,
      state,
      authority_errors,
      next_action_at: null
    })
})

/** Restricts the test key. */
const restrict = (rights: Partial<KeyRights>) =>
  Effect.map(MemoryTables, ({ tables: { apiKeys } }) =>
    apiKeys.set(apiKeyIds.test, { ...apiKeys.get(apiKeyIds.test)!, ...rights })
  )

const ofPrefix = (prefix: string) => post("/v1/invoices", { ...invoiceBody("cust_1"), prefix })
const known = { rule: "90", severity: "rejection", message: "Procesado.", path: null, hint: null } as const

/** A note to that document that the authority may still accept or reject. */
const openNote = addNote("credit_note", numberedId, "submitted")

/** Requests that are wrong because of an earlier change. */
export const badMoments = [
  {
    given: restrict({ capabilities: ["create", "keys"] }),
    bad: refused("capability_missing", [
      ["a change without its capability", post("/v1/webhook-endpoints", endpoint), /lacks the capability endpoints/],
      ["a read with create alone", get("/v1/account"), /lacks the capability read/]
    ])
  },
  {
    given: restrict({ allowed_ips: ["203.0.113.0/24"] }),
    bad: refused("ip_not_allowed", [
      ["a request from elsewhere", get("/v1/account"), /allowed_ips do not contain the address/]
    ])
  },
  {
    given: send(used("a")),
    bad: refused("idempotency_conflict", [
      [
        "a key used for another body",
        customer({ ...customerBody(), legal_name: "Otra" }, { "idempotency-key": "a" }),
        /"a" was used for another request/
      ]
    ])
  },
  {
    given: send(used("b")),
    bad: refused("idempotency_conflict", [
      [
        "a key used on another path",
        post("/v1/webhook-endpoints", endpoint, { "idempotency-key": "b" }),
        /another path/
      ]
    ])
  },
  {
    given: Effect.forEach(Array.from({ length: endpointsPerAccountMax }), () => addEndpoint()),
    bad: refused("endpoint_limit_reached", [
      ["one endpoint over the limit", post("/v1/webhook-endpoints", endpoint), /at most 16/]
    ])
  },
  {
    given: Effect.gen(function* () {
      yield* numbered("accepted_by_authority")
      const { tables } = yield* MemoryTables
      for (let index = 0; index < emailsMax; index++) {
        const id = EmailId.make(`em_${String(index).padStart(26, "0")}`)
        tables.emails.set(id, {
          ...testMode,
          id,
          invoice_id: numberedId,
          document_state: "accepted_by_authority",
          recipient: "a@example.com",
          status: "delivered",
          reason: null,
          status_at: 0,
          attempts: 1,
          next_attempt_at: null,
          created_at: 0
        })
      }
    }),
    bad: refused("email_limit_reached", [
      [
        "one email over the limit",
        post(`/v1/invoices/${numberedId}/email`, { to: "a@example.com" }),
        /at most 100 times/
      ]
    ])
  },
  {
    given: Effect.map(MemoryTables, ({ tables }) => {
      const [range] = tables.resolutions.values()
      if (range === undefined) return
      for (let index = 0; index < resolutionsMax; index++) {
        const id = ResolutionId.make(`res_${String(index).padStart(26, "0")}`)
        tables.resolutions.set(id, { ...range, ...testMode, id, prefix: "ALL" })
      }
    }),
    bad: refused("resolution_limit_reached", [
      [
        "one range over the limit",
        post("/v1/resolutions", resolutionBody({ prefix: "NEW" })),
        /at most 1000 numbering ranges/
      ]
    ])
  },
  {
    given: numbered("numbered"),
    bad: [
      ...refused("invoice_not_cancelable", [
        ["a document with a number", post(`/v1/invoices/${numberedId}/cancel`, undefined), /without a number/]
      ]),
      ...refused("invoice_not_retryable", [
        ["a document that has not failed", post(`/v1/invoices/${numberedId}/retry`, undefined), /Only a failed invoice/]
      ]),
      ...refused("invoice_not_rejected", [
        [
          "a correction of a document that was not rejected",
          post(`/v1/invoices/${numberedId}/correct`, invoiceBody("cust_1")),
          /Only an invoice that the authority rejected/
        ]
      ]),
      ...refused("invoice_not_correctable", [
        [
          "a note to an invoice without an outcome",
          post("/v1/credit-notes", noteBody(numberedId)),
          /Only an invoice that was accepted can be corrected/,
          "invoice_id"
        ],
        [
          "an email of a document that is not accepted",
          post(`/v1/invoices/${numberedId}/email`, { to: "a@example.com" }),
          /accepted/
        ]
      ])
    ]
  },
  {
    given: numbered("rejected_by_authority", [known]),
    bad: refused("invoice_number_processed", [
      [
        "a correction of a document whose number the authority has",
        post(`/v1/invoices/${numberedId}/correct`, invoiceBody("cust_1")),
        /has already processed a document with the number \w+, /
      ]
    ])
  },
  {
    given: Effect.andThen(numbered("rejected_by_authority"), openNote),
    bad: refused("invoice_has_open_notes", [
      [
        "a correction of an invoice whose note has no outcome",
        post(`/v1/invoices/${numberedId}/correct`, invoiceBody("cust_1")),
        /^The note cn_\w+ corrects this invoice/
      ]
    ])
  },
  {
    given: numbered("accepted_by_authority"),
    bad: refused("credit_exceeds_invoice", [
      [
        "more than the invoice has left",
        post("/v1/credit-notes", partialNoteBody(numberedId, "119000.01")),
        /^The invoice has \d+\.\d\d left to credit\./,
        "lines"
      ]
    ])
  },
  {
    given: send(post("/v1/resolutions", resolutionBody({ valid_to: "2026-11-20" }))),
    bad: refused("range_expired", [
      ["an invoice from a range that has expired", ofPrefix("FE"), /"FE" has expired\. Extend its validity/, "prefix"]
    ])
  },
  {
    given: Effect.gen(function* () {
      yield* send(post("/v1/resolutions", resolutionBody({ from_number: 1, to_number: 1 })))
      const { tables } = yield* MemoryTables
      tables.resolutions.forEach((row, id) =>
        tables.resolutions.set(id, { ...row, next_number: row.prefix === "FE" ? 2n : row.next_number })
      )
    }),
    bad: refused("range_exhausted", [
      ["an invoice from an exhausted range", ofPrefix("FE"), /"FE" has no number left\. Register another/, "prefix"]
    ])
  },
  {
    given: Effect.map(MemoryTables, ({ tables }) => {
      tables.resolutions.forEach((row, id) => tables.resolutions.set(id, { ...row, is_active: false }))
    }),
    bad: refused("no_numbering_range", [
      [
        "an invoice of an account without an active range",
        post("/v1/invoices", invoiceBody("cust_1")),
        /^No numbering range is active today/,
        "prefix"
      ]
    ])
  },
  {
    given: send(post("/v1/resolutions", resolutionBody({ from_number: 10, to_number: 20 }))),
    bad: refused("resolution_overlap", [
      [
        "a range with a number of another",
        post("/v1/resolutions", resolutionBody({ from_number: 20, to_number: 30 })),
        /numbers 20 to 30 of prefix "FE" overlap the numbers of res_\w+, 10 to 20 of prefix "FE"/
      ],
      [
        "a range that prints a number of another",
        post("/v1/resolutions", resolutionBody({ prefix: "FE1", from_number: 1, to_number: 3 })),
        /numbers 1 to 3 of prefix "FE1" overlap the numbers of res_\w+, 10 to 20 of prefix "FE"/
      ]
    ])
  },
  {
    given: Effect.map(MemoryTables, ({ tables }) => tables.certificates.clear()),
    bad: refused(
      "account_not_live",
      (
        [
          ["/v1/invoices", invoiceBody("cust_1")],
          ["/v1/credit-notes", noteBody("inv_1")]
        ] as const
      ).map(
        ([path, body]) =>
          [
            `a live POST ${path} without a certificate`,
            post(path, body, bearer(keys.live)),
            /no signing certificate/
          ] as const
      )
    )
  },
  {
    given: breakCall("Customers.find"),
    bad: refused("internal_error", [["a read that fails", get("/v1/customers/cust_1"), /inside the service/]])
  },
  {
    given: breakCall("ApiKeys.authenticate"),
    bad: refused("internal_error", [["a key that cannot be looked up", get("/v1/account"), /inside the service/]])
  },
  {
    given: breakCall("Customers.create"),
    bad: refused("internal_error", [["a command that fails", customer(customerBody()), /inside the service/]])
  },
  {
    given: breakCall("Database.answers"),
    bad: refused("service_unavailable", [["a database that does not answer", get("/health/ready"), /database/]])
  }
].flatMap(({ bad, given }) => bad.map((one) => ({ ...one, given })))
