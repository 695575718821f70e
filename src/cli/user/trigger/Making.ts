import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import type {
  CustomerRequest,
  DebitNoteRequest,
  EventType,
  InvoiceRequest,
  Line,
  Operations
} from "../../../clients/typescript/Interface.ts"
import { Api } from "../ApiRequests.ts"
import { Failed } from "../Failures.ts"
import { Output } from "../Output.ts"
import { withSettings } from "./TriggerSettings.ts"

type Script = NonNullable<Operations["testHelpers"]["setSandboxAuthority"]["request"]["payload"]["next"]>[number]

const paths = { invoice: "/v1/invoices", credit_note: "/v1/credit-notes", debit_note: "/v1/debit-notes" } as const
type Document = keyof typeof paths

const customer: CustomerRequest = {
  identification: { type: "31", number: "900000001", check_digit: "1" },
  legal_name: "Cliente de folio trigger S.A.S.",
  organization_type: "1"
}

const line: Line = {
  description: "Consultoría",
  quantity: "1.00",
  unit_code: "94",
  unit_price: "100000.00",
  line_extension_amount: "100000.00",
  taxes: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }]
}

const accept: Script = { accept: true }

/** The sandbox script for each outcome other than acceptance. */
const scripts: Readonly<Record<string, Script>> = {
  rejected_by_authority: { reject: ["FAD06"] },
  accepted_contingency: { contingency: true },
  failed: { fail: true }
}

/** The sandbox addresses for each email outcome. */
const addresses: Readonly<Record<string, string>> = {
  "email.delivered": "cliente@example.test",
  "email.bounced": "cliente@bounced.test",
  "email.complained": "cliente@complained.test"
}

const verdicts = ["accepted_by_authority", "rejected_by_authority", "accepted_contingency", "failed"] as const

const partsOf = (type: EventType) => type.split(/\.(.*)/) as [document: Document, outcome: string]

const patience = "2 minutes"

const orFailed = (message: string) =>
  Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(new Failed({ message })) })

/** Waits for a document's event of this type. Fails if the document gets another outcome. */
export const awaited = Effect.fnUntraced(function* (type: EventType, object_id: string) {
  const api = yield* Api
  const [document, outcome] = partsOf(type)
  const ends = outcome in addresses ? [] : verdicts.map((verdict): EventType => `${document}.${verdict}`)
  const query = { object_id, "types[]": [...new Set([type, ...ends])], wait: 20 }
  const look = Effect.gen(function* () {
    for (;;) {
      const [first] = (yield* api.call("events", "listEvents", { query })).data
      if (first?.type === type) return first
      if (first !== undefined) {
        return yield* new Failed({
          message: `${object_id} ended as ${first.type}, not as ${type}.`,
          hint: "Another document was created in between and used this document's script. Repeat the command."
        })
      }
    }
  })
  return yield* orFailed(`${type} of ${object_id} did not happen within ${patience}.`)(look)
})

/** The id of the customer. A fixed idempotency key makes it the same customer every time. */
const customerId = Effect.fnUntraced(function* (key: string | undefined) {
  const api = yield* Api
  return (yield* api.call("customers", "createCustomer", { payload: customer }, { key })).id
})

const fixedKey = `folio-trigger-${createHash("sha256").update(JSON.stringify(customer)).digest("hex").slice(0, 12)}`

/** Sets these scripts for the account's next sandbox documents. */
const direct = Effect.fnUntraced(function* (next: ReadonlyArray<Script>) {
  const api = yield* Api
  const output = yield* Output
  // The mode has priority over a script. The response lists the earlier scripts that are left.
  const before = yield* api.call("testHelpers", "setSandboxAuthority", { payload: { mode: "up" } })
  if (before.next.length > 0) {
    yield* output.say(({ dim }) => dim("Replacing the account's remaining sandbox scripts."))
  }
  yield* api.call("testHelpers", "setSandboxAuthority", { payload: { next } })
})

const makeInvoice = Effect.fnUntraced(function* (settings: ReadonlyArray<string>) {
  const api = yield* Api
  const attempt = Effect.fnUntraced(function* (key: string | undefined) {
    const request: InvoiceRequest = {
      customer_id: yield* customerId(key),
      currency: "COP",
      operation_type: "10",
      payment_means: { code: "10", type: "1" },
      lines: [line]
    }
    return yield* api.call("invoices", "createInvoice", { payload: yield* withSettings(request, settings) })
  })
  return yield* attempt(fixedKey).pipe(
    // The customer of the fixed key was deleted.
    Effect.catchIf(
      (error) => error._tag === "Refused" && error.body.error.param === "customer_id",
      () => attempt(undefined)
    )
  )
})

/** Removes the scripts, so that they do not apply to a later document if this one was not created. */
const takeBack = Effect.flatMap(Api, (api) =>
  Effect.ignore(
    api.call("testHelpers", "setSandboxAuthority", { payload: { next: [] } }, { isOnce: true, timeoutMs: 5_000 })
  )
)

const scripted = Effect.fnUntraced(function* (document: Document, settings: ReadonlyArray<string>) {
  const api = yield* Api
  if (document === "invoice") return yield* makeInvoice(settings)
  const { id } = yield* makeInvoice([])
  yield* awaited("invoice.accepted_by_authority", id)
  const request: DebitNoteRequest = { invoice_id: id, correction_code: "1", reason: "Ajuste", lines: [line] }
  const payload = yield* withSettings(request, settings)
  return document === "credit_note"
    ? yield* api.call("creditNotes", "createCreditNote", { payload })
    : yield* api.call("debitNotes", "createDebitNote", { payload })
})

const makeDocument = Effect.fnUntraced(function* (document: Document, script: Script, settings: ReadonlyArray<string>) {
  yield* direct(document === "invoice" ? [script] : [accept, script])
  return yield* Effect.onError(scripted(document, settings), () => takeBack)
})

/** Creates a sandbox document that leads to this event, and gives the document as created. */
export const make = Effect.fnUntraced(function* (type: EventType, settings: ReadonlyArray<string>) {
  const api = yield* Api
  const [document, outcome] = partsOf(type)
  const created = yield* makeDocument(document, scripts[outcome] ?? accept, settings)
  const to = addresses[outcome]
  if (to !== undefined) {
    yield* awaited(`${document}.accepted_by_authority`, created.id)
    yield* api.send({ method: "POST", path: `${paths[document]}/${created.id}/email`, body: JSON.stringify({ to }) })
  }
  return created
})
