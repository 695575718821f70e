import { Schema, Struct } from "effect"
import { IdentificationType } from "./Code.ts"
import { field } from "./Field.ts"
import { CustomerId } from "./Id.ts"
import { atMost, notEmpty } from "./Limits.ts"
import { Timestamp } from "./Money.ts"
import { pageQuery } from "./Page.ts"
import {
  addressFields,
  Identification,
  optionalAddress,
  optionalParty,
  optionalRegistration,
  partyFields,
  registrationFields,
  responsibilities
} from "./Party.ts"
import { Metadata, metadataQuery } from "./Text.ts"

const ofCustomer = <S extends Schema.Codec<ReadonlyArray<string>>>(codes: S) =>
  field(
    codes,
    "The tax responsibilities of the customer, as codes of the tax authority. Documents leave out what is not given.",
    ["R-99-PN"]
  )

/** What a customer may have besides its identification and its name, as it is kept. */
const keptFields = {
  ...optionalAddress,
  ...optionalRegistration,
  tax_responsibilities: Schema.optionalKey(ofCustomer(Schema.Array(Schema.String)))
}

const sentFields = { ...addressFields, ...registrationFields, tax_responsibilities: ofCustomer(responsibilities) }

/** The request to register a customer, the acquirer of documents. */
export class CustomerRequest extends Schema.Opaque<CustomerRequest>()(
  Schema.Struct({
    ...partyFields,
    ...Struct.map(sentFields, Schema.optionalKey),
    metadata: Schema.optionalKey(Metadata)
  }).annotate({ identifier: "CustomerRequest", description: "A customer to register, the buyer of invoices." })
) {}

/** The fields of a customer that a client may change. Null removes an optional field. `metadata` is replaced as a whole. */
export class CustomerUpdate extends Schema.Opaque<CustomerUpdate>()(
  Schema.Struct({
    ...optionalParty,
    ...Struct.map(Struct.map(sentFields, Schema.NullOr), Schema.optionalKey),
    metadata: Schema.optionalKey(Metadata)
  }).annotate({
    identifier: "CustomerUpdate",
    description: "The fields of a customer to change.",
    examples: [{ email: "facturas@cliente.test" }]
  })
) {}

/** The fewest letters, digits and other characters of a name that customers are looked for by. */
export const nameMin = 3

/** A text as names are compared: without accents, in small letters, with single spaces. */
export const plainText = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replaceAll(/\s+/g, " ")

/** The query of the list of customers. */
export const CustomerQuery = {
  ...pageQuery("cust"),
  "identification[type]": field(
    Schema.optionalKey(IdentificationType),
    "Only customers with this kind of identification; goes with `identification[number]`.",
    "31"
  ),
  "identification[number]": field(
    Schema.optionalKey(Identification.fields.number),
    "Only customers with this number; goes with `identification[type]`.",
    "900000001"
  ),
  email: field(
    Schema.optionalKey(Schema.String.check(notEmpty(), atMost(254))),
    "Only customers with this e-mail address, in capital or small letters.",
    "facturas@cliente.test"
  ),
  name: field(
    Schema.optionalKey(
      Schema.String.check(
        atMost(450),
        Schema.makeFilter((text: string) => Array.from(plainText(text).trim()).length >= nameMin, {
          message: `must be at least ${nameMin} characters of a name`
        })
      )
    ),
    "Only customers with this text in their legal name or trade name: at least 3 characters, without regard to accents and capital letters.",
    "muñoz"
  ),
  ...metadataQuery
}

/** The buyer as a document carries it: a copy of the customer, so that a later change of the customer alters no document. */
export class Acquirer extends Schema.Opaque<Acquirer>()(
  Schema.Struct({ ...partyFields, ...keptFields }).annotate({ identifier: "Acquirer" })
) {}

export class Customer extends Schema.Opaque<Customer>()(
  Schema.Struct({
    id: CustomerId,
    object: Schema.Literal("customer"),
    livemode: field(Schema.Boolean, "`true` for a customer of the live mode."),
    ...partyFields,
    ...keptFields,
    metadata: Metadata,
    created_at: Timestamp,
    updated_at: Timestamp
  }).annotate({
    identifier: "Customer",
    description:
      "A buyer. Documents carry a copy of their buyer: a later change of the customer alters no document that was created before."
  })
) {}

export class DeletedCustomer extends Schema.Opaque<DeletedCustomer>()(
  Schema.Struct({
    id: CustomerId,
    object: Schema.Literal("customer"),
    deleted: Schema.Literal(true)
  }).annotate({ identifier: "DeletedCustomer", description: "The customer was deleted." })
) {}
