import { Schema } from "effect"
import { field } from "./Field.ts"
import { Timestamp } from "./Money.ts"

/** The authority's codes of the events that register how a buyer responds to an invoice on credit terms. */
export const acceptanceCodes = ["030", "031", "032", "033", "034"] as const
export const AcceptanceCode = Schema.Literals(acceptanceCodes)
export type AcceptanceCode = typeof AcceptanceCode.Type

/** The authority's codes of the reasons for a claim against an invoice. */
export const claimCodes = ["01", "02", "03", "04"] as const
export const ClaimCode = Schema.Literals(claimCodes)
export type ClaimCode = typeof ClaimCode.Type

export const AcceptanceStatus = Schema.Literals([
  "pending",
  "acknowledged",
  "received",
  "claimed",
  "accepted",
  "accepted_tacitly",
  "unanswered"
]).annotate({
  identifier: "AcceptanceStatus",
  description:
    "Status of the acceptance of an invoice on credit terms. `pending`: no event is registered yet. `acknowledged`: the buyer has received the invoice. `received`: the buyer has received the goods or services. `claimed`: the buyer has filed a claim against the invoice. `accepted`: the buyer has accepted the invoice. `accepted_tacitly`: the buyer did not respond in time, and the issuer has registered this. `unanswered`: no event was registered within 30 days."
})
export type AcceptanceStatus = typeof AcceptanceStatus.Type

/** The fields of an acceptance event, as the invoice and its timeline show them. */
export const acceptanceEventFields = {
  code: field(AcceptanceCode, "The authority's code of the event.", "031"),
  name: field(Schema.String, "The authority's name of the event.", "Reclamo de la Factura Electrónica de Venta"),
  name_en: field(Schema.String, "The name of the event in English.", "Claim against the invoice"),
  by: Schema.optionalKey(
    field(
      Schema.String,
      "Name of the party that registered the event, as the authority gives it. Absent if the authority gives no name.",
      "Cliente de Prueba S.A.S."
    )
  ),
  reason_code: Schema.optionalKey(
    field(ClaimCode, "Code of the reason for a claim (031). Absent if the authority gives no reason.", "02")
  ),
  reason: Schema.optionalKey(
    field(Schema.String, "The authority's text of the reason for the claim.", "Mercancía no entregada totalmente")
  )
}

export class Acceptance extends Schema.Opaque<Acceptance>()(
  Schema.Struct({
    status: AcceptanceStatus,
    at: Schema.NullOr(Timestamp).annotateKey({
      description: "Time of the event that set the status. Null while the status is `pending` or `unanswered`.",
      examples: ["2026-11-24T09:30:00.000-05:00"]
    }),
    events: Schema.Array(Schema.Struct({ ...acceptanceEventFields, at: Timestamp })).annotateKey({
      description: "Events that are registered with the tax authority, oldest first. Each event occurs once."
    })
  }).annotate({
    identifier: "Acceptance",
    description:
      "The buyer's response to an invoice on credit terms, as registered with the tax authority. Folio queries the authority once a day for 30 days.",
    examples: [
      {
        status: "accepted",
        at: "2026-11-24T09:30:00.000-05:00",
        events: [
          {
            code: "030",
            name: "Acuse de recibo de Factura Electrónica de Venta",
            name_en: "Acknowledgement of receipt of the invoice",
            by: "Cliente de Prueba S.A.S.",
            at: "2026-11-21T15:12:09.000-05:00"
          },
          {
            code: "032",
            name: "Recibo del bien y/o prestación del servicio",
            name_en: "Receipt of the goods or services",
            by: "Cliente de Prueba S.A.S.",
            at: "2026-11-23T08:00:41.000-05:00"
          },
          {
            code: "033",
            name: "Aceptación expresa",
            name_en: "Express acceptance",
            by: "Cliente de Prueba S.A.S.",
            at: "2026-11-24T09:30:00.000-05:00"
          }
        ]
      }
    ]
  })
) {}
