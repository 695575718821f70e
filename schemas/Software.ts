import { Schema } from "effect"
import { field } from "./Field.ts"
import { Timestamp } from "./Money.ts"

/** The form of a software's id, and what is said of another one. */
export const softwareIdForm = {
  pattern: /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/u,
  message:
    "must be the id that the authority gave the software: 36 characters, such as f0110000-0000-4000-8000-000000000000"
}

/** The form of a software's PIN, and what is said of another one. */
export const pinForm = {
  pattern: /^[!-~]{1,64}$/u,
  message: "must be the PIN of the software: 1 to 64 characters without spaces"
}

/** The software that an issuer has registered with the authority. */
export class SoftwareRequest extends Schema.Opaque<SoftwareRequest>()(
  Schema.Struct({
    id: Schema.String.check(Schema.isPattern(softwareIdForm.pattern, { message: softwareIdForm.message })).annotateKey({
      description: "The id that the authority gave the software: 36 characters.",
      examples: ["56f2ae4e-9812-4fad-9255-08fcfcd5ccb0"]
    }),
    pin: Schema.String.check(Schema.isPattern(pinForm.pattern, { message: pinForm.message })).annotateKey({
      description:
        "The PIN that was chosen when the software was registered. It is stored encrypted and never shown again.",
      examples: ["20187"]
    }),
    provider_nit: field(
      Schema.optionalKey(
        Schema.String.check(Schema.isMaxLength(32, { message: "must be a NIT, such as 900373115-3" }))
      ),
      "The NIT of who provides the software, with or without its check digit. Left out, the issuer itself provides it.",
      "900373115-3"
    )
  }).annotate({
    identifier: "SoftwareRequest",
    description: "The software that the issuer has registered with the authority.",
    examples: [{ id: "56f2ae4e-9812-4fad-9255-08fcfcd5ccb0", pin: "20187" }]
  })
) {}

/** The software as the account shows it. */
export class AccountSoftware extends Schema.Opaque<AccountSoftware>()(
  Schema.Struct({
    id: field(Schema.String, "The id that the authority gave the software.", "56f2ae4e-9812-4fad-9255-08fcfcd5ccb0"),
    provider_nit: field(
      Schema.NullOr(Schema.String),
      "The NIT of who provides the software, with its check digit; null while the issuer provides it itself and is not known yet.",
      "900373115-3"
    ),
    set_at: Timestamp.annotateKey({ description: "When the software was set." })
  }).annotate({ identifier: "AccountSoftware", description: "The software that live documents name; never its PIN." })
) {}
