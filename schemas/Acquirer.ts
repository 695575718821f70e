import { Schema } from "effect"
import { IdentificationType } from "./Code.ts"
import { field } from "./Field.ts"

/** An acquirer as the tax authority knows it. */
export class KnownAcquirer extends Schema.Opaque<KnownAcquirer>()(
  Schema.Struct({
    object: Schema.Literal("acquirer"),
    livemode: field(Schema.Boolean, "`true` when the tax authority's live service was asked."),
    identification: field(
      Schema.Struct({ type: IdentificationType, number: Schema.String }),
      "The identification that was asked for, without check digit.",
      { type: "31", number: "900000001" }
    ),
    name: field(
      Schema.NullOr(Schema.String),
      "The name in the authority's records; null when these have none.",
      "Adquiriente de Prueba 900000001 S.A.S."
    ),
    email: field(
      Schema.NullOr(Schema.String),
      "The address at which the acquirer receives documents; null when the authority's records have none.",
      "facturas@900000001.test"
    )
  }).annotate({
    identifier: "KnownAcquirer",
    description: "A buyer as the tax authority knows it: its name, and the address at which it receives documents."
  })
) {}
