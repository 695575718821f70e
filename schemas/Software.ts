import { Schema } from "effect"
import { field } from "./Field.ts"
import { Timestamp } from "./Money.ts"

/** The pattern of a software id, and the message for an id that does not match. */
export const softwareIdForm = {
  pattern: /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/u,
  message:
    "must be the id that the authority gave the software: 36 characters, such as f0110000-0000-4000-8000-000000000000"
}

/** The pattern of a software PIN, and the message for a PIN that does not match. */
export const pinForm = {
  pattern: /^[!-~]{1,64}$/u,
  message: "must be the PIN of the software: 1 to 64 characters without spaces"
}

/** The software that an issuer has registered with the authority. */
export class SoftwareRequest extends Schema.Opaque<SoftwareRequest>()(
  Schema.Struct({
    id: Schema.String.check(Schema.isPattern(softwareIdForm.pattern, { message: softwareIdForm.message })).annotateKey({
      description: "Id that the authority assigned to the software: 36 characters.",
      examples: ["56f2ae4e-9812-4fad-9255-08fcfcd5ccb0"]
    }),
    pin: Schema.String.check(Schema.isPattern(pinForm.pattern, { message: pinForm.message })).annotateKey({
      description:
        "PIN that you chose when you registered the software. Folio stores it encrypted and never shows it again.",
      examples: ["20187"]
    }),
    provider_nit: field(
      Schema.optionalKey(
        Schema.String.check(Schema.isMaxLength(32, { message: "must be a NIT, such as 900373115-3" }))
      ),
      "NIT of the software provider, with or without check digit. If omitted, the issuer is the provider.",
      "900373115-3"
    )
  }).annotate({
    identifier: "SoftwareRequest",
    description: "The software that the issuer has registered with the authority.",
    examples: [{ id: "56f2ae4e-9812-4fad-9255-08fcfcd5ccb0", pin: "20187" }]
  })
) {}

/** The software of an account, without its PIN. */
export class AccountSoftware extends Schema.Opaque<AccountSoftware>()(
  Schema.Struct({
    id: field(Schema.String, "Id that the authority assigned to the software.", "56f2ae4e-9812-4fad-9255-08fcfcd5ccb0"),
    provider_nit: field(
      Schema.NullOr(Schema.String),
      "NIT of the software provider, with check digit. Null if the issuer is the provider and the account has no issuer yet.",
      "900373115-3"
    ),
    set_at: Timestamp.annotateKey({ description: "Time at which the software was set." })
  }).annotate({ identifier: "AccountSoftware", description: "The software that live documents name, without its PIN." })
) {}
