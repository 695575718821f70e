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
