import { Schema, Struct } from "effect"
import { field } from "./Field.ts"
import { CustomerId } from "./Id.ts"
import { Timestamp } from "./Money.ts"
import { addressFields, optionalAddress, optionalParty, partyFields } from "./Party.ts"
import { Metadata } from "./Text.ts"

/** The request to register a customer, the acquirer of documents. */
export class CustomerRequest extends Schema.Opaque<CustomerRequest>()(
  Schema.Struct({
    ...partyFields,
    ...optionalAddress,
    metadata: Schema.optionalKey(Metadata)
  }).annotate({ identifier: "CustomerRequest", description: "A customer to register, the buyer of invoices." })
) {}

/** The fields of a customer that a client may change. Null removes an optional field. `metadata` is replaced as a whole. */
export class CustomerUpdate extends Schema.Opaque<CustomerUpdate>()(
  Schema.Struct({
    ...optionalParty,
    ...Struct.map(Struct.map(addressFields, Schema.NullOr), Schema.optionalKey),
    metadata: Schema.optionalKey(Metadata)
  }).annotate({
    identifier: "CustomerUpdate",
    description: "The fields of a customer to change.",
    examples: [{ email: "facturas@cliente.test" }]
  })
) {}

/** The buyer as a document carries it: a copy of the customer, so that a later change of the customer alters no document. */
export class Acquirer extends Schema.Opaque<Acquirer>()(
  Schema.Struct({ ...partyFields, ...optionalAddress }).annotate({ identifier: "Acquirer" })
) {}

export class Customer extends Schema.Opaque<Customer>()(
  Schema.Struct({
    id: CustomerId,
    object: Schema.Literal("customer"),
    livemode: field(Schema.Boolean, "`true` for a customer of the live mode."),
    ...partyFields,
    ...optionalAddress,
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
