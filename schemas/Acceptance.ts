import { Schema } from "effect"
import { field } from "./Field.ts"
import { Timestamp } from "./Money.ts"

/** The events with which the acceptance of an invoice on credit terms is registered with the tax authority, by their codes. */
export const acceptanceCodes = ["030", "031", "032", "033", "034"] as const
export const AcceptanceCode = Schema.Literals(acceptanceCodes)
export type AcceptanceCode = typeof AcceptanceCode.Type

/** Why a buyer claims against an invoice, by the authority's codes. */
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
    "How far the acceptance of an invoice on credit terms has come. `pending`: nothing is registered yet. `acknowledged`: the buyer has received the invoice. `received`: the buyer has received what it is about. `claimed`: the buyer claims against it. `accepted`: the buyer has accepted it. `accepted_tacitly`: the buyer did not answer in time, and the issuer has registered that. `unanswered`: nothing was registered within 30 days."
})
export type AcceptanceStatus = typeof AcceptanceStatus.Type

/** One event of an acceptance, as the invoice and its timeline show it. */
export const acceptanceEventFields = {
  code: field(AcceptanceCode, "The authority's code of the event.", "033"),
  name: field(Schema.String, "The authority's name of the event.", "Aceptación expresa"),
  name_en: field(Schema.String, "The name in English.", "Express acceptance"),
  by: Schema.optionalKey(
    field(
      Schema.String,
      "Who has registered the event, as the authority names them; left out if it does not.",
      "Cliente de Prueba S.A.S."
    )
  ),
  reason_code: Schema.optionalKey(
    field(ClaimCode, "Of a claim (031) whose reason the authority tells: the code of the reason.", "02")
  ),
  reason: Schema.optionalKey(
    field(Schema.String, "The reason in the authority's words.", "Mercancía no entregada totalmente")
  )
}

export class Acceptance extends Schema.Opaque<Acceptance>()(
  Schema.Struct({
    status: AcceptanceStatus,
    at: Schema.NullOr(Timestamp).annotateKey({
      description:
        "The time of the event that the status tells of; null while the status is `pending` or `unanswered`.",
      examples: ["2026-11-24T09:30:00.000-05:00"]
    }),
    events: Schema.Array(Schema.Struct({ ...acceptanceEventFields, at: Timestamp })).annotateKey({
      description: "What is registered with the tax authority, oldest first: each event once."
    })
  }).annotate({
    identifier: "Acceptance",
    description:
      "What the buyer of an invoice on credit terms has answered, as it is registered with the tax authority, which Folio asks once a day for 30 days.",
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
