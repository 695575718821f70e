import { Schema } from "effect"
import { CustomerId } from "./Id.ts"
import { Timestamp } from "./Money.ts"
import { addressFields, partyFields } from "./Party.ts"
import { Metadata } from "./Text.ts"

const optionalAddress = {
  email: Schema.optionalKey(addressFields.email),
  address: Schema.optionalKey(addressFields.address),
  city_code: Schema.optionalKey(addressFields.city_code),
  department_code: Schema.optionalKey(addressFields.department_code),
  country_code: Schema.optionalKey(addressFields.country_code)
}

/** What a client sends to register an acquirer. */
export class CustomerRequest extends Schema.Opaque<CustomerRequest>()(
  Schema.Struct({
    ...partyFields,
    ...optionalAddress,
    metadata: Schema.optionalKey(Metadata)
  }).annotate({ identifier: "CustomerRequest", description: "A buyer to register." })
) {}

const removable = <S extends Schema.Top>(field: S) => Schema.optionalKey(Schema.NullOr(field))

/** What may change of a customer: every field, and null takes away one that may be absent. `metadata` is replaced whole. */
export class CustomerUpdate extends Schema.Opaque<CustomerUpdate>()(
  Schema.Struct({
    identification: Schema.optionalKey(partyFields.identification),
    legal_name: Schema.optionalKey(partyFields.legal_name),
    organization_type: Schema.optionalKey(partyFields.organization_type),
    email: removable(addressFields.email),
    address: removable(addressFields.address),
    city_code: removable(addressFields.city_code),
    department_code: removable(addressFields.department_code),
    country_code: removable(addressFields.country_code),
    metadata: Schema.optionalKey(Metadata)
  }).annotate({
    identifier: "CustomerUpdate",
    description: "What may change of a customer.",
    examples: [{ email: "facturas@cliente.test" }]
  })
) {}

/** The buyer as a document carries it: a copy, so that a later change of the customer alters no invoice. */
export class Acquirer extends Schema.Opaque<Acquirer>()(
  Schema.Struct({ ...partyFields, ...optionalAddress }).annotate({ identifier: "Acquirer" })
) {}

export class Customer extends Schema.Opaque<Customer>()(
  Schema.Struct({
    id: CustomerId,
    object: Schema.Literal("customer"),
    livemode: Schema.Boolean.annotateKey({ description: "Made with a live key." }),
    ...partyFields,
    ...optionalAddress,
    metadata: Metadata,
    created_at: Timestamp,
    updated_at: Timestamp
  }).annotate({
    identifier: "Customer",
    description: "A buyer, as registered. Its later changes alter no invoice that was issued."
  })
) {}

export class DeletedCustomer extends Schema.Opaque<DeletedCustomer>()(
  Schema.Struct({
    id: CustomerId,
    object: Schema.Literal("customer"),
    deleted: Schema.Literal(true)
  }).annotate({ identifier: "DeletedCustomer", description: "A customer that was deleted." })
) {}
