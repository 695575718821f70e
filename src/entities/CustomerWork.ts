import { Clock, Context, Effect, Layer } from "effect"
import { ApiError } from "../../schemas/ApiError.ts"
import type { CustomerUpdate } from "../../schemas/Customer.ts"
import { customerViolations } from "../domain/PartyRules.ts"
import type { RequestContext } from "../protocol/AccountEntity.ts"
import { type CustomerKey, Customers, customerView, type StoredCustomer } from "../store/Customers.ts"
import { IdempotencyKeys, type Outcome } from "../store/IdempotencyKeys.ts"
import { optionalClaim } from "./AccountWork.ts"

/** What an account's actor does with customers that are there. No invoice notices: each has its own copy of its buyer. */
export class CustomerWork extends Context.Service<
  CustomerWork,
  {
    readonly update: (
      key: CustomerKey,
      context: RequestContext,
      patch: CustomerUpdate
    ) => Effect.Effect<Outcome, ApiError>
    readonly remove: (key: CustomerKey) => Effect.Effect<Outcome, ApiError>
  }
>()("folio/entities/CustomerWork") {
  static readonly layer = Layer.effect(
    CustomerWork,
    Effect.gen(function* () {
      const customers = yield* Customers
      const keys = yield* IdempotencyKeys

      const update: CustomerWork["Service"]["update"] = Effect.fn("CustomerWork.update")(
        function* (key, context, patch) {
          const change = Effect.gen(function* () {
            const updated_at = new Date(yield* Clock.currentTimeMillis)
            const row = yield* customers.update(
              key,
              Effect.fnUntraced(function* (before) {
                const after = { ...changed(before, patch), updated_at }
                const [first, ...rest] = customerViolations(after.acquirer, key.livemode ? "live" : "test")
                return first === undefined ? after : yield* ApiError.fromViolations([first, ...rest])
              })
            )
            return { status: 200, location: null, body: JSON.stringify(customerView(row)) }
          })
          return yield* keys.once(key, optionalClaim(context), change)
        }
      )

      const remove: CustomerWork["Service"]["remove"] = Effect.fn("CustomerWork.remove")(function* (key) {
        const removal = Effect.gen(function* () {
          if (!(yield* customers.remove(key))) return yield* ApiError.missing("customer", key.id)
          return {
            status: 200,
            location: null,
            body: JSON.stringify({ id: key.id, object: "customer", deleted: true })
          }
        })
        return yield* keys.once(key, null, removal)
      })

      return CustomerWork.of({ update, remove })
    })
  )
}

/** The customer with the fields of `patch`, and without those that it says are null. */
const changed = (customer: StoredCustomer, { metadata, ...fields }: CustomerUpdate): StoredCustomer => {
  const { address, city_code, country_code, department_code, email, ...party } = { ...customer.acquirer, ...fields }
  const place = { email, address, city_code, department_code, country_code }
  const given = Object.entries(place).filter(([, value]) => typeof value === "string")
  return {
    ...customer,
    acquirer: { ...party, ...(Object.fromEntries(given) as Partial<Record<keyof typeof place, string>>) },
    metadata: metadata ?? customer.metadata
  }
}
