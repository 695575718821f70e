import { Clock, Effect } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { Acquirer, CustomerRequest, CustomerUpdate } from "../../../schemas/Customer.ts"
import { withoutNulls } from "../../runtime/json/Removal.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import { Customers, customerView, type StoredCustomer } from "../store/Customers.ts"
import { Ids } from "../../database/Ids.ts"
import * as Command from "../Command.ts"
import { keptExternalId } from "../rules/KeptExternalId.ts"

/**
 * The commands that create, change and delete customers. Invoices do not change, because each invoice has its own copy
 * of its buyer.
 */
export const make = Effect.gen(function* () {
  const customers = yield* Customers
  const ids = yield* Ids
  const { rules } = yield* NationalProfile

  const registered = Effect.fnUntraced(function* (account: AccountMode, request: CustomerRequest) {
    const { external_id = null, metadata = {}, ...acquirer } = request
    const at = new Date(yield* Clock.currentTimeMillis)
    const id = yield* ids.customer
    return { ...account, id, acquirer, metadata, external_id, created_at: at, updated_at: at } satisfies StoredCustomer
  })

  const CreateCustomer = Command.batched("CreateCustomer", {
    before: ({ livemode }, { request }) => Command.refuse(rules.customer(request, livemode ? "live" : "test")),
    run: function* (account, { context, request }, claim) {
      const customer = yield* registered(account, request)
      const { id } = customer
      const answer = Command.created(`/v1/customers/${id}`, customerView(customer))
      return { outcome: yield* customers.create({ customer, claim, by: context, answer }) }
    }
  })

  const PutCustomer = Command.alone("PutCustomer", {
    before: ({ livemode }, { request }) => Command.refuse(rules.customer(request, livemode ? "live" : "test")),
    run: function* (account, { request }) {
      const customer = yield* registered(account, request)
      const put = yield* customers.put(customer, (known) =>
        Command.refuse(keptExternalId("customer", known, request.external_id))
      )
      const view = customerView(put.customer)
      const answer = put.isNew ? Command.created(`/v1/customers/${customer.id}`, view) : Command.ok(view)
      return { answer, audit: [["customer.saved", put.customer.id]] }
    }
  })

  const UpdateCustomer = Command.alone("UpdateCustomer", {
    run: function* (account, { id, patch }) {
      const updated_at = new Date(yield* Clock.currentTimeMillis)
      const row = yield* customers.update(
        { ...account, id },
        Effect.fnUntraced(function* (before) {
          const after = { ...changed(before, patch), updated_at }
          yield* Command.refuse(rules.customer(after.acquirer, account.livemode ? "live" : "test"))
          return after
        })
      )
      return {
        answer: Command.ok(customerView(row)),
        audit: [["customer.updated", id, { changed: Object.keys(patch) }]]
      }
    }
  })

  const DeleteCustomer = Command.alone("DeleteCustomer", {
    run: function* (account, { id }) {
      if (!(yield* customers.remove({ ...account, id }))) return yield* ApiError.missing("customer", id)
      return { answer: Command.deleted("customer", id), audit: [["customer.deleted", id]] }
    }
  })

  return { CreateCustomer, PutCustomer, UpdateCustomer, DeleteCustomer }
})

/** The customer after an update, without the optional fields that the update sets to null. */
const changed = (customer: StoredCustomer, { metadata, ...fields }: CustomerUpdate): StoredCustomer => ({
  ...customer,
  acquirer: withoutNulls<Acquirer>({ ...customer.acquirer, ...fields }),
  metadata: metadata ?? customer.metadata
})
