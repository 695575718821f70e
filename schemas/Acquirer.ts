import { Schema } from "effect"
import { IdentificationType } from "./Code.ts"
import { field } from "./Field.ts"

/** The authority's record of an acquirer. */
export class KnownAcquirer extends Schema.Opaque<KnownAcquirer>()(
  Schema.Struct({
    object: Schema.Literal("acquirer"),
    livemode: field(
      Schema.Boolean,
      "Mode of the look-up: `true` for the tax authority's live service, `false` for the sandbox."
    ),
    identification: field(
      Schema.Struct({ type: IdentificationType, number: Schema.String }),
      "Identification in the request, without check digit.",
      { type: "31", number: "900000001" }
    ),
    name: field(
      Schema.NullOr(Schema.String),
      "Name in the authority's records. Null if the records hold no name.",
      "Adquiriente de Prueba 900000001 S.A.S."
    ),
    email: field(
      Schema.NullOr(Schema.String),
      "Email address at which the acquirer receives documents. Null if the authority's records hold no address.",
      "facturas@900000001.test"
    )
  }).annotate({
    identifier: "KnownAcquirer",
    description: "The tax authority's record of a buyer: the name, and the email address that receives documents."
  })
) {}
