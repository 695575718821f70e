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
import { externalIdQuery, Metadata, metadataQuery, newExternalId, shownExternalId } from "./Text.ts"

const ofCustomer = <S extends Schema.Codec<ReadonlyArray<string>>>(codes: S) =>
  field(
    codes,
    "Tax responsibilities of the customer, as codes of the tax authority. If omitted, documents state none.",
    ["R-99-PN"]
  )

/** The optional fields of a customer, as stored. */
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
    external_id: newExternalId("customer"),
    metadata: Schema.optionalKey(Metadata)
  }).annotate({ identifier: "CustomerRequest", description: "A customer to register: the buyer of invoices." })
) {}

/** The changeable fields of a customer. Null removes an optional field. `metadata` replaces all metadata. */
export class CustomerUpdate extends Schema.Opaque<CustomerUpdate>()(
  Schema.Struct({
    ...optionalParty,
    ...Struct.map(Struct.map(sentFields, Schema.NullOr), Schema.optionalKey),
    metadata: Schema.optionalKey(Metadata)
  }).annotate({
    fixed: Object.keys(CustomerRequest.fields),
    identifier: "CustomerUpdate",
    description: "The fields of a customer to change.",
    examples: [{ email: "facturas@cliente.test" }]
  })
) {}

/** The minimum number of characters in a search for customers by name. */
export const nameMin = 3

/** The form of a text in which names are compared: no accents, lower case, single spaces. */
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
    "Filter by type of identification. Requires `identification[number]`.",
    "31"
  ),
  "identification[number]": field(
    Schema.optionalKey(Identification.fields.number),
    "Filter by identification number. Requires `identification[type]`.",
    "900000001"
  ),
  email: field(
    Schema.optionalKey(Schema.String.check(notEmpty(), atMost(254))),
    "Filter by email address, regardless of upper or lower case.",
    "facturas@cliente.test"
  ),
  name: field(
    Schema.optionalKey(
      Schema.String.check(
        atMost(450),
        Schema.makeFilter((text: string) => Array.from(plainText(text).trim()).length >= nameMin, {
          message: `must hold at least ${nameMin} characters of a name`
        })
      )
    ),
    "Filter by text in the legal name or trade name, at least 3 characters, regardless of accents and upper or lower case.",
    "muñoz"
  ),
  ...externalIdQuery("customer"),
  ...metadataQuery
}

/** The buyer in a document: a copy of the customer, so that later changes of the customer alter no document. */
export class Acquirer extends Schema.Opaque<Acquirer>()(
  Schema.Struct({ ...partyFields, ...keptFields }).annotate({ identifier: "Acquirer" })
) {}

export class Customer extends Schema.Opaque<Customer>()(
  Schema.Struct({
    id: CustomerId,
    object: Schema.Literal("customer"),
    livemode: field(Schema.Boolean, "Mode of the customer: `true` for live, `false` for test."),
    ...partyFields,
    ...keptFields,
    metadata: Metadata,
    external_id: shownExternalId("customer"),
    created_at: Timestamp,
    updated_at: Timestamp
  }).annotate({
    identifier: "Customer",
    description:
      "A buyer. Each document keeps its own copy of the buyer: if you change a customer, existing documents stay the same."
  })
) {}

export class DeletedCustomer extends Schema.Opaque<DeletedCustomer>()(
  Schema.Struct({
    id: CustomerId,
    object: Schema.Literal("customer"),
    deleted: Schema.Literal(true)
  }).annotate({ identifier: "DeletedCustomer", description: "Confirmation that the customer was deleted." })
) {}
