import { Record } from "effect"
import { type EventType, eventTypes } from "../../schemas/Event.ts"
import { exampleOf, type Schemas } from "./Examples.ts"

const happened: Record.ReadonlyRecord<string, string> = {
  accepted_by_authority: "was accepted by the authority",
  rejected_by_authority: "was rejected by the authority; the reasons are in `authority_errors`",
  accepted_contingency:
    "was issued in contingency (type 04); a second event reports whether the authority accepts or rejects it",
  failed: "failed inside Folio; the authority has neither accepted nor rejected it",
  "email.delivered": "was delivered to the customer by email",
  "email.bounced": "could not be delivered by email: the address does not accept it",
  "email.complained": "was marked as spam by the customer"
}

const rejection = {
  rule: "FAD06",
  severity: "rejection",
  message: "El CUFE no está calculado correctamente.",
  path: null,
  hint: null
}

/** The document type of an event type, such as `credit_note`, and the outcome, such as `email.bounced`. */
const partsOf = (type: EventType) => {
  const [object = "", ...outcome] = type.split(".")
  return { object, outcome: outcome.join(".") }
}

const eventExample = (type: EventType, schemas: Schemas) => {
  const { object, outcome } = partsOf(type)
  const example = (name: string) => exampleOf({ $ref: `#/components/schemas/${name}` }, schemas) as object
  const document = example(object === "invoice" ? "InvoiceSnapshot" : "NoteSnapshot") as { readonly id: string }
  const id = object === "debit_note" ? document.id.replace("cn_", "dn_") : document.id
  const status = outcome.replace("email.", "")
  const happenedTo = outcome.startsWith("email.")
    ? {
        ...example("EmailSnapshot"),
        document_id: id,
        document_type: object,
        status,
        reason: status === "bounced" ? "550 5.1.1 No such user" : null
      }
    : {
        ...document,
        id,
        object,
        status,
        authority_errors: status === "rejected_by_authority" ? [rejection] : [],
        ...(status === "failed"
          ? { failure: { code: "range_exhausted", message: "The range has no number left.", retryable: true } }
          : {})
      }
  return { ...example("Event"), type, data: { object: happenedTo } }
}

const headers: Record.ReadonlyRecord<string, readonly [description: string, example: string]> = {
  "Svc-Event-Id": [
    "Id of the event, the same in every attempt. Store it to detect duplicates.",
    "evt_01k9z3v8c2m4n6p8q0r2s4t6v8"
  ],
  "Svc-Event-Type": ["Type of the event.", "invoice.accepted_by_authority"],
  "Svc-Signature": [
    "Signature in the form `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<raw body>` with the endpoint's secret. Reject deliveries that are older than 300 seconds.",
    "t=1795273200,v1=9840a84a307daee0db92137eca61d268ea57ee891887f00c09814562486da96e"
  ],
  "Svc-Webhook-Id": ["Id of the endpoint.", "we_01k9z3v8c2m4n6p8q0r2s4t6v8"],
  "webhook-id": ["Id of the event, as in Standard Webhooks.", "evt_01k9z3v8c2m4n6p8q0r2s4t6v8"],
  "webhook-timestamp": ["Time of the attempt in Unix seconds, as in Standard Webhooks.", "1795273200"],
  "webhook-signature": [
    "Signature in the form `v1,<base64>`, as in Standard Webhooks.",
    "v1,xqdpG/YA3AtIgFRbfy6VTcYhFMYD2GTG1c/APeFltXw="
  ]
}

/** The headers of every delivery as OpenAPI parameters, by header name. */
export const deliveryHeaders = Record.map(headers, ([description, example], name) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example
}))

const parameters = Object.keys(headers).map((name) => ({ $ref: `#/components/parameters/${name}` }))

/** The `webhooks` section of the OpenAPI document, with one entry for each event type. */
export const webhooks = (schemas: Schemas) =>
  Object.fromEntries(
    eventTypes.map((type) => {
      const { object, outcome } = partsOf(type)
      const post = {
        operationId: `on.${type}`,
        tags: ["Events"],
        summary: type,
        description: `The ${object.replace("_", " ")} ${happened[outcome]}.`,
        security: [],
        parameters,
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: {
                allOf: [
                  { $ref: "#/components/schemas/Event" },
                  { type: "object", properties: { type: { type: "string", enum: [type] } } }
                ]
              },
              example: eventExample(type, schemas)
            }
          }
        },
        responses: {
          "2XX": {
            description:
              "Success: the receiver has the event. Respond within 15 seconds, and process the event afterwards."
          },
          "4XX": {
            description:
              "Failure: the receiver rejects the event, for example because the signature does not match. Folio retries the delivery by the retry schedule."
          }
        }
      }
      return [type, { post }]
    })
  )
